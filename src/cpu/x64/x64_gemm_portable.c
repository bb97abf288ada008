// SPDX-License-Identifier: Apache-2.0
// The f32 matrix product's register tile in plain C, for processors without known vectors.
#include "x64_gemm_kernel.h"

enum { MR = 4, NR = 8 };

static void store(
        float acc[MR][NR], float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
            float *const element = &c[i * c_row + j];
            *element = accumulates ? *element + acc[i][j] : acc[i][j];
        }
    }
}

static void kernel(prim_dim_t k, const float *a, const float *b, prim_dim_t b_row, float *c,
        prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    float acc[MR][NR] = {{0}};
    for (prim_dim_t p = 0; p < k; ++p) {
        float bs[NR] = {0};
        for (int j = 0; j < cols; ++j) bs[j] = b[p * b_row + j];
        for (int i = 0; i < MR; ++i) {
            for (int j = 0; j < NR; ++j) acc[i][j] += a[p * MR + i] * bs[j];
        }
    }
    store(acc, c, c_row, rows, cols, accumulates);
}

static void transpose_lanes(const void *src, prim_dim_t row_bytes, int count, prim_dim_t depth,
        float *panel, int width, int wanted)
{
    for (prim_dim_t p = 0; p < depth; ++p) {
        for (int r = 0; r < wanted; ++r) {
            const float *const row =
                    (const float *)(const void *)((const char *)src + r * row_bytes);
            panel[p * width + r] = r < count ? row[p] : 0.0F;
        }
    }
}

const x64_gemm_code_t prim__x64_gemm_portable = {
        .shape = {.mr = MR, .nr = NR, .mc = 64, .nc = 512, .kc = 256},
        .kernel = kernel,
        .lanes = MR > NR ? MR : NR,
        .transpose = transpose_lanes,
};
