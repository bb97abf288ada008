// SPDX-License-Identifier: Apache-2.0
// The part of a tile that a warp multiplies by the micro-kernel of clh/mma.h: WM × WN sums, from tiles
// in local memory that hold 128 bytes of k, operand B behind operand A.
//
//     warp_clear(acc);
//     warp_read(a, b, stage, row, col, step, lane);   // a step's operands; row, col: of the warp
//     warp_multiply(acc, a, b);
//     warp_keep(acc, sums, row, col, lane);           // rows of PITCH sums
//
// Needs clh/mma.h. -D: BM, BN, WM, WN (multiples of 16), STAGES (2 to 4), WEI_ALONG_K; MMA_ROWS_ACROSS_BYTES: src is
// read across k.
#ifndef CLH_MMA_WARP_H
#define CLH_MMA_WARP_H

#include "clh/always_inline.h"

#if !defined(BM) || !defined(BN) || !defined(WM) || !defined(WN) || !defined(STAGES)
#error "clh/mma_warp.h needs BM, BN, WM, WN, STAGES"
#endif
#if !defined(WEI_ALONG_K)
#error "clh/mma_warp.h needs WEI_ALONG_K"
#endif
#if WM % 16 != 0 || WN % 16 != 0 || STAGES < 2 || STAGES > 4
#error "WM, WN are no multiples of 16, or STAGES is not 2, 3 or 4"
#endif

#define WARPS_M (BM / WM)
#define WARPS_N (BN / WN)
#define ITEMS (WARPS_M * WARPS_N * 32)
#define ES MMA_ELEM_BYTES
#define DEPTH (MMA_ROW_BYTES / ES) // elements of K of a tile
#define TILE_A (BM * MMA_ROW_BYTES)
#define TILE_B (BN * MMA_ROW_BYTES)
#define STAGE (TILE_A + TILE_B)

// Rows of sums in the epilogue, 32 bytes longer, for their banks.
#define PITCH (BN + 8)
#if BM * PITCH * 4 > STAGES * STAGE
#define LOCAL_BYTES (BM * PITCH * 4)
#else
#define LOCAL_BYTES (STAGES * STAGE)
#endif

#define BLOCKS_M (WM / 16)
#define BLOCKS_N (WN / 16)
#define STEPS (MMA_ROW_BYTES / MMA_STEP)

ALWAYS_INLINE void warp_clear(sum_t acc[BLOCKS_M][BLOCKS_N][8])
{
#pragma unroll
    for (int i = 0; i < BLOCKS_M; ++i) {
#pragma unroll
        for (int j = 0; j < BLOCKS_N; ++j) {
#pragma unroll
            for (int e = 0; e < 8; ++e) acc[i][j][e] = 0;
        }
    }
}

ALWAYS_INLINE void warp_read(mma_a_t a[BLOCKS_M], mma_b_t b[BLOCKS_N], copy_place_t stage, int row,
        int col, int step, int lane)
{
#pragma unroll
    for (int i = 0; i < BLOCKS_M; ++i) {
#ifdef MMA_ROWS_ACROSS_BYTES
        mma_load_a_across(&a[i], stage, row + i * 16, step, lane);
#else
        mma_load_a(&a[i], stage, row + i * 16, step, lane);
#endif
    }
#pragma unroll
    for (int j = 0; j < BLOCKS_N; ++j) {
        if (WEI_ALONG_K)
            mma_load_b(&b[j], stage + TILE_A, col + j * 16, step, lane);
        else
            mma_load_b_across(&b[j], stage + TILE_A, col + j * 16, step, lane);
    }
}

// Back and forth, so that neighbours share an operand.
ALWAYS_INLINE void warp_multiply(
        sum_t acc[BLOCKS_M][BLOCKS_N][8], const mma_a_t a[BLOCKS_M], const mma_b_t b[BLOCKS_N])
{
#pragma unroll
    for (int i = 0; i < BLOCKS_M; ++i) {
#pragma unroll
        for (int j = 0; j < BLOCKS_N; ++j)
            mma_multiply(acc[i][i & 1 ? BLOCKS_N - 1 - j : j], &a[i],
                    &b[i & 1 ? BLOCKS_N - 1 - j : j]);
    }
}

ALWAYS_INLINE void warp_keep(
        sum_t acc[BLOCKS_M][BLOCKS_N][8], __local sum_t *sums, int row, int col, int lane)
{
#pragma unroll
    for (int i = 0; i < BLOCKS_M; ++i) {
#pragma unroll
        for (int j = 0; j < BLOCKS_N; ++j) {
#pragma unroll
            for (int e = 0; e < 8; ++e)
                sums[(row + i * 16 + mma_row(lane, e)) * PITCH + col + j * 16 + mma_col(lane, e)] =
                        acc[i][j][e];
        }
    }
}

#endif
