// SPDX-License-Identifier: Apache-2.0
// Operands of a convolution to the ring of stages by asynchronous copies of 16 bytes: COPIERS work-items
// gather BM rows of src and BN rows of weights, a slice of K at a time. For every stride and start:
// tensors that are not 16-byte aligned are copied by elements.
//
//     producer_start(…)    the work-items that copy: where operands are
//     producer_run(…)      all slices of all tiles of the work-group; or, alternating with the consumer,
//     producer_pixels(…), a barrier, producer_tile(…), then producer_slice(…)   one tile, its next slice
//
// Needs clh/conv_wgmma.h, clh/async_copy.h.
#ifndef CLH_CONV_GATHER_H
#define CLH_CONV_GATHER_H

#if !MAPS // headers are pasted into the source whatever #if surrounds the #include

#define ROW_STEP (COPIERS / 8) // rows between the copies of a work-item: 8 work-items copy a row
#define NA (BM / ROW_STEP)     // copies of a work-item for a slice
#define NB (BN / ROW_STEP)

// Offset in src and input position of a pixel under the first tap; outside of all if there is none.
static inline int4 find_pixel(__local const ocl_conv_wgmma_data_t *data, int index)
{
    int rest = index, off = 0, at[NSPATIAL];
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const int out = split(&rest, data->geo.out[s]);
        at[s] = out * data->geo.stride[s] - data->geo.pad[s];
        off += at[s] * (int)data->geo.src_s[s];
    }
    off += rest * (int)data->geo.src_n;
    return index < data->npixels ? (int4)(off, at[0], at[1], at[2])
                                 : (int4)(0, INT_MIN / 2, INT_MIN / 2, INT_MIN / 2);
}

// What the work-items that copy keep in registers.
typedef struct {
    int in[NSPATIAL], taps[NSPATIAL], dilation[NSPATIAL];
    int src_s[NSPATIAL]; // between taps
    int ic, slice_taps, slice_rest;
} sizes_t;

static inline sizes_t sizes_of(__local const ocl_conv_wgmma_data_t *data)
{
    sizes_t sizes;
    for (int s = 0; s < NSPATIAL; ++s) {
        sizes.in[s] = data->geo.in[s];
        sizes.taps[s] = data->geo.taps[s];
        sizes.dilation[s] = data->geo.dilation[s];
        sizes.src_s[s] = data->geo.dilation[s] * (int)data->geo.src_s[s];
    }
    sizes.ic = data->geo.ic;
    sizes.slice_taps = data->slice_taps;
    sizes.slice_rest = data->slice_rest;
    return sizes;
}

// Where a work-item's chunk of K stands, and what its tap adds to offsets in src and positions.
// The work-items that copy a row stand CHUNK elements apart, perhaps in several taps.
typedef struct {
    int c, tap[NSPATIAL];
    int at[NSPATIAL], src_off;
} cursor_t;

// `ntaps` taps further.
static inline void cursor_taps(cursor_t *cursor, const sizes_t *sizes, int ntaps)
{
    cursor->tap[2] += ntaps;
    while (cursor->tap[2] >= sizes->taps[2]) {
        cursor->tap[2] -= sizes->taps[2];
        if (++cursor->tap[1] == sizes->taps[1]) {
            cursor->tap[1] = 0;
            ++cursor->tap[0];
        }
    }
    cursor->src_off = 0;
    for (int s = 0; s < NSPATIAL; ++s) {
        cursor->at[s] = cursor->tap[s] * sizes->dilation[s];
        cursor->src_off += cursor->tap[s] * sizes->src_s[s];
    }
}

static inline cursor_t cursor_at(const sizes_t *sizes, int k)
{
    cursor_t cursor;
    cursor.c = split(&k, sizes->ic);
    cursor.tap[2] = split(&k, sizes->taps[2]);
    cursor.tap[1] = split(&k, sizes->taps[1]);
    cursor.tap[0] = k;
    cursor_taps(&cursor, sizes, 0);
    return cursor;
}

// To the next slice; whether that is in another tap.
static inline bool cursor_advance(cursor_t *cursor, const sizes_t *sizes)
{
    int ntaps = sizes->slice_taps;
    cursor->c += sizes->slice_rest;
    if (cursor->c >= sizes->ic) {
        cursor->c -= sizes->ic;
        ++ntaps;
    }
    if (ntaps > 0) cursor_taps(cursor, sizes, ntaps);
    return ntaps > 0;
}

// Offset in src of a pixel under the tap, or −1 outside.
static inline int look(const int4 pixel, const sizes_t *sizes, const cursor_t *cursor)
{
    const int is_inside = ((uint)(pixel.y + cursor->at[0]) < (uint)sizes->in[0]) &
                          ((uint)(pixel.z + cursor->at[1]) < (uint)sizes->in[1]) &
                          ((uint)(pixel.w + cursor->at[2]) < (uint)sizes->in[2]);
    return is_inside ? pixel.x + cursor->src_off : -1;
}

// A chunk to local memory, zeros where it is not inside.
ALWAYS_INLINE void copy_chunk(
        wgmma_place_t to, __global const ushort *from, bool is_inside, bool is_aligned)
{
    if (is_aligned)
        copy_16_part(to, from, is_inside ? 16 : 0);
    else
        copy_slowly(to, from, is_inside ? 8 : 0);
}

// A tile in flight: what a work-item knows of it.
typedef struct {
    __global const ushort *src, *wei, *wei_first;
    long wei_o;
    int first, k, nrows, ndepth; // first: the work-item's first row
    int nslices;
    cursor_t cursor;
    bool is_new_tap;
    int offs[NA];
} gather_tile_t;

// What the copying work-items know. `rows`: the tile's pixels.
typedef struct {
    __local const ocl_conv_wgmma_data_t *data;
    __global const ushort *src, *wei;
    __local int4 *rows;
    wgmma_place_t place;
    bool is_aligned;
    sizes_t sizes;
    pipeline_state_t state;
    gather_tile_t tile;
} producer_t;

// The next slice to the ring. Addresses are computed before the first copy: a copy that waits for its
// registers delays those behind it.
ALWAYS_INLINE void gather_slice(producer_t *producer, int item, const bool is_aligned)
{
    gather_tile_t *t = &producer->tile;
    pipeline_state_t *state = &producer->state;
    const wgmma_place_t own = producer->place + mma_place(t->first,
        item % 8); // rows are swizzled alike
    const wgmma_place_t full = producer->place + BARRIERS_AT, empty = full + STAGES * 8;
    const bool is_deep = t->k < t->ndepth;
    if (t->is_new_tap) {
#pragma unroll
        for (int i = 0; i < NA; ++i)
            t->offs[i] = look(producer->rows[t->first + i * ROW_STEP], &producer->sizes,
        &t->cursor);
    }
    __global const ushort *a[NA], *b[NB];
#pragma unroll
    for (int i = 0; i < NA; ++i) a[i] = t->src + max(t->offs[i], 0) + t->cursor.c;
#pragma unroll
    for (int i = 0; i < NB; ++i)
        b[i] = is_deep && i * ROW_STEP < t->nrows - t->first
                       ? t->wei_first + t->k + i * ROW_STEP * t->wei_o
                       : t->wei;
    const wgmma_place_t to = own + state->stage * STAGE;
    ring_wait_empty(empty + state->stage * 8, state->phase ^ 1);
#pragma unroll
    for (int i = 0; i < NA; ++i)
        copy_chunk(to + i * (ROW_STEP * MMA_ROW_BYTES), a[i], is_deep && t->offs[i] >= 0,
                is_aligned);
#pragma unroll
    for (int i = 0; i < NB; ++i)
        copy_chunk(to + TILE_A + i * (ROW_STEP * MMA_ROW_BYTES), b[i],
                is_deep && i * ROW_STEP < t->nrows - t->first, is_aligned);
    if (is_aligned)
        ring_fill(full + state->stage * 8);
    else
        ring_arrive(full + state->stage * 8);
    pipeline_advance(state);
    t->k += DEPTH;
    t->is_new_tap = cursor_advance(&t->cursor, &producer->sizes);
}

ALWAYS_INLINE void producer_start(producer_t *producer, __local const ocl_conv_wgmma_data_t *data,
        __global const ushort *src, __global const ushort *wei, __local int4 *rows,
        wgmma_place_t place)
{
    producer->data = data;
    producer->src = src;
    producer->wei = wei;
    producer->rows = rows;
    producer->place = place;
    producer->is_aligned = (((ulong)src | (ulong)wei) & 15) == 0;
    producer->sizes = sizes_of(data);
    producer->state = (pipeline_state_t){0, 0};
}

// The pixels of a tile; the copying work-items then wait for each other.
ALWAYS_INLINE void producer_pixels(producer_t *producer, const tile_t *tile, int item)
{
    for (int i = item; i < BM; i += COPIERS)
        producer->rows[i] = find_pixel(producer->data, tile->digits[1] * BM + i);
}

ALWAYS_INLINE void producer_tile(producer_t *producer, const tile_t *tile, int item)
{
    __local const ocl_conv_wgmma_data_t *data = producer->data;
    gather_tile_t *t = &producer->tile;
    const int g = tile_group(tile), channel = tile_channel(tile);
    const int first = first_slice(data, tile);
    t->first = item / 8;
    t->src = producer->src + g * data->src_g;
    t->wei = producer->wei + g * data->wei_g;
    t->wei_o = data->wei_o;
    t->wei_first = t->wei + (channel + t->first) * t->wei_o;
    t->nrows = data->geo.oc - channel;
    t->ndepth = data->ndepth;
    t->nslices = past_slice(data, tile) - first;
    t->k = first * DEPTH + item % 8 * CHUNK;
    t->cursor = cursor_at(&producer->sizes, t->k);
    t->is_new_tap = true;
}

ALWAYS_INLINE void producer_slice(producer_t *producer, int item)
{
    if (producer->is_aligned)
        gather_slice(producer, item, true);
    else
        gather_slice(producer, item, false);
}

// All tiles of the group.
ALWAYS_INLINE void producer_run(producer_t *producer, int item)
{
    __local const ocl_conv_wgmma_data_t *data = producer->data;
    const int nworks = data->ntiles * data->nsplits;
    tile_t tile = tile_of(data, (int)get_group_id(0));
    const tile_t way = tile_of(data, (int)get_num_groups(0));
#pragma unroll 1
    for (int work = (int)get_group_id(0); work < nworks; work += (int)get_num_groups(0)) {
        // Those of the tile before may still be read.
        producer_pixels(producer, &tile, item);
        RING_PART_BARRIER(1, COPIERS);
        producer_tile(producer, &tile, item);
        if (producer->is_aligned) {
#pragma unroll 1
            for (int i = 0; i < producer->tile.nslices; ++i) gather_slice(producer, item, true);
        } else {
#pragma unroll 1
            for (int i = 0; i < producer->tile.nslices; ++i) gather_slice(producer, item, false);
        }
        RING_PART_BARRIER(1, COPIERS);
        tile_on(&tile, &way, data);
    }
}

#endif

#endif
