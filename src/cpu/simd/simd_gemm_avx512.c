// SPDX-License-Identifier: Apache-2.0
// Transposition of words with AVX-512, for the panels of every matrix product.
#include "simd_gemm_kernel.h"

enum { LANES = 16 };

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

X64_AVX512 void prim__simd_gemm_transpose_avx512(const void *src, prim_dim_t row_bytes, int count,
        prim_dim_t depth, float *panel, int width, int wanted)
{
    const __mmask16 out = (__mmask16)((1U << wanted) - 1U);
    for (prim_dim_t p = 0; p < depth; p += LANES) {
        const int np = depth - p < LANES ? (int)(depth - p) : LANES;
        const __mmask16 in = (__mmask16)((1U << np) - 1U);
        __m512 x[LANES];
        X64_UNROLL
        for (int r = 0; r < LANES; ++r) {
            const char *const row = (const char *)src + (r < count ? r * row_bytes + p * 4 : 0);
            x[r] = _mm512_maskz_loadu_ps(r < count ? in : 0, row);
        }
        transpose_16x16(x);
        X64_UNROLL
        for (int q = 0; q < LANES; ++q) {
            if (q < np) _mm512_mask_storeu_ps(panel + (p + q) * width, out, x[q]);
        }
    }
}
