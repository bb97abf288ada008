// SPDX-License-Identifier: Apache-2.0
// Matrix products for devices whose work-items are threads of a processor: no local memory, one
// item a group. An item computes a panel of dst, COLS columns wide, twelve rows at a time in
// vectors that stay in registers; the weights lie in panels too, [ceil(n/COLS)][k][COLS], so that
// it reads them in order (ocl_matmul_pack.cl puts them there, if need be).
//
//   src, src_off   f32; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   PANEL_T; panel q, element (p, j) at q·wei_panel + p·COLS + j
//   dst, dst_off   of type dst_dt; element (i, j) at i·dst_m + j·dst_n
//   n, k           the other sizes; …_batch: strides of the batch dimensions
//   nrows          rows of an item, a multiple of 12
// Grid: x = panels, y = ceil(m / nrows), z = products; groups of one.
// Numerics: f32 sums in the order of k. IS_INT: products of bytes are summed in f32 over EXACT
// steps, which is exact, and then in s32. -D: those of clh/gemm.h; LANES = 4, 8, 16 of a vector,
// VECTORS of a panel;
//   PANEL = prim__ocl_options_type().
#if !defined(LANES) || !defined(VECTORS) || !defined(PANEL_DT)
#error "ocl_matmul_rows needs LANES, VECTORS, PANEL"
#endif

#include "clh/gemm.h"
#include "clh/io_vec.h"

#define COLS (LANES * VECTORS)
// As many as 32 registers of a processor with 16 lanes hold; half with the 16 of the others.
#define MAX_ROWS (LANES == 16 ? 12 : 6)
// 255·255·256 < 2^24: that many products of bytes sum up exactly in f32.
#define EXACT 256

#if LANES == 16
typedef float16 vec_t;
#define VLOAD vload16
#define VSTORE vstore16
#define PANEL_VLOAD PANEL_LOAD16
#elif LANES == 8
typedef float8 vec_t;
#define VLOAD vload8
#define VSTORE vstore8
#define PANEL_VLOAD PANEL_LOAD8
#elif LANES == 4
typedef float4 vec_t;
#define VLOAD vload4
#define VSTORE vstore4
#define PANEL_VLOAD PANEL_LOAD4
#else
#error "LANES is not 4, 8 or 16"
#endif

// sums += Σ_p a(i, p)·b(p, j) over `k` steps for `nrows` rows, which must be a constant after
// inlining.
static inline __attribute__((always_inline)) void multiply(const int nrows, long k,
        __global const float *a, long src_m, long src_k, __global const PANEL_T *b,
        sum_t sums[MAX_ROWS][COLS])
{
    vec_t acc[MAX_ROWS][VECTORS];
#pragma unroll
    for (int i = 0; i < nrows; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) acc[i][v] = (vec_t)(0.0f);
    }
    for (long p = 0; p < k; ++p, a += src_k, b += COLS) {
        vec_t w[VECTORS];
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) w[v] = PANEL_VLOAD(b, v * LANES);
#pragma unroll
        for (int i = 0; i < nrows; ++i) {
            const vec_t x = (vec_t)(a[i * src_m]);
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) acc[i][v] = fma(x, w[v], acc[i][v]);
        }
    }
    // Through memory, so that what follows is compiled once and not for every row.
    float out[MAX_ROWS][COLS];
#pragma unroll
    for (int i = 0; i < nrows; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) VSTORE(acc[i][v], v, out[i]);
    }
    for (int i = 0; i < nrows; ++i) {
        for (int j = 0; j < COLS; ++j) sums[i][j] += (sum_t)out[i][j];
    }
}

static inline void multiply_rows(int nrows, long k, __global const float *a, long src_m, long src_k,
        __global const PANEL_T *b, sum_t sums[MAX_ROWS][COLS])
{
    for (int i = 0; i < nrows; ++i) {
        for (int j = 0; j < COLS; ++j) sums[i][j] = 0;
    }
    const long step = IS_INT ? EXACT : k;
    for (long p = 0; p < k; p += step, a += step * src_k, b += step * COLS) {
        const long depth = min(k - p, step);
        if (nrows == MAX_ROWS) {
            multiply(MAX_ROWS, depth, a, src_m, src_k, b, sums);
        } else if (nrows == 4) {
            multiply(4, depth, a, src_m, src_k, b, sums);
        } else {
            multiply(1, depth, a, src_m, src_k, b, sums);
        }
    }
}

// A row of a panel to dst.
static inline void store_row(const gemm_t *gemm, gemm_row_t *row, const sum_t *sums, long j0,
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

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void rows(__global const float *src,
        long src_off, __global const PANEL_T *wei, long wei_off, __global void *dst, long dst_off,
        long n, long k, long src_m, long src_k, long wei_panel, long dst_m, long dst_n,
        long4 src_batch, long4 wei_batch, long4 dst_batch, int nrows GEMM_PARAMS)
{
    GEMM_DECLARE;
    const long j0 = (long)get_global_id(0) * COLS, product = get_global_id(2);
    src += src_off + batch_offset(gemm_batch, src_batch, product);
    wei += wei_off + batch_offset(gemm_batch, wei_batch, product) +
           (long)get_global_id(0) * wei_panel;
    dst_off += batch_offset(gemm_batch, dst_batch, product) + j0 * dst_n;
    const long end = min(((long)get_global_id(1) + 1) * nrows, gemm_m);
    sum_t sums[MAX_ROWS][COLS];
    for (long i = (long)get_global_id(1) * nrows; i < end;) {
        const long left = end - i;
        const int block = left > MAX_ROWS - 4 && gemm_m >= MAX_ROWS ? MAX_ROWS
                          : gemm_m >= 4                             ? 4
                                                                    : 1;
        // Where rows run out a block starts earlier instead, and stores its own rows alone.
        const long first = min(i, gemm_m - block);
        multiply_rows(block, k, src + first * src_m, src_m, src_k, wei, sums);
        const long stop = min(first + block, end);
        for (; i < stop; ++i) {
            gemm_row_t row = gemm_row(&gemm, product, i);
            store_row(&gemm, &row, sums[i - first], j0, n, dst, dst_off + i * dst_m, dst_n);
        }
    }
}
