// SPDX-License-Identifier: Apache-2.0
// A tile of BM × BN sums of products in registers: where a work-item's TM × TN of them lie, the products of one
// index of K from operands in local memory, and the sum of what NSLICES teams of work-items have.
//
//     const seat_t seat = seat_of((int)get_local_id(0));
//     read_step(a + p * PITCH_A, b + p * PITCH_B, x, y);   // a, b: of the seat's m, n in a slice of K
//     multiply_step(sums, x, y);
//     gather_teams(sums, memory, &seat, item);             // TEAM·TM·TN floats; with barriers
//
// -D: BM, BN, TM, TN, NSLICES, UNROLL (of loops over registers: 16, or 1 where there are none to speak of).
#ifndef CLH_REGISTER_TILE_H
#define CLH_REGISTER_TILE_H

#include "clh/always_inline.h"

#if TM % 4 != 0 || TN % 4 != 0 || BM % (4 * TM) != 0 || BN % (8 * TN) != 0
#error "a warp is 4 by 8 work-items, and tiles are divided by four"
#endif

#define TEAM (BM / TM * (BN / TN)) // work-items that share a slice of K
#define NITEMS (TEAM * NSLICES)
#define SUMS_PITCH (TEAM * 4)

// The place of a work-item in its team: 32 work-items cover 4·TM × 8·TN, in interleaved fours.
typedef struct {
    int m, n, slice;
} seat_t;

static inline seat_t seat_of(int item)
{
    const int member = item % TEAM, block = member / 32, lane = member % 32;
    seat_t seat;
    seat.m = block / (BN / (8 * TN)) * (4 * TM) + lane / 8 * 4;
    seat.n = block % (BN / (8 * TN)) * (8 * TN) + lane % 8 * 4;
    seat.slice = item / TEAM;
    return seat;
}

#define SEAT_M(seat, i) ((seat)->m + (i) / 4 * 16 + (i) % 4)
#define SEAT_N(seat, j) ((seat)->n + (j) / 4 * 32 + (j) % 4)

// Adds the sums of the other teams to those of the first, in their order.
static inline void gather_teams(float sums[TM][TN], __local float *local_sums, const seat_t *seat,
        int item)
{
    __local float *mine = local_sums + item % TEAM * 4;
#pragma unroll 1
    for (int s = 1; s < NSLICES; ++s) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
            for (int j = 0; j < TN && seat->slice == s; j += 4)
                *(__local float4 *)(mine + (i * TN + j) / 4 * SUMS_PITCH) =
                        (float4)(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
            for (int j = 0; j < TN && seat->slice == 0; j += 4) {
                const float4 x = *(__local const float4 *)(mine + (i * TN + j) / 4 * SUMS_PITCH);
                sums[i][j] += x.s0;
                sums[i][j + 1] += x.s1;
                sums[i][j + 2] += x.s2;
                sums[i][j + 3] += x.s3;
            }
        }
    }
}

// The work-item's rows and columns of one index of K; a, b: its first of them in local memory.
ALWAYS_INLINE void read_step(__local const float *a, __local const float *b, float x[TM], float y[TN])
{
#pragma unroll UNROLL
    for (int i = 0; i < TM; i += 4) vstore4(*(__local const float4 *)(a + i / 4 * 16), 0, x + i);
#pragma unroll UNROLL
    for (int j = 0; j < TN; j += 4) vstore4(*(__local const float4 *)(b + j / 4 * 32), 0, y + j);
}

// Back and forth: neighbouring products share an operand.
ALWAYS_INLINE void multiply_step(float sums[TM][TN], const float x[TM], const float y[TN])
{
#pragma unroll UNROLL
    for (int j = 0; j < TN; ++j) {
#pragma unroll UNROLL
        for (int n = 0; n < TM; ++n) {
            const int i = j % 2 ? TM - 1 - n : n;
            sums[i][j] = fma(x[i], y[j], sums[i][j]);
        }
    }
}

#endif
