// SPDX-License-Identifier: Apache-2.0
// A second build of simd_gemm.c: tiles_in_c() gives it micro-kernels. What these need is here in
// plain C.
#ifndef TESTS_SIMD_GEMM_IN_C_H
#define TESTS_SIMD_GEMM_IN_C_H

#define prim__simd_gemm_choose tiles_in_c
#define prim__simd_gemm_shape in_c_shape
#define prim__simd_gemm_scratch_bytes in_c_scratch_bytes
#define prim__simd_gemm_most_scratch_bytes in_c_most_scratch_bytes
#define prim__simd_gemm_strip_row in_c_strip_row
#define prim__simd_gemm_strip_bytes in_c_strip_bytes
#define prim__simd_gemm_serial in_c_serial
#define prim__simd_gemm_grid in_c_grid
#define prim__simd_gemm_part in_c_part
#define prim__simd_gemm_run in_c_run
#include "cpu/simd/simd_gemm.c" // NOLINT: another build of it
#include "cpu/simd/simd_gemm_levels.h"
#undef prim__simd_gemm_choose

/// As the plain kernels use it: 16 words at a time.
static void transpose_words(const void *src, prim_dim_t row_bytes, int count, prim_dim_t depth,
        float *panel, int width, int wanted)
{
    for (prim_dim_t p = 0; p < depth; ++p) {
        for (int r = 0; r < wanted; ++r) {
            float word = 0.F;
            if (r < count) memcpy(&word, (const char *)src + r * row_bytes + p * 4, sizeof word);
            memcpy(&panel[p * width + r], &word, sizeof word);
        }
    }
}

static void add_columns_in_c(prim_dim_t k, const float *b, prim_dim_t b_row, int32_t *sums)
{
    for (prim_dim_t p = 0; p < k; ++p) {
        for (int j = 0; j < 32; ++j) {
            int8_t bytes[4];
            memcpy(bytes, b + p * b_row + j, sizeof bytes);
            sums[j] += bytes[0] + bytes[1] + bytes[2] + bytes[3];
        }
    }
}

static void settle_in_c(
        float *row, const int32_t *column_sums, int64_t offset, bool to_float, int n)
{
    for (int j = 0; j < n; ++j) {
        int32_t sum;
        memcpy(&sum, &row[j], sizeof sum);
        sum -= (int32_t)offset * column_sums[j];
        memcpy(&row[j], &sum, sizeof sum);
        if (to_float) row[j] = (float)sum;
    }
}

#endif
