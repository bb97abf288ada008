// SPDX-License-Identifier: Apache-2.0
// The f32 matrix product's register tile with AVX2 and FMA: 6 rows of two vectors, 12 of 16
// registers.
#include "simd_gemm_kernel.h"

enum { MR = 6, VECTORS = 2, LANES = 8, NR = VECTORS * LANES };

X64_INLINE X64_AVX2 __m256 load(const float *from, __m256i mask, bool is_whole)
{
    return is_whole ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask);
}

X64_INLINE X64_AVX2 void store(float *to, __m256i mask, bool is_whole, __m256 x)
{
    if (is_whole) {
        _mm256_storeu_ps(to, x);
    } else {
        _mm256_maskstore_ps(to, mask, x);
    }
}

// `mask` are the wanted lanes of the last vector unless it is whole; the ones before are whole.
X64_INLINE X64_AVX2 void tile(const int rows, const int vectors, const bool is_whole, prim_dim_t k,
        const float *a, const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row, __m256i mask,
        bool accumulates)
{
    __m256 acc[MR][VECTORS];
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) acc[i][v] = _mm256_setzero_ps();
    }
    for (prim_dim_t p = 0; p < k; ++p) {
        __m256 bs[VECTORS];
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) {
            bs[v] = load(b + v * LANES, mask, is_whole || v + 1 < vectors);
        }
        X64_UNROLL
        for (int i = 0; i < rows; ++i) {
            const __m256 x = _mm256_broadcast_ss(a + i);
            X64_UNROLL
            for (int v = 0; v < vectors; ++v) acc[i][v] = _mm256_fmadd_ps(x, bs[v], acc[i][v]);
        }
        a += MR;
        b += b_row;
    }
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) {
            float *const out = c + i * c_row + v * LANES;
            const bool all = is_whole || v + 1 < vectors;
            __m256 x = acc[i][v];
            if (accumulates) x = _mm256_add_ps(load(out, mask, all), x);
            store(out, mask, all, x);
        }
    }
}

X64_INLINE X64_AVX2 void tile_of_rows(int rows, const int vectors, const bool is_whole,
        prim_dim_t k, const float *a, const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row,
        __m256i mask, bool accumulates)
{
    switch (rows) {
    case 1: tile(1, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    case 2: tile(2, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    case 3: tile(3, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    case 4: tile(4, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    case 5: tile(5, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    default: tile(6, vectors, is_whole, k, a, b, b_row, c, c_row, mask, accumulates); return;
    }
}

X64_AVX2 static void kernel(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b,
        prim_dim_t b_row, float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    (void)a_row; // columns of a panel follow each other
    const int rest = cols % LANES;
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(rest), lane);
    if (cols > LANES && rest == 0) {
        tile_of_rows(rows, 2, true, k, a, b, b_row, c, c_row, mask, accumulates);
    } else if (cols > LANES) {
        tile_of_rows(rows, 2, false, k, a, b, b_row, c, c_row, mask, accumulates);
    } else if (rest == 0) {
        tile_of_rows(rows, 1, true, k, a, b, b_row, c, c_row, mask, accumulates);
    } else {
        tile_of_rows(rows, 1, false, k, a, b, b_row, c, c_row, mask, accumulates);
    }
}

// Three rounds of an 8 × 8 transposition: pairs of lanes, of pairs, of halves.
X64_INLINE X64_AVX2 void transpose_8x8(__m256 x[LANES])
{
    __m256 y[LANES];
    X64_UNROLL
    for (int i = 0; i < LANES; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    X64_UNROLL
    for (int i = 0; i < LANES; i += 4) {
        x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xEE);
        x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
    }
    X64_UNROLL
    for (int i = 0; i < 4; ++i) {
        y[i] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x20);
        y[i + 4] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x31);
    }
    X64_UNROLL
    for (int i = 0; i < LANES; ++i) x[i] = y[i];
}

X64_AVX2 static void transpose_lanes(const void *src, prim_dim_t row_bytes, int count,
        prim_dim_t depth, float *panel, int width, int wanted)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i out = _mm256_cmpgt_epi32(_mm256_set1_epi32(wanted), lane);
    for (prim_dim_t p = 0; p < depth; p += LANES) {
        const int np = depth - p < LANES ? (int)(depth - p) : LANES;
        const __m256i in = _mm256_cmpgt_epi32(_mm256_set1_epi32(np), lane);
        __m256 x[LANES];
        X64_UNROLL
        for (int r = 0; r < LANES; ++r) {
            const char *const row = (const char *)src + r * row_bytes + p * 4;
            x[r] = r < count ? _mm256_maskload_ps((const float *)(const void *)row, in)
                             : _mm256_setzero_ps();
        }
        transpose_8x8(x);
        X64_UNROLL
        for (int q = 0; q < LANES; ++q) {
            if (q < np) _mm256_maskstore_ps(panel + (p + q) * width, out, x[q]);
        }
    }
}

const simd_gemm_code_t prim__simd_gemm_avx2 = {
        .shape = {.mr = MR, .nr = NR, .mc = 24 * MR, .nc = 32 * NR, .kc = 256},
        .kernel = kernel,
        .products = 16,
        .lanes = LANES,
        .transpose = transpose_lanes,
};
