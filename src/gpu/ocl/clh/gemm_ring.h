// SPDX-License-Identifier: Apache-2.0
// Copies of both operands to the stages of ocl_matmul_wgmma.cl, by one of two loaders:
//   MAPS=1   TMA: the device copies boxes by tensor maps of src and weights, which the work-group builds; one work-item
//            starts the copies. Rows and starts are 16-byte aligned.
//   MAPS=0   all work-items copy rows (clh/copy_rows.h): any start, any pitch
//
//     loader_t: what a work-group knows;  prepare(): tensor maps and barriers, then a barrier of the work-group;
//     start_ring(), fill_stage(): copies;  wait_stage(): before a stage is multiplied
//
// Each stage has a barrier that counts the bytes of TMA or the arrivals of work-items.
// Needs clh/copy_rows.h, clh/wgmma.h, clh/wgmma_ring.h. -D: MAPS; BM, BN, STAGES.
#ifndef CLH_GEMM_RING_H
#define CLH_GEMM_RING_H

#if !defined(MAPS) || !defined(BM) || !defined(STAGES)
#error "clh/gemm_ring.h needs MAPS, BM, BN, STAGES"
#endif

#include "clh/always_inline.h"

#define ITEMS (BM / 64 * 128)
#define ES WGMMA_ELEM_BYTES
#define ROW_BYTES 128
#define DEPTH (ROW_BYTES / ES)
#define TILE_A (BM * ROW_BYTES)
#define STAGE (TILE_A + BN * ROW_BYTES)
// Behind the stages: their barriers, two tensor maps, and 128 bytes more.
#define BARRIERS_AT (STAGES * STAGE)
#define MAPS_AT (BARRIERS_AT + 128)
#define PLAN_AT (MAPS_AT + 256)

typedef struct {
    wgmma_place_t memory;
    __global const uchar *src, *wei;
    long src_pitch, wei_pitch; // bytes from row to row
    int m, n, k, k_first;      // k_first: of the first tile
    __global uchar *maps;      // of the group, if MAPS
} loader_t;

// The next stage to multiply, the next to fill; the phase of the barrier of `stage`; tiles of the
// group's first output tile that are in flight.
typedef struct {
    int stage, fill;
    uint phase;
    int nstarted;
} ring_t;

ALWAYS_INLINE wgmma_place_t stage_barrier(const loader_t *l, int stage)
{
    return l->memory + (BARRIERS_AT + stage * 8);
}

ALWAYS_INLINE void start_barriers(const loader_t *l, uint narrivals)
{
#pragma unroll
    for (int s = 0; s < STAGES; ++s) ring_init(stage_barrier(l, s), narrivals);
    ring_publish();
}

#if MAPS

// `row`: of the output tile. The barrier takes the bytes of both operands in any order.
ALWAYS_INLINE void start_src(const loader_t *l, int row, int stage, int tile)
{
    const wgmma_place_t barrier = stage_barrier(l, stage);
    wgmma_barrier_expect(barrier, STAGE);
    wgmma_copy(l->memory + stage * STAGE, l->maps, barrier, l->k_first + tile * DEPTH, row);
}

ALWAYS_INLINE void start_wei(const loader_t *l, int col, int stage, int tile)
{
    const wgmma_place_t barrier = stage_barrier(l, stage);
    const wgmma_place_t to = l->memory + stage * STAGE + TILE_A;
#if WEI_ALONG_K
    wgmma_copy(to, l->maps + 128, barrier, l->k_first + tile * DEPTH, col);
#else
#pragma unroll
    for (int block = 0; block < BN / 64; ++block) {
        wgmma_copy(to + block * (64 * ROW_BYTES), l->maps + 128, barrier, col + block * 64,
                l->k_first + tile * DEPTH);
    }
#endif
}

ALWAYS_INLINE __global uchar *maps_of_group(__global uchar *maps)
{
    maps += -(ulong)maps & 127;
    return maps + (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256;
}

// A warp makes a map of `height` rows of `width` elements, from a multiple of 16 bytes on.
ALWAYS_INLINE void make_map(__global uchar *map, __local uint *words, wgmma_map_t place,
        __global const uchar *base, int width, int height, long pitch, uint box_w, uint box_h,
        int item)
{
    wgmma_map_clear(words, item % 32);
    wgmma_warp_barrier();
    if (item % 32 == 0)
        wgmma_map_make(place, base, (uint)width, (uint)height, (ulong)pitch, box_w, box_h);
    wgmma_warp_barrier();
    wgmma_map_publish(map, place);
    if (item % 32 == 0) wgmma_map_acquire(map);
}

// Two warps, each a map.
ALWAYS_INLINE void make_maps(const loader_t *l, __local uint4 *memory, int item)
{
    __local uint *words = (__local uint *)memory + MAPS_AT / 4;
    if (item < 32) {
        make_map(l->maps, words, (wgmma_map_t)(l->memory + MAPS_AT), l->src, l->k, l->m,
                l->src_pitch, DEPTH, BM, item);
    } else if (item < 64) {
        make_map(l->maps + 128, words + 32, (wgmma_map_t)(l->memory + MAPS_AT + 128), l->wei,
                WEI_ALONG_K ? l->k : l->n, WEI_ALONG_K ? l->n : l->k, l->wei_pitch,
                WEI_ALONG_K ? DEPTH : 64, WEI_ALONG_K ? BN : DEPTH, item);
    }
}

ALWAYS_INLINE void prepare(const loader_t *l, __local uint4 *memory, int item)
{
    if (item == 64) start_barriers(l, 1);
    make_maps(l, memory, item);
}

ALWAYS_INLINE void fill_stage(ring_t *ring, const loader_t *l, int row, int col, int tile, int item)
{
    if (item == 0) {
        start_src(l, row, ring->fill, tile);
        start_wei(l, col, ring->fill, tile);
    }
    if (++ring->fill == STAGES) ring->fill = 0;
}

// The ring with the first tile in flight, src by one work-item and weights by another, each by the tensor map
// of its warp; then one starts all. Not all at once: copies wait for each other, and it multiplies.
ALWAYS_INLINE void start_ring(ring_t *ring, const loader_t *l, int row, int col, int nfilled, int item)
{
    if (item == 32) start_wei(l, col, 0, 0);
    if (item == 0) {
        start_src(l, row, 0, 0);
        wgmma_map_acquire(l->maps + 128);
    }
    ring->fill = 1;
    ring->nstarted = min(nfilled, 2);
    if (nfilled > 1) fill_stage(ring, l, row, col, 1, item);
}

#else

// Each work-item arrives once its copies are done, and once more for what it stored itself.
ALWAYS_INLINE bool stores_vectors(const loader_t *l)
{
    return copy_unit(l->src, l->src_pitch) == 0 || copy_unit(l->wei, l->wei_pitch) == 0;
}

ALWAYS_INLINE void prepare(const loader_t *l, __local uint4 *memory, int item)
{
    (void)memory;
    if (item == 64) start_barriers(l, stores_vectors(l) ? 2 * ITEMS : ITEMS);
}

ALWAYS_INLINE void copy_src(const loader_t *l, wgmma_place_t to, int row, int k0, int item)
{
    const copy_rows_t rows = {l->src + row * l->src_pitch + k0 * ES, l->src_pitch, l->m - row,
            min(l->k - k0, DEPTH) * ES};
    copy_rows(&rows, copy_unit(l->src, l->src_pitch), to, BM, ROW_BYTES, item, ITEMS);
}

ALWAYS_INLINE void copy_wei(const loader_t *l, wgmma_place_t to, int col, int k0, int item)
{
#if WEI_ALONG_K
    const copy_rows_t rows = {l->wei + col * l->wei_pitch + k0 * ES, l->wei_pitch, l->n - col,
            min(l->k - k0, DEPTH) * ES};
    copy_rows(&rows, copy_unit(l->wei, l->wei_pitch), to, BN, ROW_BYTES, item, ITEMS);
#else
    const copy_rows_t rows = {l->wei + k0 * l->wei_pitch + (long)col * ES, l->wei_pitch, l->k - k0,
            min(l->n - col, BN) * ES};
    copy_rows(&rows, copy_unit(l->wei, l->wei_pitch), to, DEPTH, BN * ES, item, ITEMS);
#endif
}

ALWAYS_INLINE void fill_stage(ring_t *ring, const loader_t *l, int row, int col, int tile, int item)
{
    const wgmma_place_t to = l->memory + ring->fill * STAGE;
    const int k0 = l->k_first + tile * DEPTH;
    copy_src(l, to, row, k0, item);
    copy_wei(l, to + TILE_A, col, k0, item);
    ring_fill(stage_barrier(l, ring->fill));
    if (stores_vectors(l)) ring_arrive(stage_barrier(l, ring->fill));
    if (++ring->fill == STAGES) ring->fill = 0;
}

ALWAYS_INLINE void start_ring(ring_t *ring, const loader_t *l, int row, int col, int nfilled, int item)
{
#pragma unroll 1
    for (int tile = 0; tile < nfilled; ++tile) fill_stage(ring, l, row, col, tile, item);
    ring->nstarted = nfilled;
}

#endif

// Waits for the stage's tile; false where it does not come.
ALWAYS_INLINE bool wait_stage(const ring_t *ring, const loader_t *l)
{
    const bool has_come = ring_wait(stage_barrier(l, ring->stage), ring->phase);
    if (!MAPS) ring_see();
    return has_come;
}

#endif
