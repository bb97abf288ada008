// SPDX-License-Identifier: Apache-2.0
// Matrix product for devices with sub-groups, without local memory and barriers. The work-items of a
// sub-group hold a strip of TM rows of src, one index of K each, and broadcast them one after the other;
// each work-item multiplies them by its own TN columns of weights. Neighbouring work-items read
// neighbouring columns.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at p·wei_k + j·wei_n
//   dst, dst_off   of type dst_dt; element (i, j) at i·dst_m + j·dst_n
//   n, k           the other sizes; …_batch: strides of the batch dimensions
// Grid: x = products · ceil(m / TM) · ceil(n / (ITEMS·TN)) work-groups of ITEMS work-items, in any number
//   of sub-groups.
// Numerics: sums in s32 (IS_INT) or f32, in the order of k.
// -D: those of clh/gemm.h; SRC, WEI (prim__ocl_options_type()); TM, TN, ITEMS; BLOCK_READS: 1: weights
//   are f32, unadjusted, and read by cl_intel_subgroups where they are contiguous.
// No device of CI has sub-groups; checked with: -cl-std=CL3.0 -DSRC_DT=3 -DSRC_T=float -DSRC_LOAD=load_f32 -DWEI_DT=3 -DWEI_T=float -DWEI_LOAD=load_f32 -DTM=8 -DTN=4 -DITEMS=32 -DBLOCK_READS=1 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(TM) || !defined(TN) || !defined(ITEMS)
#error "ocl_matmul_subgroup needs SRC, WEI, TM, TN, ITEMS"
#endif
#if !defined(BLOCK_READS)
#error "ocl_matmul_subgroup needs BLOCK_READS"
#endif
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#if BLOCK_READS && defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif

#include "clh/gemm.h"

// Where a sub-group's tile lies: product, its first row and column, and what a work-item adds to these.
typedef struct {
    long product, i0, j0;
    int lane, size; // the work-item of the sub-group, and how many these are
} tile_t;

static inline tile_t tile_of(const gemm_t *gemm, long group, long n)
{
    const long ntiles_n = (n + ITEMS * TN - 1) / (ITEMS * TN), ntiles_m = (gemm->m + TM - 1) / TM;
    const long row = div_long(group, ntiles_n), product = div_long(row, ntiles_m);
    const int before = (int)(get_sub_group_id() * get_max_sub_group_size());
    tile_t tile = {product, (row - product * ntiles_m) * TM,
            (group - row * ntiles_n) * (ITEMS * TN) + before * TN, (int)get_sub_group_local_id(),
            (int)get_sub_group_size()};
    return tile;
}

// The work-item's step of k, p, of every row.
static inline void load_src(const gemm_t *gemm, const tile_t *t, __global const SRC_T *src,
        long src_m, long src_k, long p, long k, sum_t a[TM])
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
        const long i = t->i0 + r;
        a[r] = 0;
        if (i >= gemm->m || p >= k) continue;
        a[r] = gemm_adjust_src(gemm, SRC_GET(src, i * src_m + p * src_k), i, p);
    }
}

// Column c of a work-item: neighbours in memory belong to neighbours.
static inline long column_of(const tile_t *t, int c)
{
    return t->j0 + c * t->size + t->lane;
}

// Step p of the work-item's columns. `in_blocks`: all of the sub-group's are there, contiguous.
static inline void load_wei(const gemm_t *gemm, const tile_t *t, __global const WEI_T *wei,
        long wei_k, long wei_n, long p, long n, bool in_blocks, sum_t b[TN])
{
#if BLOCK_READS
    if (in_blocks) {
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            __global const uint *at =
                    (__global const uint *)(wei + p * wei_k + t->j0 + c * t->size);
            b[c] = as_float(intel_sub_group_block_read(at));
        }
        return;
    }
#endif
#pragma unroll
    for (int c = 0; c < TN; ++c) {
        const long j = column_of(t, c);
        b[c] = 0;
        if (j < n) b[c] = gemm_adjust_wei(gemm, WEI_GET(wei, p * wei_k + j * wei_n), p, j);
    }
}

static inline void multiply(const sum_t a[TM], const sum_t b[TN], int q, sum_t acc[TM * TN])
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
        const sum_t x = sub_group_broadcast(a[r], (uint)q);
#pragma unroll
        for (int c = 0; c < TN; ++c) {
#if IS_INT
            acc[r * TN + c] += x * b[c];
#else
            acc[r * TN + c] = fma(x, b[c], acc[r * TN + c]);
#endif
        }
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_subgroup(__global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global void *dst, long dst_off,
        long n, long k, long src_m, long src_k, long wei_k, long wei_n, long dst_m, long dst_n,
        ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch,
        ocl_gemm_batch_t dst_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    const tile_t t = tile_of(&gemm, get_group_id(0), n);
    src += src_off + batch_offset(gemm_batch, src_batch, t.product);
    wei += wei_off + batch_offset(gemm_batch, wei_batch, t.product);
    dst_off += batch_offset(gemm_batch, dst_batch, t.product);
    const bool in_blocks = wei_n == 1 && t.j0 + t.size * TN <= n;
    sum_t acc[TM * TN];
#pragma unroll
    for (int e = 0; e < TM * TN; ++e) acc[e] = 0;
    for (long p0 = 0; p0 < k; p0 += t.size) {
        sum_t a[TM], b[TN];
        load_src(&gemm, &t, src, src_m, src_k, p0 + t.lane, k, a);
        const int depth = (int)min(k - p0, (long)t.size);
        for (int q = 0; q < depth; ++q) {
            load_wei(&gemm, &t, wei, wei_k, wei_n, p0 + q, n, in_blocks, b);
            multiply(a, b, q, acc);
        }
    }
    // The last steps are compiled once, not for every sum.
#pragma unroll 1
    for (int e = 0; e < TM * TN; ++e) {
        const long i = t.i0 + e / TN, j = column_of(&t, e % TN);
        sum_t sum = acc[0];
#pragma unroll
        for (int other = 1; other < TM * TN; ++other) sum = e == other ? acc[other] : sum;
        if (i >= gemm_m || j >= n) continue;
        gemm_row_t row = gemm_row(&gemm, t.product, i);
        gemm_store(&gemm, &row, sum, j, dst, dst_off + i * dst_m + j * dst_n);
    }
}
