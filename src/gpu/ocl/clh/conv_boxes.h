// SPDX-License-Identifier: Apache-2.0
// Operands of a convolution to the ring of stages by maps: the device copies boxes of src, shifted by
// taps, with zeros where they hang over, and blocks of weights. One item starts the copies.
//
//     boxes_copy(…)    the items of one warp: all slices of all tiles of the group
//
// Needs clh/conv_wgmma.h, clh/wgmma.h.
#ifndef CLH_CONV_BOXES_H
#define CLH_CONV_BOXES_H

#define BOXES_DIM(map, number, size, box, step) \
    do { \
        WGMMA_SET("box_dim.shared::cta.b1024.b32", number ", ", "r", box); \
        WGMMA_SET("global_dim.shared::cta.b1024.b32", number ", ", "r", size); \
        WGMMA_SET("element_stride.shared::cta.b1024.b32", number ", ", "r", step); \
    } while (0)
#define BOXES_STRIDE(map, number, bytes) \
    WGMMA_SET("global_stride.shared::cta.b1024.b64", number ", ", "l", bytes)

// What maps of any rank have; place: 128 bytes of zeros in local memory.
static inline void boxes_begin(wgmma_map_t map, __global const void *base, uint rank)
{
    WGMMA_SET("global_address.shared::cta.b1024.b64", "", "l", base);
    WGMMA_SET("rank.shared::cta.b1024.b32", "", "r", rank - 1);
    WGMMA_SET_NUMBER("elemtype.shared::cta.b1024.b32", WGMMA_MAP_TYPE);
    WGMMA_SET_NUMBER("interleave_layout.shared::cta.b1024.b32", "0");
    WGMMA_SET_NUMBER("swizzle_mode.shared::cta.b1024.b32", "3");
    WGMMA_SET_NUMBER("fill_mode.shared::cta.b1024.b32", "0");
}

// src as [images, height, width, channels]. A box of a step has the elements between, too.
static inline void boxes_map_src(
        wgmma_map_t map, __global const void *base, __local const conv_boxes_t *boxes)
{
    boxes_begin(map, base, 4);
    BOXES_DIM(map, "0", boxes->channels, DEPTH, 1);
    BOXES_DIM(map, "1", boxes->src_size[0], boxes->box[0] * boxes->element_step[0],
            boxes->element_step[0]);
    BOXES_DIM(map, "2", boxes->src_size[1], boxes->box[1] * boxes->element_step[1],
            boxes->element_step[1]);
    BOXES_DIM(map, "3", boxes->src_size[2], boxes->box[2], 1);
    BOXES_STRIDE(map, "0", boxes->src_s[0]);
    BOXES_STRIDE(map, "1", boxes->src_s[1]);
    BOXES_STRIDE(map, "2", boxes->src_s[2]);
}
// Weights as [filters of all groups, taps, channels].
static inline void boxes_map_weights(wgmma_map_t map, __global const void *base,
        __local const conv_data_t *data, int nfilters)
{
    boxes_begin(map, base, 3);
    BOXES_DIM(map, "0", data->boxes.filter_channels, DEPTH, 1);
    BOXES_DIM(map, "1", data->boxes.ntaps, 1, 1);
    BOXES_DIM(map, "2", nfilters, BN, 1);
    BOXES_STRIDE(map, "0", (long)data->boxes.filter_channels * 2);
    BOXES_STRIDE(map, "1", data->wei_o * 2);
}

// `local_place`: 256 bytes in local memory. Bases are multiples of 16 bytes.
ALWAYS_INLINE void boxes_make(__local const conv_data_t *data, __global const ushort *src,
        __global const ushort *wei, int nfilters, __global uchar *maps, __local ulong *zeros,
        uint local_place, int lane)
{
    zeros[lane] = 0; // 32 items, 256 bytes
    wgmma_warp_barrier();
    if (lane == 0) {
        boxes_map_src(local_place, src, &data->boxes);
        boxes_map_weights(local_place + 128, wei, data, nfilters);
    }
    wgmma_warp_barrier();
    wgmma_map_publish(maps, local_place);
    wgmma_map_publish(maps + 128, local_place + 128);
    if (lane == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
    }
}

ALWAYS_INLINE void boxes_copy_src(
        uint to, __global const uchar *map, uint barrier, int c, int3 at)
{
    __asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5, %6}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(c), "r"(at.s0), "r"(at.s1), "r"(at.s2)
                   : "memory");
}
ALWAYS_INLINE void boxes_copy_weights(
        uint to, __global const uchar *map, uint barrier, int c, int tap, int filter)
{
    __asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(c), "r"(tap), "r"(filter)
                   : "memory");
}

// Where a tile's slices stand.
typedef struct {
    int x, y, tap, slice_c; // tap: its number, x and y: in the filter
} box_walk_t;

static inline box_walk_t box_walk_from(__local const conv_boxes_t *sizes, int slice)
{
    box_walk_t walk;
    int rest = slice;
    walk.slice_c = split(&rest, sizes->slices_c);
    walk.tap = rest;
    walk.x = split(&rest, sizes->taps_x);
    walk.y = rest;
    return walk;
}

static inline void box_walk_on(box_walk_t *walk, int slices_c, int taps_x)
{
    if (++walk->slice_c < slices_c) return;
    walk->slice_c = 0;
    ++walk->tap;
    if (++walk->x < taps_x) return;
    walk->x = 0;
    ++walk->y;
}

ALWAYS_INLINE void boxes_copy_tile(__local const conv_data_t *data, __global const uchar *maps,
        const tile_t *tile, uint place, turn_t *turn)
{
    __local const conv_boxes_t *sizes = &data->boxes;
    const int first = first_slice(data, tile), past = past_slice(data, tile);
    const int3 corner = corner_of(sizes, tile);
    const int x0 = corner.s0 * sizes->step[0] - sizes->pad[0];
    const int y0 = corner.s1 * sizes->step[1] - sizes->pad[1];
    const int filter = tile_group(tile) * data->geo.oc + tile_channel(tile);
    const int src_first = tile_group(tile) * data->geo.ic;
    const int slices_c = sizes->slices_c, taps_x = sizes->taps_x;
    const int dx = sizes->tap_step[0], dy = sizes->tap_step[1];
    const uint bytes = (uint)(sizes->box[0] * sizes->box[1] * sizes->box[2] + BN) * MMA_ROW_BYTES;
    box_walk_t walk = box_walk_from(sizes, first);
#pragma unroll 1
    for (int slice = first; slice < past; ++slice) {
        const uint full = place + BARRIERS_AT + turn->stage * 8, to = place + turn->stage * STAGE;
        (void)ring_wait(full + STAGES * 8, turn->phase ^ 1);
        wgmma_barrier_expect(full, bytes);
        boxes_copy_src(to, maps, full, src_first + walk.slice_c * DEPTH,
                (int3)(x0 + walk.x * dx, y0 + walk.y * dy, corner.s2));
        boxes_copy_weights(
                to + TILE_A, maps + 128, full, walk.slice_c * DEPTH, walk.tap, filter);
        turn_on(turn);
        box_walk_on(&walk, slices_c, taps_x);
    }
}

// What maps would bring of row `row` of a tile, chunk `chunk`, by elements.
static inline void box_copy_chunk(__local const conv_data_t *data, __global const ushort *src,
        __global const ushort *wei, const tile_t *tile, const box_walk_t *walk, int3 corner, uint to,
        int row, int chunk)
{
    __local const conv_boxes_t *sizes = &data->boxes;
    const int c = walk->slice_c * DEPTH + chunk * CHUNK;
    if (row >= BM) {
        const int filter = tile_channel(tile) + row - BM;
        const long off = (tile_group(tile) * data->geo.oc + filter) * data->wei_o +
                         walk->tap * data->geo.ic + c;
        copy_slowly(to, wei + off, filter < data->geo.oc && c < data->geo.ic);
        return;
    }
    const int3 at = row_in_box(sizes, row);
    const int x = (corner.s0 + at.s0) * sizes->step[0] - sizes->pad[0] +
                  walk->x * sizes->tap_step[0];
    const int y = (corner.s1 + at.s1) * sizes->step[1] - sizes->pad[1] +
                  walk->y * sizes->tap_step[1];
    const int image = corner.s2 + at.s2;
    const bool is_inside = at.s2 < sizes->box[2] && (uint)x < (uint)sizes->src_size[0] &&
                           (uint)y < (uint)sizes->src_size[1] && image < sizes->src_size[2] &&
                           c < data->geo.ic;
    const long bytes = x * sizes->src_s[0] + y * sizes->src_s[1] + image * sizes->src_s[2];
    copy_slowly(to, src + bytes / 2 + tile_group(tile) * data->geo.ic + c, is_inside);
}

// The same by all items of a warp, for tensors that do not start at multiples of 16 bytes: the copy
// engine faults on them, and on boxes that start between.
ALWAYS_INLINE void boxes_copy_tile_slowly(__local const conv_data_t *data,
        __global const ushort *src, __global const ushort *wei, const tile_t *tile, uint place,
        turn_t *turn, int lane)
{
    __local const conv_boxes_t *sizes = &data->boxes;
    const int first = first_slice(data, tile), past = past_slice(data, tile);
    const int3 corner = corner_of(sizes, tile);
    box_walk_t walk = box_walk_from(sizes, first);
#pragma unroll 1
    for (int slice = first; slice < past; ++slice) {
        const uint full = place + BARRIERS_AT + turn->stage * 8, to = place + turn->stage * STAGE;
        (void)ring_wait(full + STAGES * 8, turn->phase ^ 1);
#pragma unroll 1
        for (int i = lane; i < (BM + BN) * 8; i += 32)
            box_copy_chunk(data, src, wei, tile, &walk, corner, to + mma_place(i / 8, i % 8), i / 8,
                    i % 8);
        ring_see();
        wgmma_warp_barrier();
        if (lane == 0) ring_arrive(full);
        turn_on(turn);
        box_walk_on(&walk, sizes->slices_c, sizes->taps_x);
    }
}

// All tiles of the group, by the items of a warp.
ALWAYS_INLINE void boxes_copy(__local const conv_data_t *data, __global const ushort *src,
        __global const ushort *wei, __global uchar *maps, __local ulong *zeros, uint place,
        uint local_place, int lane)
{
    const bool is_aligned = (((ulong)src | (ulong)wei) & 15) == 0;
    const int nworks = data->ntiles * data->nsplits;
    turn_t turn = {0, 0};
    tile_t tile = tile_of(data, (int)get_group_id(0));
    const tile_t way = tile_of(data, (int)get_num_groups(0));
    if (is_aligned) {
        boxes_make(data, src, wei, data->ngroups * data->geo.oc, maps, zeros, local_place, lane);
        if (lane != 0) return;
    }
#pragma unroll 1
    for (int work = (int)get_group_id(0); work < nworks; work += (int)get_num_groups(0)) {
        if (is_aligned)
            boxes_copy_tile(data, maps, &tile, place, &turn);
        else
            boxes_copy_tile_slowly(data, src, wei, &tile, place, &turn, lane);
        tile_on(&tile, &way, data);
    }
}

#endif
