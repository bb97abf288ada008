// SPDX-License-Identifier: Apache-2.0
// Four neighbours of a row at a time, as a vector, from sums to dst (-DREAL_WIDTH=4): bias and post-ops, whose operands
// are read as vectors, too. Where rows of dst or of an operand are not aligned, elements are read one by one, and what is
// finished stays in the place of the sums, so that neighbouring work-items can store neighbouring words.
//
// Needs what clh/gemm_reals.h needs, clh/gemm_place.h, clh/gemm_quads.h. Columns of dst are contiguous, and the kernel's
// are those of dst (no `skip`).
#ifndef CLH_GEMM_VECTORS_H
#define CLH_GEMM_VECTORS_H

#include "clh/always_inline.h"
#include "clh/gemm_reals.h"

#if REAL_WIDTH == 4

// All loads before the first store: one by one, each would wait for the memory. Plain C is for tests.
#if defined(RETARGET) && !RETARGET
#define VECTORS_AT_ONCE 1
#else
#define VECTORS_AT_ONCE 4
#endif

// Where a tile's vectors go. `is_near`: its rows follow each other in one matrix of dst.
typedef struct {
    gemm_row_t first;
    bool is_near, is_aligned;
} vectors_t;

// Whether dst, the bias and all operands are accessed at multiples of a vector's size, and no vector hangs over the edge.
ALWAYS_INLINE bool vectors_are_aligned(const gemm_t *gemm, const target_t *to, __global const void *dst)
{
    return to->col_end % 4 == 0 && gemm_bias_is_aligned(gemm, to->bia_off) &&
           gemm_reals_are_aligned(gemm, dst, to->dst_off, to->dst_m);
}

ALWAYS_INLINE void vectors_fill(vectors_t *vectors, const gemm_t *gemm, const target_t *to, __global const void *dst)
{
    vectors->first = gemm_row_of(gemm, to->product, to->row_first, to->bia_off);
    vectors->is_near = true;
    vectors->is_aligned = vectors_are_aligned(gemm, to, dst);
#if PO_NEEDS_POSITION
    const int last = GEMM_RANK(gemm) - 2;
    vectors->is_near = vectors->first.pos[last] + to->row_end - to->row_first <= gemm->dims[last];
#endif
}

// Row i, of which positions and bias are known then.
ALWAYS_INLINE void vector_row(
        gemm_row_t *row, const gemm_t *gemm, const target_t *to, const vectors_t *vectors, int i)
{
    const long bia_off = to->bia_off + i * gemm->bia_m;
    *row = vectors->first;
    if (!vectors->is_near) *row = gemm_row_of(gemm, to->product, i, bia_off);
#if PO_NEEDS_POSITION
    if (vectors->is_near) row->pos[GEMM_RANK(gemm) - 2] += i - to->row_first;
#endif
    row->bia_off = bia_off;
}

// `count` of four neighbours.
ALWAYS_INLINE void store_vector(__global void *dst, long place, int dt, float4 x, int count)
{
    if (count == 4) {
        store_quad(dst, place, dt, x);
        return;
    }
    const float values[4] = {x.s0, x.s1, x.s2, x.s3};
#pragma unroll 1
    for (int e = 0; e < count; ++e) store_any(dst, place + e, dt, values[e]);
}

// Vectors of rows 0 … nrows − 1 of BN sums, `pitch` apart, which are rows from `row` and columns from `col` on.
// `stays`: finished values take the place of the sums.
ALWAYS_INLINE void put_vectors(const gemm_t *gemm, const target_t *to, const vectors_t *vectors, __local float *sums,
        int nrows, int pitch, int row, int col, int item, int nitems, __global void *dst, const bool is_aligned,
        bool stays)
{
    const int all = nrows * (BN / 4), last = (to->col_end - 1 - col) & ~3;
#pragma unroll 1
    for (int c = item; c < all; c += nitems * VECTORS_AT_ONCE) {
        float4 x[VECTORS_AT_ONCE];
        long places[VECTORS_AT_ONCE];
        int counts[VECTORS_AT_ONCE], from[VECTORS_AT_ONCE];
#pragma unroll
        for (int n = 0; n < VECTORS_AT_ONCE; ++n) {
            // What is not there is a vector inside, and goes nowhere.
            const int at = min(c + n * nitems, all - 1), p = at / (BN / 4), q = at % (BN / 4) * 4;
            const int i = clamp(row + p, to->row_first, to->row_end - 1), j = col + min(q, last);
            const bool is_there = c + n * nitems < all && i == row + p && q <= last;
            const int count = is_aligned ? 4 : min(to->col_end - j, 4);
            gemm_row_t own;
            vector_row(&own, gemm, to, vectors, i);
            places[n] = to->dst_off + i * to->dst_m + j;
            counts[n] = is_there ? count : 0;
            from[n] = p * pitch + q;
            x[n] = *(__local const float4 *)(sums + from[n]) + gemm_bias_reals(gemm, &own, j, count, is_aligned);
            x[n] = gemm_finish_reals(gemm, &own, x[n], j, count, dst, places[n], is_aligned);
        }
#pragma unroll
        for (int n = 0; n < VECTORS_AT_ONCE; ++n) {
            if (counts[n] == 0) continue;
            if (!is_aligned && stays)
                *(__local float4 *)(sums + from[n]) = x[n];
            else
                store_vector(dst, places[n], gemm->dst_dt, x[n], is_aligned ? 4 : counts[n]);
        }
    }
}

#endif

#endif
