// SPDX-License-Identifier: Apache-2.0
// Matrix product for CPU-type devices, where a work-item is a thread of the processor: no local memory,
// work-groups of one work-item. A work-item computes up to ITEM_ROWS rows of a panel of dst, COLS columns
// wide. It converts DEPTH indices of K of the weights to f32 in private memory, where they stay in the L1
// cache, and multiplies them by its rows of src, MAX_ROWS at a time with accumulators in registers.
//
//   src, src_off   f32; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   PANEL_T; panel q, element (p, j) at q·wei_panel + p·wei_k + j: plain weights, or
//                  packed panels (ocl_matmul_pack.cl)
//   dst, dst_off   of type dst_dt; element (i, j) at i·dst_m + j·dst_n
//   n, k           the other sizes; …_batch: strides of the batch dimensions
//   nrows          rows of a work-item, a multiple of MAX_ROWS and at most ITEM_ROWS
// Grid: x = panels, y = ceil(m / nrows), z = products; work-groups of one. Consecutive
//   work-items share rows of src.
// Numerics: f32 sums in the order of k. IS_INT: products of bytes are summed in f32 over DEPTH
//   indices of K, which is exact, and then in s32. With FOLD, partial sums of FOLD indices, which are added
//   up in f32 or s64.
// -D: those of clh/gemm.h; LANES = 4, 8, 16 of a vector, VECTORS of a panel;
//   PANEL = prim__ocl_options_type(); FOLD: 0, or a multiple of 128, and then
//   WIDE_SUMS = 1.
#if !defined(LANES) || !defined(VECTORS) || !defined(PANEL_DT) || !defined(FOLD)
#error "ocl_matmul_packed_cpu needs LANES, VECTORS, PANEL, FOLD"
#endif

#include "clh/always_inline.h"
#include "clh/gemm.h"
#include "clh/group_size.h"
#include "clh/io_vec.h"

#define COLS (LANES * VECTORS)
// Sums in registers: 24 of 32 with 16 lanes, 12 of 16 with fewer.
#define MAX_ROWS ((LANES == 16 && VECTORS > 1 ? 24 : 12) / VECTORS)
// 128 rows of 64 weights leave a third of a first-level cache of 48 KiB to src and the sums; and
// products of bytes sum up exactly in f32, for 255·255·128 < 2^24.
#define DEPTH 128
#define ITEM_ROWS 192

#if LANES == 16
typedef float16 vec_t;
#define VLOAD vload16
#define TO_INT convert_int16
#define VSTORE vstore16
#define PANEL_VLOAD PANEL_LOAD16
#elif LANES == 8
typedef float8 vec_t;
#define VLOAD vload8
#define TO_INT convert_int8
#define VSTORE vstore8
#define PANEL_VLOAD PANEL_LOAD8
#elif LANES == 4
typedef float4 vec_t;
#define VLOAD vload4
#define TO_INT convert_int4
#define VSTORE vstore4
#define PANEL_VLOAD PANEL_LOAD4
#else
#error "LANES is not 4, 8 or 16"
#endif

#if IS_INT
#define START(sums) ((vec_t)(0.0f))
#define FINISH(acc, sums) VSTORE(VLOAD(0, sums) + TO_INT(acc), 0, sums)
#else
#define START(sums) VLOAD(0, sums)
#define FINISH(acc, sums) VSTORE(acc, 0, sums)
#endif

// The block of weights that all rows of a work-item are multiplied by, as f32: [depth][COLS].
static inline void load_weights(
        float *block, __global const PANEL_T *wei, long wei_k, int depth, int width)
{
    if (width == COLS) {
        for (int p = 0; p < depth; ++p) {
#pragma unroll
            for (int v = 0; v < VECTORS; ++v)
                VSTORE(PANEL_VLOAD(wei, p * wei_k + v * LANES), v, block + p * COLS);
        }
        return;
    }
    for (int p = 0; p < depth; ++p) {
        int j = 0;
        for (; j + LANES <= width; j += LANES)
            VSTORE(PANEL_VLOAD(wei, p * wei_k + j), 0, block + p * COLS + j);
        for (; j < width; ++j) block[p * COLS + j] = PANEL_LOAD(wei, p * wei_k + j);
        for (; j < COLS; ++j) block[p * COLS + j] = 0.0f;
    }
}

// sums += Σ_p a(i, p)·b(p, j) over `depth` steps for `nrows` rows, a constant after inlining.
ALWAYS_INLINE void multiply(const int nrows, int depth,
        __global const float *a, long src_m, long src_k, const float *b, sum_t *sums)
{
    vec_t acc[MAX_ROWS][VECTORS];
#pragma unroll
    for (int i = 0; i < nrows; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) acc[i][v] = START(sums + (i * VECTORS + v) * LANES);
    }
    for (int p = 0; p < depth; ++p, a += src_k, b += COLS) {
        vec_t w[VECTORS];
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) w[v] = VLOAD(v, b);
#pragma unroll
        for (int i = 0; i < nrows; ++i) {
            const vec_t x = (vec_t)(a[i * src_m]);
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) acc[i][v] = fma(x, w[v], acc[i][v]);
        }
    }
#pragma unroll
    for (int i = 0; i < nrows; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) FINISH(acc[i][v], sums + (i * VECTORS + v) * LANES);
    }
}

// A row of a panel to dst.
static inline void store_row(const gemm_t *gemm, gemm_row_t *row, const total_t *sums, long j0,
        long n, __global void *dst, long place, long dst_n)
{
    const int cols = (int)min(n - j0, (long)COLS);
#if !IS_INT
    if (cols == COLS && dst_n == 1 && gemm->dst_dt == DT_F32) {
        float x[COLS];
        for (int j = 0; j < COLS; ++j)
            x[j] = gemm_finish(gemm, row, sums[j], j0 + j, dst, place + j);
        for (int v = 0; v < VECTORS; ++v) VSTORE(VLOAD(v, x), v, (__global float *)dst + place);
        return;
    }
#endif
    for (int j = 0; j < cols; ++j) gemm_store(gemm, row, sums[j], j0 + j, dst, place + j * dst_n);
}

#if REGISTERS_SUFFICE(1)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(1, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_packed_cpu(__global const float *src,
        long src_off, __global const PANEL_T *wei, long wei_off, __global void *dst, long dst_off,
        long n, long k, long src_m, long src_k, long wei_panel, long wei_k, long dst_m, long dst_n,
        ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch, ocl_gemm_batch_t dst_batch,
        int nrows GEMM_PARAMS)
{
    GEMM_DECLARE;
    const long j0 = (long)get_global_id(0) * COLS, product = get_global_id(2);
    const long i0 = (long)get_global_id(1) * nrows, end = min(i0 + nrows, gemm_m);
    const int width = (int)min(n - j0, (long)COLS);
    src += src_off + batch_offset(gemm_batch, src_batch, product);
    wei += wei_off + batch_offset(gemm_batch, wei_batch, product) +
           (long)get_global_id(0) * wei_panel;
    dst_off += batch_offset(gemm_batch, dst_batch, product) + j0 * dst_n;
    const int step = gemm_m >= MAX_ROWS ? MAX_ROWS : 1;
    const int nblocks = ((int)(end - i0) + step - 1) / step;
    // Where rows run out the last block starts earlier, and its own rows alone are stored.
    const long last = min(i0 + (nblocks - 1) * step, gemm_m - step);
    __attribute__((aligned(64))) sum_t sums[ITEM_ROWS * COLS];
    __attribute__((aligned(64))) float block[DEPTH * COLS];
    for (int i = 0; i < nblocks * step * VECTORS; ++i) VSTORE((vec_t)(0.0f), i, (float *)sums);
#if FOLD
    total_t totals[ITEM_ROWS * COLS];
    for (int i = 0; i < nblocks * step * COLS; ++i) totals[i] = 0;
#else
#define totals sums
#endif
    for (long p = 0; p < k; p += DEPTH) {
        const int depth = (int)min(k - p, (long)DEPTH);
        load_weights(block, wei + p * wei_k, wei_k, depth, width);
        for (int i = 0; i < nblocks; ++i) {
            __global const float *a = src + min(i0 + i * step, last) * src_m + p * src_k;
            if (step == MAX_ROWS)
                multiply(MAX_ROWS, depth, a, src_m, src_k, block, sums + i * step * COLS);
            else
                multiply(1, depth, a, src_m, src_k, block, sums + i * step * COLS);
        }
#if FOLD
        if ((p + DEPTH) % FOLD != 0 && p + DEPTH < k) continue;
        for (int i = 0; i < nblocks * step * COLS; ++i) {
            totals[i] += sums[i];
            sums[i] = 0;
        }
#endif
    }
    for (long i = i0; i < end; ++i) {
        const int at = (int)(i - i0) / step;
        const long first = min(i0 + at * step, last);
        gemm_row_t row = gemm_row(&gemm, product, i);
        store_row(&gemm, &row, totals + (at * step + (i - first)) * COLS, j0, n, dst,
                dst_off + i * dst_m, dst_n);
    }
}
