// SPDX-License-Identifier: Apache-2.0
// Operands of a convolution to the ring of stages by tensor maps (TMA): the device copies boxes of src, shifted by
// taps, with zeros outside the tensor, and blocks of weights. One work-item starts the copies.
//
//     producer_start(…)    the work-items of one warp: tensor maps of src and weights
//     producer_run(…)      all slices of all tiles of the work-group; or, alternating with the consumer,
//     producer_tile(…), producer_slice(…)   one tile, its next slice
//
// Needs clh/conv_wgmma.h, clh/wgmma.h.
#ifndef CLH_CONV_BOXES_H
#define CLH_CONV_BOXES_H

#if MAPS // headers are pasted into the source whatever #if surrounds the #include

#if PHASES > 1
// diff_dst as [images, height, width, groups, channels of a group]: a slice ends with its group.
static inline void boxes_map_src(
        wgmma_map_t map, __global const void *base, __local const ocl_conv_wgmma_data_t *data)
{
    __local const ocl_conv_boxes_t *boxes = &data->boxes;
    wgmma_map_begin(map, base, 5);
    WGMMA_MAP_DIM(map, 0, boxes->channels, DEPTH, 1);
    WGMMA_MAP_DIM(map, 1, data->ngroups, 1, 1);
    WGMMA_MAP_DIM(map, 2, boxes->src_size[0], boxes->box[0], 1);
    WGMMA_MAP_DIM(map, 3, boxes->src_size[1], boxes->box[1], 1);
    WGMMA_MAP_DIM(map, 4, boxes->src_size[2], boxes->box[2], 1);
    WGMMA_MAP_STRIDE(map, 0, data->src_g * 2);
    WGMMA_MAP_STRIDE(map, 1, boxes->src_s[0]);
    WGMMA_MAP_STRIDE(map, 2, boxes->src_s[1]);
    WGMMA_MAP_STRIDE(map, 3, boxes->src_s[2]);
}
#else
// src as [images, height, width, channels]. A box of a step has the elements between, too.
static inline void boxes_map_src(
        wgmma_map_t map, __global const void *base, __local const ocl_conv_wgmma_data_t *data)
{
    __local const ocl_conv_boxes_t *boxes = &data->boxes;
    wgmma_map_begin(map, base, 4);
    WGMMA_MAP_DIM(map, 0, boxes->channels, DEPTH, 1);
    WGMMA_MAP_DIM(map, 1, boxes->src_size[0], boxes->box[0] * boxes->element_step[0],
            boxes->element_step[0]);
    WGMMA_MAP_DIM(map, 2, boxes->src_size[1], boxes->box[1] * boxes->element_step[1],
            boxes->element_step[1]);
    WGMMA_MAP_DIM(map, 3, boxes->src_size[2], boxes->box[2], 1);
    WGMMA_MAP_STRIDE(map, 0, boxes->src_s[0]);
    WGMMA_MAP_STRIDE(map, 1, boxes->src_s[1]);
    WGMMA_MAP_STRIDE(map, 2, boxes->src_s[2]);
}
#endif

#if PHASES
// Weights as [groups if PHASES is 2, channels of diff_dst, height, width, channels of diff_src]: read across K.
static inline void boxes_map_weights(wgmma_map_t map, __global const void *base,
        __local const ocl_conv_wgmma_data_t *data)
{
    wgmma_map_begin(map, base, PHASES > 1 ? 5 : 4);
    WGMMA_MAP_DIM(map, 0, data->geo.oc, 64, 1);
    WGMMA_MAP_DIM(map, 1, data->boxes.taps_x, 1, 1);
    WGMMA_MAP_DIM(map, 2, data->boxes.ntaps / data->boxes.taps_x, 1, 1);
    WGMMA_MAP_DIM(map, 3, data->boxes.filter_channels, DEPTH, 1);
    WGMMA_MAP_STRIDE(map, 0, phases_of(data)->wei_tap[0] * 2);
    WGMMA_MAP_STRIDE(map, 1, phases_of(data)->wei_tap[1] * 2);
    WGMMA_MAP_STRIDE(map, 2, data->wei_o * 2);
#if PHASES > 1
    WGMMA_MAP_DIM(map, 4, data->ngroups, 1, 1);
    WGMMA_MAP_STRIDE(map, 3, data->wei_g * 2);
#endif
}
#else
// Weights as [filters of all groups, taps, channels].
static inline void boxes_map_weights(wgmma_map_t map, __global const void *base,
        __local const ocl_conv_wgmma_data_t *data)
{
    wgmma_map_begin(map, base, 3);
    WGMMA_MAP_DIM(map, 0, data->boxes.filter_channels, DEPTH, 1);
    WGMMA_MAP_DIM(map, 1, data->boxes.ntaps, 1, 1);
    WGMMA_MAP_DIM(map, 2, data->ngroups * data->geo.oc, BN, 1);
    WGMMA_MAP_STRIDE(map, 0, (long)data->boxes.filter_channels * 2);
    WGMMA_MAP_STRIDE(map, 1, data->wei_o * 2);
}
#endif

// `local_place`: 256 bytes in local memory. Bases are multiples of 16 bytes.
ALWAYS_INLINE void boxes_make(__local const ocl_conv_wgmma_data_t *data, __global const ushort *src,
        __global const ushort *wei, __global uchar *maps, __local uint *words,
        wgmma_place_t local_place, int lane)
{
    const wgmma_map_t map_src = (wgmma_map_t)local_place;
    const wgmma_map_t map_wei = (wgmma_map_t)(local_place + 128);
    wgmma_map_clear(words, lane);
    wgmma_map_clear(words + 32, lane);
    wgmma_warp_barrier();
    if (lane == 0) {
        boxes_map_src(map_src, src, data);
        boxes_map_weights(map_wei, wei, data);
    }
    wgmma_warp_barrier();
    wgmma_map_publish(maps, map_src);
    wgmma_map_publish(maps + 128, map_wei);
    if (lane == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
    }
}

// Where a tile's slices stand.
typedef struct {
    int x, y, tap, slice_c; // tap: its number, x and y: in the filter
} box_cursor_t;

static inline box_cursor_t box_cursor_at(int slice, int slices_c, int taps_x)
{
    box_cursor_t cursor;
    int rest = slice;
    cursor.slice_c = split(&rest, slices_c);
    cursor.tap = rest;
    cursor.x = split(&rest, taps_x);
    cursor.y = rest;
    return cursor;
}

static inline void box_advance(box_cursor_t *cursor, int slices_c, int taps_x)
{
    if (++cursor->slice_c < slices_c) return;
    cursor->slice_c = 0;
    ++cursor->tap;
    if (++cursor->x < taps_x) return;
    cursor->x = 0;
    ++cursor->y;
}

// A tile in flight: what its slices have in common, and where they stand.
typedef struct {
    tile_t tile;
    int3 corner;      // in dst
    int x0, y0;       // in src, under the first tap
    int group, filter, src_first; // src_first: among the channels of all groups
    int slices_c, taps_x, dx, dy;
#if PHASES
    int tap_x, tap_y, step_x, step_y; // of the weights
#endif
    int slice, past;  // the first, past the last
    uint bytes;       // of a slice
    box_cursor_t cursor;
} box_tile_t;

static inline box_tile_t box_tile_of(__local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    __local const ocl_conv_boxes_t *sizes = &data->boxes;
    box_tile_t t;
    t.tile = *tile;
    t.corner = corner_of(sizes, tile);
#if PHASES
    __local const ocl_conv_phase_t *phase = tile_phase(data, tile);
    t.x0 = t.corner.s0 + phase->first[0];
    t.y0 = t.corner.s1 + phase->first[1];
    t.taps_x = phase->taps_x;
    t.dx = -sizes->tap_step[0];
    t.dy = -sizes->tap_step[1];
    t.tap_x = phase->first_tap[0];
    t.tap_y = phase->first_tap[1];
    t.step_x = phases_of(data)->wei_step[0];
    t.step_y = phases_of(data)->wei_step[1];
#else
    t.x0 = t.corner.s0 * sizes->step[0] - sizes->pad[0];
    t.y0 = t.corner.s1 * sizes->step[1] - sizes->pad[1];
    t.taps_x = sizes->taps_x;
    t.dx = sizes->tap_step[0];
    t.dy = sizes->tap_step[1];
#endif
    t.group = tile_group(tile);
    t.filter = (PHASES ? 0 : t.group * data->geo.oc) + tile_channel(tile);
    t.src_first = PHASES ? 0 : t.group * data->geo.ic;
    t.slices_c = sizes->slices_c;
    t.slice = first_slice(data, tile);
    t.past = past_slice(data, tile);
    t.bytes = (uint)(sizes->box[0] * sizes->box[1] * sizes->box[2] + BN) * MMA_ROW_BYTES;
    t.cursor = box_cursor_at(t.slice, t.slices_c, t.taps_x);
    return t;
}

// The next slice to the stage of `state`, by one work-item.
ALWAYS_INLINE void boxes_copy_slice(
        __global const uchar *maps, box_tile_t *t, wgmma_place_t place, pipeline_state_t *state)
{
    const wgmma_place_t full = place + (BARRIERS_AT + state->stage * 8);
    const wgmma_place_t to = place + state->stage * STAGE;
    ring_wait_empty(full + STAGES * 8, state->phase ^ 1);
    wgmma_barrier_expect(full, t->bytes);
#if PHASES > 1
    wgmma_copy_5d(to, maps, full, t->cursor.slice_c * DEPTH, t->group,
            t->x0 + t->cursor.x * t->dx, t->y0 + t->cursor.y * t->dy, t->corner.s2);
#else
    wgmma_copy_4d(to, maps, full, t->src_first + t->cursor.slice_c * DEPTH,
            t->x0 + t->cursor.x * t->dx, t->y0 + t->cursor.y * t->dy, t->corner.s2);
#endif
#if PHASES > 1
#pragma unroll
    for (int i = 0; i < BN / 64; ++i)
        wgmma_copy_5d(to + TILE_A + i * (64 * MMA_ROW_BYTES), maps + 128, full, t->filter + i * 64,
                t->tap_x + t->cursor.x * t->step_x, t->tap_y + t->cursor.y * t->step_y,
                t->cursor.slice_c * DEPTH, t->group);
#elif PHASES
#pragma unroll
    for (int i = 0; i < BN / 64; ++i)
        wgmma_copy_4d(to + TILE_A + i * (64 * MMA_ROW_BYTES), maps + 128, full, t->filter + i * 64,
                t->tap_x + t->cursor.x * t->step_x, t->tap_y + t->cursor.y * t->step_y,
                t->cursor.slice_c * DEPTH);
#else
    wgmma_copy_3d(to + TILE_A, maps + 128, full, t->cursor.slice_c * DEPTH, t->cursor.tap,
        t->filter);
#endif
    pipeline_advance(state);
    box_advance(&t->cursor, t->slices_c, t->taps_x);
}

// What the map of weights would bring of row `row` of their part of a stage, chunk `chunk`, by elements.
static inline void box_copy_weights(__local const ocl_conv_wgmma_data_t *data,
        __global const ushort *wei, const box_tile_t *t, wgmma_place_t to, int row, int chunk)
{
#if PHASES
    const int filter = t->filter + row / 64 * 64 + chunk * CHUNK;
    const int c = t->cursor.slice_c * DEPTH + row % 64;
    const long off = filter + c * data->wei_o + t->group * data->wei_g +
                     (t->tap_x + t->cursor.x * t->step_x) * phases_of(data)->wei_tap[0] +
                     (t->tap_y + t->cursor.y * t->step_y) * phases_of(data)->wei_tap[1];
#else
    const int filter = tile_channel(&t->tile) + row;
    const int c = t->cursor.slice_c * DEPTH + chunk * CHUNK;
    const long off = (tile_group(&t->tile) * data->geo.oc + filter) * data->wei_o +
                     t->cursor.tap * data->geo.ic + c;
#endif
    copy_slowly(to, wei + off, filter < data->geo.oc && c < data->geo.ic ? 8 : 0);
}

// What tensor maps would bring of row `row` of a tile, chunk `chunk`, by elements.
static inline void box_copy_chunk(__local const ocl_conv_wgmma_data_t *data,
        __global const ushort *src,
        __global const ushort *wei, const box_tile_t *t, wgmma_place_t to, int row, int chunk)
{
    __local const ocl_conv_boxes_t *sizes = &data->boxes;
    const int c = t->cursor.slice_c * DEPTH + chunk * CHUNK;
    if (row >= BM) {
        box_copy_weights(data, wei, t, to, row - BM, chunk);
        return;
    }
    const int3 at = row_in_box(sizes, row);
    const int step_x = PHASES ? 1 : sizes->step[0], step_y = PHASES ? 1 : sizes->step[1];
    const int x = t->x0 + at.s0 * step_x + t->cursor.x * t->dx;
    const int y = t->y0 + at.s1 * step_y + t->cursor.y * t->dy;
    const int image = t->corner.s2 + at.s2;
    const bool is_inside = at.s2 < sizes->box[2] && (uint)x < (uint)sizes->src_size[0] &&
                           (uint)y < (uint)sizes->src_size[1] && image < sizes->src_size[2] &&
                           c < data->geo.ic;
    const long bytes = x * sizes->src_s[0] + y * sizes->src_s[1] + image * sizes->src_s[2];
    const long first = PHASES ? t->group * data->src_g : t->src_first;
    copy_slowly(to, src + bytes / 2 + first + c, is_inside ? 8 : 0);
}

// The same by all work-items of a warp, for tensors that do not start at multiples of 16 bytes: the copy
// engine faults on them, and on boxes that start between.
ALWAYS_INLINE void boxes_copy_slice_slowly(__local const ocl_conv_wgmma_data_t *data,
        __global const ushort *src, __global const ushort *wei, box_tile_t *t, wgmma_place_t place,
        pipeline_state_t *state, int lane)
{
    const wgmma_place_t full = place + (BARRIERS_AT + state->stage * 8);
    const wgmma_place_t to = place + state->stage * STAGE;
    ring_wait_empty(full + STAGES * 8, state->phase ^ 1);
#pragma unroll 1
    for (int i = lane; i < (BM + BN) * 8; i += 32)
        box_copy_chunk(data, src, wei, t, to + mma_place(i / 8, i % 8), i / 8, i % 8);
    ring_see();
    wgmma_warp_barrier();
    if (lane == 0) ring_arrive(full);
    pipeline_advance(state);
    box_advance(&t->cursor, t->slices_c, t->taps_x);
}

// What the work-items of the copying warp know.
typedef struct {
    __local const ocl_conv_wgmma_data_t *data;
    __global const ushort *src, *wei;
    __global const uchar *maps;
    wgmma_place_t place;
    bool is_aligned;
    pipeline_state_t state;
    box_tile_t tile;
} producer_t;

// Makes the tensor maps. `words`, `local_place`: 256 bytes in local memory.
ALWAYS_INLINE void producer_start(producer_t *producer, __local const ocl_conv_wgmma_data_t *data,
        __global const ushort *src, __global const ushort *wei, __global uchar *maps,
        __local uint *words, wgmma_place_t place, wgmma_place_t local_place, int lane)
{
    producer->data = data;
    producer->src = src;
    producer->wei = wei;
    producer->maps = maps;
    producer->place = place;
    producer->is_aligned = (((ulong)src | (ulong)wei) & 15) == 0;
    producer->state = (pipeline_state_t){0, 0};
    if (producer->is_aligned)
        boxes_make(data, src, wei, maps, words, local_place, lane);
}

ALWAYS_INLINE void producer_tile(producer_t *producer, const tile_t *tile)
{
    producer->tile = box_tile_of(producer->data, tile);
}

ALWAYS_INLINE void producer_slice(producer_t *producer, int lane)
{
    if (!producer->is_aligned)
        boxes_copy_slice_slowly(producer->data, producer->src, producer->wei, &producer->tile,
        producer->place,
                &producer->state, lane);
    else if (lane == 0)
        boxes_copy_slice(producer->maps, &producer->tile, producer->place, &producer->state);
}

// All tiles of the group.
ALWAYS_INLINE void producer_run(producer_t *producer, int lane)
{
    __local const ocl_conv_wgmma_data_t *data = producer->data;
    const int nworks = data->ntiles * data->nsplits;
    tile_t tile = tile_of(data, (int)get_group_id(0));
    const tile_t way = tile_of(data, (int)get_num_groups(0));
    if (producer->is_aligned && lane != 0) return;
#pragma unroll 1
    for (int work = (int)get_group_id(0); work < nworks; work += (int)get_num_groups(0)) {
        producer_tile(producer, &tile);
        const int nslices = producer->tile.past - producer->tile.slice;
        if (producer->is_aligned) {
#pragma unroll 1
            for (int i = 0; i < nslices; ++i)
                boxes_copy_slice(producer->maps, &producer->tile, producer->place,
        &producer->state);
        } else {
#pragma unroll 1
            for (int i = 0; i < nslices; ++i)
                boxes_copy_slice_slowly(data, producer->src, producer->wei, &producer->tile,
        producer->place,
                        &producer->state, lane);
        }
        tile_on(&tile, &way, data);
    }
}

#endif

#endif
