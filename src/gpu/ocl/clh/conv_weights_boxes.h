// SPDX-License-Identifier: Apache-2.0
// Both operands of the gradient of a convolution's weights to the ring of stages by tensor maps (TMA): a slice of K is
// a box of pixels of diff_dst, and the pixels of src that meet it under a tap. Of each, blocks of 64 channels:
// [WGMMA_BLOCK_STEPS pixels][128 bytes], of which the box fills the first; the device fills in zeros outside the
// tensors. One work-item starts the copies; where tensors do not start at multiples of 16 bytes, a warp copies elements.
//
//     producer_start(…)    the work-items of one warp: tensor maps, and what the tile reads
//     producer_slice(…)    its next slice
//
// -D: GROUPS_M × GROUPS_N warp groups, of 64 channels × BN columns each; STAGES; those of clh/wgmma.h.
#ifndef CLH_CONV_WEIGHTS_BOXES_H
#define CLH_CONV_WEIGHTS_BOXES_H

#include "clh/always_inline.h"
#include "clh/shared/conv_backward_weights_boxes_data.h"

#include "clh/mma_tile.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"
#include "clh/wgmma_stage.h"

// A stage: blocks of channels of diff_dst, then of columns.
#define BLOCKS_M GROUPS_M
#define BLOCKS_N (GROUPS_N * BN / 64)
#define BLOCK_CHANNELS 64
#define BLOCK_BYTES (WGMMA_BLOCK_STEPS * MMA_ROW_BYTES)
#define STAGE ((BLOCKS_M + BLOCKS_N) * BLOCK_BYTES)
#define BARRIERS_AT (STAGES * STAGE) // `full` of each stage, then `empty`

typedef __local const ocl_conv_backward_weights_boxes_t *boxes_t;

// Where a tile is: first channel of diff_dst and first block of columns of a group, boxes of pixels.
typedef struct {
    int g, m, block, box, past;
} tile_t;

// A block of columns: the first channel in src of its group, or of no channel; its tap.
typedef struct {
    int c, x, y;
} column_block_t;

static inline column_block_t column_block_of(boxes_t data, int block)
{
    const int tap = block / data->blocks_c;
    const column_block_t column = {(block - tap * data->blocks_c) * BLOCK_CHANNELS,
            tap % data->taps_x, tap / data->taps_x};
    return column;
}

// What the work-items of the copying warp know.
typedef struct {
    boxes_t data;
    __global const ushort *src, *dst;
    __global const uchar *maps;
    wgmma_place_t place;
    bool is_aligned;
    pipeline_state_t state;
    int dst_c;                 // first channel of all groups
    int src_c[BLOCKS_N], src_x[BLOCKS_N], src_y[BLOCKS_N];
    int x, y, image;           // of the next box, in boxes
} producer_t;

static inline void map_pixels(wgmma_map_t map, __global const void *base, int channels,
        __local const int *size, __local const long *strides, __local const int *box, int step_x,
        int step_y)
{
    wgmma_map_begin(map, base, 4);
    WGMMA_MAP_DIM(map, 0, channels, BLOCK_CHANNELS, 1);
    // A box of a step has the pixels between, too.
    WGMMA_MAP_DIM(map, 1, size[0], box[0] * step_x, step_x);
    WGMMA_MAP_DIM(map, 2, size[1], box[1] * step_y, step_y);
    WGMMA_MAP_DIM(map, 3, size[2], box[2], 1);
    WGMMA_MAP_STRIDE(map, 0, strides[0]);
    WGMMA_MAP_STRIDE(map, 1, strides[1]);
    WGMMA_MAP_STRIDE(map, 2, strides[2]);
}

// `words`, `local_place`: 256 bytes in local memory. Bases are multiples of 16 bytes.
ALWAYS_INLINE void make_maps(boxes_t data, __global const ushort *src, __global const ushort *dst,
        __global uchar *maps, __local uint *words, wgmma_place_t local_place, int lane)
{
    const wgmma_map_t map_dst = (wgmma_map_t)local_place;
    const wgmma_map_t map_src = (wgmma_map_t)(local_place + 128);
    wgmma_map_clear(words, lane);
    wgmma_map_clear(words + 32, lane);
    wgmma_warp_barrier();
    if (lane == 0) {
        map_pixels(map_dst, dst, data->dst_channels, data->dst_size, data->dst_s, data->box, 1, 1);
        map_pixels(map_src, src, data->src_channels, data->src_size, data->src_s, data->box,
                data->step[0], data->step[1]);
    }
    wgmma_warp_barrier();
    wgmma_map_publish(maps, map_dst);
    wgmma_map_publish(maps + 128, map_src);
    if (lane == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
    }
}

ALWAYS_INLINE void producer_start(producer_t *p, boxes_t data, const tile_t *tile,
        __global const ushort *src, __global const ushort *dst, __global uchar *maps,
        __local uint *words, wgmma_place_t place, wgmma_place_t local_place, int lane)
{
    p->data = data;
    p->src = src;
    p->dst = dst;
    p->maps = maps;
    p->place = place;
    p->is_aligned = (((ulong)src | (ulong)dst) & 15) == 0;
    p->state = (pipeline_state_t){0, 0};
    p->dst_c = tile->g * data->dst_group + tile->m;
#pragma unroll
    for (int j = 0; j < BLOCKS_N; ++j) {
        const column_block_t column = column_block_of(data, tile->block + j);
        const bool exists = tile->block + j < data->blocks_c * data->ntaps;
        p->src_c[j] = exists ? tile->g * data->src_group + column.c : data->src_channels;
        p->src_x[j] = column.x * data->tap_step[0] - data->pad[0];
        p->src_y[j] = column.y * data->tap_step[1] - data->pad[1];
    }
    int rest = tile->box;
    p->x = split(&rest, data->nboxes[0]);
    p->y = split(&rest, data->nboxes[1]);
    p->image = rest;
    if (p->is_aligned) make_maps(data, src, dst, maps, words, local_place, lane);
}

// By one work-item.
ALWAYS_INLINE void copy_boxes(producer_t *p, wgmma_place_t to, wgmma_place_t full)
{
    boxes_t data = p->data;
    const int x = p->x * data->box[0], y = p->y * data->box[1], image = p->image * data->box[2];
    const int src_x = x * data->step[0], src_y = y * data->step[1];
    wgmma_barrier_expect(full, (uint)(data->box[0] * data->box[1] * data->box[2] *
                                      ((BLOCKS_M + BLOCKS_N) * MMA_ROW_BYTES)));
#pragma unroll
    for (int i = 0; i < BLOCKS_M; ++i)
        wgmma_copy_4d(to + i * BLOCK_BYTES, p->maps, full, p->dst_c + i * BLOCK_CHANNELS, x, y, image);
#pragma unroll
    for (int j = 0; j < BLOCKS_N; ++j)
        wgmma_copy_4d(to + (BLOCKS_M + j) * BLOCK_BYTES, p->maps + 128, full, p->src_c[j],
                src_x + p->src_x[j], src_y + p->src_y[j], image);
}

// What tensor maps would bring of row `row` of a block, chunk `chunk`, by elements: the copy engine faults on tensors
// that do not start at multiples of 16 bytes.
static inline void copy_box_chunk(__global const ushort *from, __local const int *size,
        __local const long *strides, int channels, int x, int y, int image, int c, wgmma_place_t to)
{
    const bool is_inside = (uint)x < (uint)size[0] && (uint)y < (uint)size[1] && image < size[2] &&
                           c < channels;
    const long bytes = x * strides[0] + y * strides[1] + image * strides[2];
    copy_slowly(to, from + (is_inside ? bytes / 2 + c : 0), is_inside ? min(channels - c, 8) : 0);
}

// By all work-items of a warp.
ALWAYS_INLINE void copy_boxes_slowly(producer_t *p, wgmma_place_t to, int lane)
{
    boxes_t data = p->data;
    const int npixels = data->box[0] * data->box[1] * data->box[2];
#pragma unroll 1
    for (int i = lane; i < npixels * 8; i += 32) {
        int rest = i / 8;
        const int c = i % 8 * 8, row = rest;
        const int x = p->x * data->box[0] + split(&rest, data->box[0]);
        const int y = p->y * data->box[1] + split(&rest, data->box[1]);
        const int image = p->image * data->box[2] + rest;
        const wgmma_place_t own = to + mma_place(row, i % 8);
#pragma unroll 1
        for (int b = 0; b < BLOCKS_M; ++b)
            copy_box_chunk(p->dst, data->dst_size, data->dst_s, data->dst_channels, x, y, image,
                    p->dst_c + b * BLOCK_CHANNELS + c, own + b * BLOCK_BYTES);
#pragma unroll
        for (int b = 0; b < BLOCKS_N; ++b)
            copy_box_chunk(p->src, data->src_size, data->src_s, data->src_channels,
                    x * data->step[0] + p->src_x[b], y * data->step[1] + p->src_y[b], image,
                    p->src_c[b] + c, own + (BLOCKS_M + b) * BLOCK_BYTES);
    }
}

ALWAYS_INLINE void producer_advance(producer_t *p)
{
    pipeline_advance(&p->state);
    if (++p->x < p->data->nboxes[0]) return;
    p->x = 0;
    if (++p->y < p->data->nboxes[1]) return;
    p->y = 0;
    ++p->image;
}

// The next slice to its stage, by the work-items of the warp.
ALWAYS_INLINE void producer_slice(producer_t *p, int lane)
{
    const wgmma_place_t full = p->place + (BARRIERS_AT + p->state.stage * 8);
    const wgmma_place_t to = p->place + p->state.stage * STAGE;
    if (p->is_aligned && lane != 0) return;
    ring_wait_empty(full + STAGES * 8, p->state.phase ^ 1);
    if (p->is_aligned) {
        copy_boxes(p, to, full);
    } else {
        copy_boxes_slowly(p, to, lane);
        ring_see();
        wgmma_warp_barrier();
        if (lane == 0) ring_arrive(full);
    }
    producer_advance(p);
}

#endif
