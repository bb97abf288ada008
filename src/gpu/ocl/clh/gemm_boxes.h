// SPDX-License-Identifier: Apache-2.0
// Operands of a product to a ring of stages by tensor maps (TMA), one pair of maps for all tiles and all products of a
// work-group: a producer work-item starts the copies of one stage after the other, ahead of those who multiply. Rows,
// products and starts lie at multiples of 16 bytes.
//
//     boxes_make(…)       the work-items of one warp: the tensor maps
//     boxes_copy_step(…)  one work-item: the boxes of a step of k of a tile to the next stage
//
// Needs clh/gemm_place.h, clh/wgmma.h, clh/wgmma_ring.h, clh/wgmma_stage.h. -D: BM, BN, STAGES; BATCHED: there may be
// several products, along whose batch dimensions the maps have dimensions, too.
#ifndef CLH_GEMM_BOXES_H
#define CLH_GEMM_BOXES_H

#define ROW_BYTES 128
#define DEPTH (ROW_BYTES / WGMMA_ELEM_BYTES)
#define TILE_A (BM * ROW_BYTES)
#define STAGE (TILE_A + BN * ROW_BYTES)
#define BARRIERS_AT (STAGES * STAGE) // `full` of each stage, then `empty`, then those of the kernel

// An operand: `base` is of the first product; strides in bytes, 0 where products share it.
typedef struct {
    __global const uchar *base;
    long pitch;
    ocl_gemm_batch_t step;
} operand_t;

typedef struct {
    operand_t src, wei;
    ocl_gemm_batch_t batch;
    wgmma_place_t place;
    __global uchar *maps; // of the group: src's, then the weights'
    int m, n, k;
} boxes_t;

#if BATCHED
// One more dimension of a map: `number` products, or one that all share.
#define BOXES_PRODUCTS(map, dim, at, number, bytes) \
    do { \
        WGMMA_MAP_DIM(map, dim, (bytes) ? (number) : 1, 1, 1); \
        WGMMA_MAP_STRIDE(map, at, (bytes) ? (bytes) : 16); \
    } while (0)
#endif

// A map of `height` rows of `width` elements, in boxes of box_w × box_h.
ALWAYS_INLINE void boxes_make_map(wgmma_map_t map, const operand_t *x, ocl_gemm_batch_t batch,
        int width, int height, int box_w, int box_h)
{
#if BATCHED
    wgmma_map_begin(map, x->base, 5);
    WGMMA_MAP_DIM(map, 0, width, box_w, 1);
    WGMMA_MAP_DIM(map, 1, height, box_h, 1);
    WGMMA_MAP_STRIDE(map, 0, x->pitch);
    BOXES_PRODUCTS(map, 2, 1, batch.z, x->step.z);
    BOXES_PRODUCTS(map, 3, 2, batch.y, x->step.y);
    BOXES_PRODUCTS(map, 4, 3, batch.x, x->step.x);
#else
    wgmma_map_make(
            map, x->base, (uint)width, (uint)height, (ulong)x->pitch, (uint)box_w, (uint)box_h);
#endif
}

// `words`, `local_place`: 256 bytes in local memory.
ALWAYS_INLINE void boxes_make(
        const boxes_t *b, __local uint *words, wgmma_place_t local_place, int lane)
{
    const wgmma_map_t src = (wgmma_map_t)local_place, wei = (wgmma_map_t)(local_place + 128);
    wgmma_map_clear(words, lane);
    wgmma_map_clear(words + 32, lane);
    wgmma_warp_barrier();
    if (lane == 0) {
        boxes_make_map(src, &b->src, b->batch, b->k, b->m, DEPTH, BM);
        if (WEI_ALONG_K)
            boxes_make_map(wei, &b->wei, b->batch, b->k, b->n, DEPTH, BN);
        else
            boxes_make_map(wei, &b->wei, b->batch, b->n, b->k, 64, DEPTH);
    }
    wgmma_warp_barrier();
    wgmma_map_publish(b->maps, src);
    wgmma_map_publish(b->maps + 128, wei);
    if (lane == 0) {
        wgmma_map_acquire(b->maps);
        wgmma_map_acquire(b->maps + 128);
    }
}

// The product's place in the batch: 0 along a dimension that an operand does not have.
ALWAYS_INLINE int4 boxes_product(const boxes_t *b, long product)
{
#if BATCHED
    const long rest = div_long(product, b->batch.z), x = div_long(rest, b->batch.y);
    return (int4)((int)x, (int)(rest - x * b->batch.y), (int)(product - rest * b->batch.z), 0);
#else
    (void)b;
    (void)product;
    return 0;
#endif
}

ALWAYS_INLINE void boxes_copy(wgmma_place_t to, __global const uchar *map, const operand_t *x,
        wgmma_place_t full, int at, int row, int4 product)
{
#if BATCHED
    wgmma_copy_5d(to, map, full, at, row, x->step.z ? product.s2 : 0, x->step.y ? product.s1 : 0,
            x->step.x ? product.s0 : 0);
#else
    (void)x;
    (void)product;
    wgmma_copy(to, map, full, at, row);
#endif
}

ALWAYS_INLINE void boxes_copy_step(
        const boxes_t *b, const tile_t *t, int4 product, int step, pipeline_state_t *state)
{
    const wgmma_place_t full = b->place + (BARRIERS_AT + state->stage * 8);
    const wgmma_place_t to = b->place + state->stage * STAGE;
    const int at = step * DEPTH;
    ring_wait_empty(full + STAGES * 8, state->phase ^ 1);
    wgmma_barrier_expect(full, STAGE);
    boxes_copy(to, b->maps, &b->src, full, at, t->row, product);
#if WEI_ALONG_K
    boxes_copy(to + TILE_A, b->maps + 128, &b->wei, full, at, t->col, product);
#else
#pragma unroll
    for (int i = 0; i < BN / 64; ++i)
        boxes_copy(to + TILE_A + i * (64 * ROW_BYTES), b->maps + 128, &b->wei, full,
                t->col + i * 64, at, product);
#endif
    pipeline_advance(state);
}

#endif
