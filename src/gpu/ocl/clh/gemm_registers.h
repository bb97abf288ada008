// SPDX-License-Identifier: Apache-2.0
// The epilogue of a tile whose sums stay in registers, by a team of BM/64 warp groups: a work-item holds two rows of
// WGMMA's sums, r and r + 8 of its warp's 16, two neighbours in every 8 columns. The sums start from the bias; post-ops
// are applied where they are, and 16-bit elements go out 16 bytes at a time: four neighbouring work-items turn their words
// among each other. Columns of dst are contiguous and a multiple of 8, rows start at multiples of 16 bytes.
//
//     start_registers(…)   before the first multiplication
//     ask_registers(…)     the same: asks the L2 cache for what lies beside the tile (PO_BESIDE_DST)
//     put_registers(…)     after the last; `item`: in the team; `is_own`: the work-item's sums are stored
//
// Needs clh/gemm.h (with GEMM_DST_DT, GEMM_BIA_DT; WITH_QUANT = 0, REAL_WIDTH = 8 with post-ops; the bias of a column is
// the same in all rows), clh/gemm_place.h, clh/wgmma.h; BM.
#ifndef CLH_GEMM_REGISTERS_H
#define CLH_GEMM_REGISTERS_H

#include "clh/beside.h"
#include "clh/prefetch_l2.h"

#define PARTS 2 // rows of a work-item

#if GEMM_DST_DT == DT_F32
typedef float out_t;
#else
typedef ushort out_t;
#endif

// The work-item's rows. Those outside have a place that exists.
typedef struct {
    long places[PARTS]; // of column 0, from the start of dst
    bool is_inside[PARTS];
    __global out_t *dst;
    __global const out_t *beside; // what lies at dst's places, if PO_BESIDE_DST
} out_rows_t;

// What lies beside dst's place 0.
ALWAYS_INLINE __global const out_t *beside_from(const gemm_t *gemm, __global void *dst, long dst_off)
{
#if PO_BESIDE_DST == 1
    return (__global const out_t *)gemm->post_ops->ptrs[0] + gemm->post_ops->offs[0] - dst_off;
#else
    return (__global const out_t *)dst;
#endif
}

ALWAYS_INLINE out_rows_t out_rows_of(const gemm_t *gemm, const target_t *to, int row, int item,
        bool is_own, __global void *dst, long dst_off)
{
    out_rows_t rows;
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
        const int i = row + item / 32 * 16 + p * 8 + item % 32 / 4;
        rows.is_inside[p] = is_own && i < to->row_end;
        rows.places[p] = to->dst_off + min(i, to->row_end - 1) * to->dst_m;
    }
    rows.dst = (__global out_t *)dst;
    rows.beside = beside_from(gemm, dst, dst_off);
    return rows;
}

// A column that exists.
ALWAYS_INLINE int column_of(const target_t *to, int first, int i, int lane)
{
    return min(first + i / 2 * 8 + lane % 4 * 2, to->col_end - 2) + i % 2;
}

// The sums that a tile starts from: the bias, or zeros.
ALWAYS_INLINE void start_registers(const gemm_t *gemm, const target_t *to, float *d, int col, int lane)
{
#pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const long j = column_of(to, col, block * 2 + e, lane);
            float bias = 0;
            if (gemm->bia_dt != DT_UNDEF) bias = load_any(gemm->bia, to->bia_off + j * gemm->bia_n, gemm->bia_dt);
            d[block * 4 + e] = bias;
            d[block * 4 + 2 + e] = bias;
        }
    }
}

// A vector at a time: for single elements, each instruction would wait for the one before, with few other warps to run.
ALWAYS_INLINE float8 finish_eight(const gemm_t *gemm, float8 x, float8 beside)
{
#if PO_BESIDE_DST
    post_ops_t chain = *gemm->post_ops;
    chain.given = beside;
    x = post_ops_apply(&chain, x, 0, 0, 0);
#elif WITH_POST_OPS
    x = post_ops_apply(gemm->post_ops, x, 0, 0, 0);
#endif
    return x;
}

#if GEMM_DST_DT == DT_F32

// What lies beside the work-item's eight of 32 columns in a row.
ALWAYS_INLINE float8 beside_of(const out_rows_t *rows, const int p, const target_t *to, int first, int lane,
        __local uint4 *lanes)
{
#if PO_BESIDE_DST
    __global const float *const from = rows->beside + rows->places[p];
    return (float8)(vload2(0, from + column_of(to, first, 0, lane)), vload2(0, from + column_of(to, first, 2, lane)),
            vload2(0, from + column_of(to, first, 4, lane)), vload2(0, from + column_of(to, first, 6, lane)));
#else
    return 0;
#endif
}

ALWAYS_INLINE void store_eight(__global float *to, int n, float8 x, int lane, __local uint4 *lanes)
{
    to += lane % 4 * 2;
    n -= lane % 4 * 2;
    if (n > 0) *(__global float2 *)to = x.s01;
    if (n > 8) *(__global float2 *)(to + 8) = x.s23;
    if (n > 16) *(__global float2 *)(to + 16) = x.s45;
    if (n > 24) *(__global float2 *)(to + 24) = x.s67;
}

#else

ALWAYS_INLINE float8 beside_of(const out_rows_t *rows, const int p, const target_t *to, int first, int lane,
        __local uint4 *lanes)
{
#if PO_BESIDE_DST
    const uint4 x =
            beside_eight(rows->beside + rows->places[p] + min(first + lane % 4 * 8, to->col_end - 8), 8);
    const uint4 y = wgmma_transpose(x, lane, lanes);
    return (float8)(beside_half(y.s0, 0), beside_half(y.s0, 1), beside_half(y.s1, 0), beside_half(y.s1, 1),
            beside_half(y.s2, 0), beside_half(y.s2, 1), beside_half(y.s3, 0), beside_half(y.s3, 1));
#else
    return 0;
#endif
}

// Of 32 columns of a row, of which `n` are to be stored, the work-item has two in every 8.
ALWAYS_INLINE void store_eight(__global ushort *to, int n, float8 x, int lane, __local uint4 *lanes)
{
    const bool is_bf16 = GEMM_DST_DT == DT_BF16;
    const uint4 words =
            (uint4)(short_pair(x.s0, x.s1, is_bf16), short_pair(x.s2, x.s3, is_bf16),
                    short_pair(x.s4, x.s5, is_bf16), short_pair(x.s6, x.s7, is_bf16));
    const uint4 bits = wgmma_transpose(words, lane, lanes);
    if (n > lane % 4 * 8) *(__global uint4 *)(to + lane % 4 * 8) = bits;
}

#endif

// `nitems` take part.
ALWAYS_INLINE void ask_registers(const gemm_t *gemm, const target_t *to, int row, int col, int item, int nitems,
        __global void *dst, long dst_off)
{
#if PO_BESIDE_DST
    const int line = 128 / (int)sizeof(out_t);
    __global const out_t *const beside = beside_from(gemm, dst, dst_off) + to->dst_off;
#pragma unroll 1
    for (int i = item; i < BM * (BN / line); i += nitems) {
        const int r = row + i / (BN / line), c = col + i % (BN / line) * line;
        if (r < to->row_end && c < to->col_end) prefetch_l2(beside + r * to->dst_m + c);
    }
#endif
}

ALWAYS_INLINE void put_registers(const gemm_t *gemm, const target_t *to, const float *d, int row, int col, int item,
        bool is_own, __global void *dst, long dst_off, __local uint4 *lanes)
{
    const int lane = item % 32;
    const out_rows_t rows = out_rows_of(gemm, to, row, item, is_own, dst, dst_off);
#pragma unroll
    for (int r = 0; r < BN / 32; ++r) {
        const int first = col + r * 32, n = to->col_end - first;
        if (RETARGET && n <= 0) continue; // of the whole team
        float8 beside[PARTS];
#pragma unroll
        for (int p = 0; p < PARTS; ++p) beside[p] = beside_of(&rows, p, to, first, lane, lanes);
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
            const float *const e = d + r * 16 + p * 2;
            const float8 x = (float8)(e[0], e[1], e[4], e[5], e[8], e[9], e[12], e[13]);
            store_eight(rows.dst + rows.places[p] + first, rows.is_inside[p] ? n : 0,
                    finish_eight(gemm, x, beside[p]), lane, lanes);
        }
    }
}

#endif
