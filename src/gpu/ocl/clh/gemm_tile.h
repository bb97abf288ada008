// SPDX-License-Identifier: Apache-2.0
// The epilogue of tiles of dst (clh/gemm_place.h) from sums in local memory to dst or, with split-K, to the partial sums
// that ocl_matmul_reduce.cl adds. Needs clh/gemm.h.
#ifndef CLH_GEMM_TILE_H
#define CLH_GEMM_TILE_H

#include "clh/always_inline.h"
#include "clh/gemm_place.h"
#include "clh/gemm_quads.h"
#include "clh/gemm_splits.h"
#include "clh/gemm_vectors.h"
#include "clh/row_words.h"

// -D: SPLITS: 0: nsplits is 1 in all launches (optional, 1).
#ifndef SPLITS
#define SPLITS 1
#endif

// Sums that go out as they are, or rounded to 16 bits, 16 bytes at a time; `base` is where column
// `col` of row 0 goes. 16-bit elements come from two quads.
static inline void put_rows_raw(const target_t *to, __local const sum_t *sums, int nrows, int pitch,
        int row, int block, int stride, int col, int item, int nitems, __global uchar *base,
        long row_bytes, int dt)
{
    const bool is_short = dt == DT_F16 || dt == DT_BF16;
    const int vec = is_short ? 8 : 4, size = is_short ? 2 : 4;
#pragma unroll 1
    for (int c = item; c < nrows * (BN / vec); c += nitems) {
        const int p = c / (BN / vec), q = c % (BN / vec) * vec;
        const int i = row + p / block * stride + p % block, j = col - to->skip + q;
        if (i < to->row_first || i >= to->row_end || j >= to->col_end) continue;
        __local const uint4 *from = (__local const uint4 *)(sums + p * pitch + q);
        __global uchar *at = base + i * row_bytes + q * size;
        uint4 bits = from[0];
#if !IS_INT
        if (is_short) {
            const float4 x = as_float4(bits), y = as_float4(from[1]);
            ushort8 h;
            if (dt == DT_BF16)
                h = (ushort8)(bf16_from_f32(x.x), bf16_from_f32(x.y), bf16_from_f32(x.z),
                        bf16_from_f32(x.w), bf16_from_f32(y.x), bf16_from_f32(y.y),
                        bf16_from_f32(y.z), bf16_from_f32(y.w));
            else
                vstore_half8_rte((float8)(x, y), 0, (half *)&h);
            bits = as_uint4(h);
        }
#endif
        *(__global uint4 *)at = bits;
    }
}

// Rows by warps: what a row needs is found once.
static inline void put_rows_words(const target_t *to, __local const sum_t *sums, int nrows, int pitch,
        int row, int block, int stride, int col, int item, int nitems, __global uchar *base,
        long row_bytes, int dt)
{
    const int first = max(to->col_first + to->skip - col, 0), end = min(to->col_end + to->skip - col, BN);
    const int nlanes = min(nitems, 32), lane = item % nlanes;
#pragma unroll 1
    for (int p = item / nlanes; p < nrows; p += nitems / nlanes) {
        const int i = row + p / block * stride + p % block;
        if (i >= to->row_first && i < to->row_end)
            put_row_words(sums + p * pitch, base + i * row_bytes, first, end, BN, dt, lane, nlanes);
    }
}

// Whether the sums of a tile go out as they are, or rounded to 16 bits, to columns that are contiguous. *base is
// where the tile's first column goes in row 0.
static inline bool is_plain_target(const gemm_t *gemm, const target_t *to, int col,
        __global void *dst, __global uchar **base, long *row_bytes, int *dt)
{
    if (to->partial) {
        *dt = DT_UNDEF;
        *row_bytes = to->partial_m * 4;
        *base = (__global uchar *)(to->partial + to->partial_off) + (long)(col - to->skip) * 4;
        return true;
    }
#if WITH_QUANT || WITH_POST_OPS
    return false;
#else
    *dt = gemm->dst_dt;
    if (gemm->bia_dt != DT_UNDEF || to->dst_n != 1) return false;
    const int size = *dt == DT_F16 || *dt == DT_BF16 ? 2 : 4;
    if (IS_INT ? *dt != DT_S32 : *dt != DT_F32 && size == 4) return false;
    *row_bytes = to->dst_m * size;
    *base = (__global uchar *)dst + (to->dst_off + col - to->skip) * size;
    return true;
#endif
}

// Whether they do so 16 bytes at a time, at multiples of 16 bytes that do not hang over the edge.
static inline bool is_aligned_target(const target_t *to, int col, __global const uchar *base, long row_bytes, int dt)
{
    // Rows of partial sums have room for it.
    if (to->partial) return to->skip == 0 && to->col_first == col && col % 4 == 0;
    const int size = dt == DT_F16 || dt == DT_BF16 ? 2 : 4;
    return ((ulong)base & 15) == 0 && (row_bytes & 15) == 0 && to->skip == 0 &&
           (to->col_end - col) * size % 16 == 0 && to->col_first == col;
}

static inline bool is_raw_target(const gemm_t *gemm, const target_t *to, int col,
        __global void *dst, __global uchar **base, long *row_bytes, int *dt)
{
    return is_plain_target(gemm, to, col, dst, base, row_bytes, dt) &&
           is_aligned_target(to, col, *base, *row_bytes, *dt);
}

#if REAL_WIDTH == 4
// As put_rows(), where rows p go to row `row` + p.
ALWAYS_INLINE void put_rows_vectors(const gemm_t *gemm, const target_t *to, __local float *sums, int nrows,
        int pitch, int row, int col, int item, int nitems, __global void *dst)
{
    vectors_t vectors;
    vectors_fill(&vectors, gemm, to, dst);
    const bool is_short = gemm->dst_dt == DT_F16 || gemm->dst_dt == DT_BF16, stays = is_short || gemm->dst_dt == DT_F32;
    if (vectors.is_aligned)
        put_vectors(gemm, to, &vectors, sums, nrows, pitch, row, col, item, nitems, dst, true, false);
    else
        put_vectors(gemm, to, &vectors, sums, nrows, pitch, row, col, item, nitems, dst, false, stays);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!vectors.is_aligned && stays)
        put_rows_words(to, sums, nrows, pitch, row, nrows, 0, col, item, nitems,
                (__global uchar *)dst + (to->dst_off + col) * dt_bytes(gemm->dst_dt),
                to->dst_m * dt_bytes(gemm->dst_dt), gemm->dst_dt);
}
#endif

// Rows 0 … nrows − 1 of BN sums in local memory, PITCH apart, to row `row` + p / block · stride +
// p % block and the columns from `col` on. Work-items must have seen each other's stores. Inlined, for a call keeps what
// `gemm` and `to` point to in memory.
ALWAYS_INLINE void put_rows(const gemm_t *gemm, const target_t *to, __local sum_t *sums, int nrows,
        int pitch, int row, int block, int stride, int col, int item, int nitems,
        __global void *dst)
{
#if REAL_WIDTH == 4
    put_rows_vectors(gemm, to, sums, nrows, pitch, row, col, item, nitems, dst);
#else
    __global uchar *base;
    long row_bytes;
    int dt;
    if (is_plain_target(gemm, to, col, dst, &base, &row_bytes, &dt)) {
        if (is_aligned_target(to, col, base, row_bytes, dt))
            put_rows_raw(to, sums, nrows, pitch, row, block, stride, col, item, nitems, base,
                    row_bytes, dt);
        else
            put_rows_words(to, sums, nrows, pitch, row, block, stride, col, item, nitems, base,
                    row_bytes, dt);
        return;
    }
#if PUTS_NEAR_ROWS
    if (put_near_rows(gemm, to, sums, nrows, pitch, row, block, stride, col, item, nitems, dst)) return;
#endif
#pragma unroll 1
    for (int c = item; c < nrows * (BN / 4); c += nitems) {
        const int p = c / (BN / 4), q = c % (BN / 4) * 4;
        const int i = row + p / block * stride + p % block, j = col - to->skip + q;
        if (i < to->row_first || i >= to->row_end) continue;
        const int first = max(to->col_first - j, 0), end = min(to->col_end - j, 4);
        if (first >= end) continue;
        put_quad(gemm, to, sums + p * pitch + q, i, j, first, end, dst);
    }
#endif
}

// Four neighbours of a row, [first, end) of 0 … 4 of them inside.
static inline void store_totals(const gemm_t *gemm, const target_t *to, const total_t *totals, int i, int j,
        int first, int end, __global void *dst)
{
    const long place = to->dst_off + i * to->dst_m + j * to->dst_n;
#if !IS_INT && !WITH_QUANT && !WITH_POST_OPS
    if (first == 0 && end == 4 && gemm->bia_dt == DT_UNDEF && to->dst_n == 1) {
        store_quad(dst, place, gemm->dst_dt, (float4)(totals[0], totals[1], totals[2], totals[3]));
        return;
    }
#endif
    gemm_row_t row = gemm_row_of(gemm, to->product, i, to->bia_off + i * gemm->bia_m);
#if REAL_WIDTH == 4
    const float4 x = (float4)(totals[0], totals[1], totals[2], totals[3]);
    const float4 biased = x + gemm_bias_reals(gemm, &row, j, end, false);
    store_vector(dst, place, gemm->dst_dt, gemm_finish_reals(gemm, &row, biased, j, end, dst, place, false), end);
#else
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        if (e >= first && e < end) gemm_store(gemm, &row, totals[e], j + e, dst, place + e * to->dst_n);
    }
#endif
}

#if IS_INT
typedef int4 sum4_t;
#else
typedef float4 sum4_t;
#endif

// Adds the partial sums of slice `slice` of a tile, from split 0 on, and takes them to dst. `partial`: of split 0 and
// the product; `step`: elements from split to split. Several loads are in flight.
static inline void finish_slice(const gemm_t *gemm, const target_t *to, __global const sum_t *partial, long step,
        int nsplits, int slice, int item, int nitems, __global void *dst)
{
    enum { AT_ONCE = 2 };
    const int first = to->col_first & ~3, nquads = (to->col_end - first + 3) / 4;
    const int all = nquads * (to->row_end - to->row_first), length = (all + nsplits - 1) / nsplits;
    const int end = min(all, (slice + 1) * length);
#pragma unroll 1
    for (int c = slice * length + item; c < end; c += nitems * AT_ONCE) {
        int rows[AT_ONCE], cols[AT_ONCE];
        __global const sum_t *from[AT_ONCE];
        total_t totals[AT_ONCE][4];
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e) {
            // What is not there is the last quad again, and goes nowhere.
            const int quad = min(c + e * nitems, end - 1), row = quad / nquads;
            rows[e] = to->row_first + row;
            cols[e] = first + (quad - row * nquads) * 4;
            from[e] = partial + rows[e] * to->partial_m + cols[e];
#pragma unroll
            for (int i = 0; i < 4; ++i) totals[e][i] = 0;
        }
#pragma unroll 8
        for (int s = 0; s < nsplits; ++s) {
#pragma unroll
            for (int e = 0; e < AT_ONCE; ++e) {
                const sum4_t x = *(__global const sum4_t *)(from[e] + s * step);
                totals[e][0] += x.x;
                totals[e][1] += x.y;
                totals[e][2] += x.z;
                totals[e][3] += x.w;
            }
        }
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e) {
            const int j = cols[e];
            if (c + e * nitems < end)
                store_totals(gemm, to, totals[e], rows[e], j, max(to->col_first - j, 0), min(to->col_end - j, 4),
                        dst);
        }
    }
}

// By all work-items of a group whose partial sums are stored: takes its part of the tile to dst; without counters
// nothing, for another kernel does. `shared`: in local memory, which is free. Barriers behind a condition would have
// PoCL compile what is in front of them several times.
ALWAYS_INLINE void finish_splits(const gemm_t *gemm, const target_t *to, int nsplits, __global uint *counters,
        int max_polls, __local uint *shared, int item, int nitems, __global void *dst)
{
    const int split = (int)get_group_id(1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0)
        *shared = counters ? splits_arrive(counters + get_group_id(0), split, nsplits, max_polls) : 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const long step = gemm->batch.x * gemm->batch.y * gemm->batch.z * gemm->m * to->partial_m;
    __global const sum_t *partial = to->partial + to->partial_off - split * step;
    uint own = *shared;
#pragma unroll 1
    for (int slice = 0; own != 0; ++slice, own >>= 1) {
        if (own & 1) finish_slice(gemm, to, partial, step, nsplits, slice, item, nitems, dst);
    }
}

// The end of a kernel, in programs for splits: others have the registers.
#if SPLITS
#define FINISH_SPLITS(to, shared, item, nitems) \
    finish_splits(&gemm, &(to), nsplits, counters, max_polls, shared, item, nitems, dst)
#else
#define FINISH_SPLITS(to, shared, item, nitems)
#endif

#endif
