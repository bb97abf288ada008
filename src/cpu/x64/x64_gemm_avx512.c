// SPDX-License-Identifier: Apache-2.0
// The f32 matrix product's register tile with AVX-512: 14 rows of two vectors, 28 of 32 registers.
#include "x64_gemm_kernel.h"

#if PRIM_X64

enum { MR = 14, VECTORS = 2, LANES = 16, NR = VECTORS * LANES };

// `masks` are the wanted lanes of each vector; loads of B are masked too, since B need not be in
// panels and its last row may end where the memory does.
X64_INLINE X64_AVX512 void tile(const int rows, const int vectors, prim_dim_t k, const float *a,
        const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row, const __mmask16 *masks,
        bool accumulates)
{
    __m512 acc[MR][VECTORS];
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) acc[i][v] = _mm512_setzero_ps();
    }
    for (prim_dim_t p = 0; p < k; ++p) {
        __m512 bs[VECTORS];
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) bs[v] = _mm512_maskz_loadu_ps(masks[v], b + v * LANES);
        X64_UNROLL
        for (int i = 0; i < rows; ++i) {
            const __m512 x = _mm512_set1_ps(a[i]);
            X64_UNROLL
            for (int v = 0; v < vectors; ++v) acc[i][v] = _mm512_fmadd_ps(x, bs[v], acc[i][v]);
        }
        a += MR;
        b += b_row;
    }
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) {
            float *const out = c + i * c_row + v * LANES;
            __m512 x = acc[i][v];
            if (accumulates) x = _mm512_add_ps(_mm512_maskz_loadu_ps(masks[v], out), x);
            _mm512_mask_storeu_ps(out, masks[v], x);
        }
    }
}

X64_INLINE X64_AVX512 void tile_of_rows(int rows, const int vectors, prim_dim_t k, const float *a,
        const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row, const __mmask16 *masks,
        bool accumulates)
{
    switch (rows) {
    case 1: tile(1, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 2: tile(2, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 3: tile(3, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 4: tile(4, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 5: tile(5, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 6: tile(6, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 7: tile(7, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 8: tile(8, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 9: tile(9, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 10: tile(10, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 11: tile(11, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 12: tile(12, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 13: tile(13, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    default: tile(14, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    }
}

X64_AVX512 static void kernel(prim_dim_t k, const float *a, const float *b, prim_dim_t b_row,
        float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    const __mmask16 all = 0xFFFF;
    const __mmask16 part = (__mmask16)((1U << (cols % LANES)) - 1U);
    const __mmask16 last = cols % LANES == 0 ? all : part;
    if (cols > LANES) {
        const __mmask16 masks[VECTORS] = {all, last};
        tile_of_rows(rows, 2, k, a, b, b_row, c, c_row, masks, accumulates);
    } else {
        const __mmask16 masks[VECTORS] = {last, 0};
        tile_of_rows(rows, 1, k, a, b, b_row, c, c_row, masks, accumulates);
    }
}

// Four rounds of a 16 × 16 transposition: pairs of lanes, of pairs, of quarters, of halves.
X64_INLINE X64_AVX512 void transpose_16x16(__m512 x[LANES])
{
    __m512 y[LANES];
    X64_UNROLL
    for (int i = 0; i < LANES; i += 2) {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    X64_UNROLL
    for (int i = 0; i < LANES; i += 4) {
        x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xEE);
        x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
    }
    X64_UNROLL
    for (int i = 0; i < 4; ++i) {
        y[i] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0xDD);
        y[i + 8] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0x88);
        y[i + 12] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0xDD);
    }
    X64_UNROLL
    for (int i = 0; i < 4; ++i) {
        x[i] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0x88);
        x[i + 8] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0xDD);
        x[i + 4] = _mm512_shuffle_f32x4(y[i + 4], y[i + 12], 0x88);
        x[i + 12] = _mm512_shuffle_f32x4(y[i + 4], y[i + 12], 0xDD);
    }
}

X64_AVX512 static void transpose_lanes(const float *src, prim_dim_t src_row, int count,
        prim_dim_t depth, float *panel, int width, int wanted)
{
    const __mmask16 out = (__mmask16)((1U << wanted) - 1U);
    for (prim_dim_t p = 0; p < depth; p += LANES) {
        const int np = depth - p < LANES ? (int)(depth - p) : LANES;
        const __mmask16 in = (__mmask16)((1U << np) - 1U);
        __m512 x[LANES];
        X64_UNROLL
        for (int r = 0; r < LANES; ++r) {
            x[r] = _mm512_maskz_loadu_ps(
                    r < count ? in : 0, r < count ? src + r * src_row + p : src);
        }
        transpose_16x16(x);
        X64_UNROLL
        for (int q = 0; q < LANES; ++q) {
            if (q < np) _mm512_mask_storeu_ps(panel + (p + q) * width, out, x[q]);
        }
    }
}

const x64_gemm_code_t prim__x64_gemm_avx512 = {
        .shape = {.mr = MR, .nr = NR, .mc = 24 * MR, .nc = 32 * NR, .kc = 256},
        .kernel = kernel,
        .lanes = LANES,
        .transpose = transpose_lanes,
};

#endif
