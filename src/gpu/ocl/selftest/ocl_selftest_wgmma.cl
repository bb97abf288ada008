// SPDX-License-Identifier: Apache-2.0
// Self-test of matrix units that groups feed and of copies by maps, behind clh/wgmma.h: two groups
// multiply 64 × 64 tiles of matrices that end inside a tile, so that zeros are filled in; small whole
// numbers.
//
//   y      [2, 64, 64] of type float or int
//   x      src [40 rows][112 bytes], then weights along k [40 rows][112 bytes] or across k [56 steps]
//          [80 bytes]
//   maps   256 bytes for each group, aligned to 128
// Grid: x = 256, in groups of 128. Numerics: exact. -D: those of clh/wgmma.h, with BN = 64.
#include "clh/wgmma.h"

#define ES WGMMA_ELEM_BYTES
#define TILE (64 * 128)

__attribute__((reqd_work_group_size(128, 1, 1))) __kernel void wgmma_product(
        __global sum_t *y, __global const uchar *x, __global uchar *maps)
{
    __local uint4 memory[(2 * TILE + 512) / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), lane = item % 32;
    const uint place = wgmma_place((__local const void *)memory), bar = place + 2 * TILE;
    __global const uchar *wei = x + 40 * 112;
    maps += get_group_id(0) * 256;
    if (item < 32) ((__local ulong *)memory)[(2 * TILE + 128) / 8 + item] = 0;
    if (item == 0) {
        wgmma_barrier_init(bar);
        wgmma_barrier_publish();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 32) {
        if (item == 0) {
            wgmma_map_make(bar + 128, x, 112 / ES, 40, 112, 128 / ES, 64);
#if WEI_ALONG_K
            wgmma_map_make(bar + 256, wei, 112 / ES, 40, 112, 128 / ES, 64);
#else
            wgmma_map_make(bar + 256, wei, 40, 56, 80, 64, 64);
#endif
        }
        wgmma_warp_barrier();
        wgmma_map_publish(maps, bar + 128);
        wgmma_map_publish(maps + 128, bar + 256);
    }
    if (item == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
        wgmma_barrier_expect(bar, 2 * TILE);
        wgmma_copy(place, maps, bar, 0, 0);
        wgmma_copy(place + TILE, maps + 128, bar, 0, 0);
    }
    sum_t d[WGMMA_SUMS];
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = 0;
    const bool has_come = wgmma_barrier_wait(bar, 0);
    wgmma_begin();
#pragma unroll
    for (int p = 0; p < 4; ++p) {
#if WEI_ALONG_K
        wgmma_multiply(d, wgmma_along(place) + p * 2, wgmma_along(place + TILE) + p * 2);
#else
        wgmma_multiply(d, wgmma_along(place) + p * 2, wgmma_across(place + TILE) + p * 128);
#endif
    }
    wgmma_close();
    wgmma_wait_all(d);
    y += get_group_id(0) * 4096 + (item / 32 * 16 + lane / 4) * 64 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i)
        y[(i & 2 ? 8 * 64 : 0) + i / 4 * 8 + (i & 1)] = has_come ? d[i] : (sum_t)-1;
}
