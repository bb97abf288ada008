// SPDX-License-Identifier: Apache-2.0
// Self-test of matrix units behind clh/mma.h: one product of 16 × 16 over 128 bytes of k, from
// weights along k and, for types of 16 bits, across k; small integers.
//
//   y   [2, 16, 16] of type float or int
//   x   two tiles as clh/mma_tile.h lays them, [16 rows][128 bytes] each: src, weights along k; then
//       weights across k, [64 steps][128 bytes]
// Grid: x = 32, in one group. Numerics: exact. -D: those of clh/mma.h, clh/async_copy.h.
#include "clh/async_copy.h"
#include "clh/mma.h"

#define WORDS ((2 * 16 * 128 + 64 * 128) / 16)

__kernel void mma_product(__global sum_t *y, __global const uint4 *x)
{
    __local uint4 tiles[WORDS] __attribute__((aligned(1024)));
    const int lane = (int)get_local_id(0);
    for (int i = lane; i < WORDS; i += 32) tiles[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const copy_place_t src = copy_place(tiles);
    sum_t along[8] = {0, 0, 0, 0, 0, 0, 0, 0}, across[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int step = 0; step < MMA_ROW_BYTES / MMA_STEP; ++step) {
        mma_a_t a;
        mma_b_t b;
        mma_load_a(&a, src, 0, step, lane);
        mma_load_b(&b, src + 16 * 128, 0, step, lane);
        mma_multiply(along, &a, &b);
#if MMA_TYPE != 5
        mma_load_b_across(&b, src + 2 * 16 * 128, 0, step, lane);
        mma_multiply(across, &a, &b);
#endif
    }
    for (int e = 0; e < 8; ++e) {
        const int place = mma_row(lane, e) * 16 + mma_col(lane, e);
        y[place] = along[e];
        y[256 + place] = across[e];
    }
}
