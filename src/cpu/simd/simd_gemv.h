// SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a few vectors, read once and as it lies: f32, f16 or bf16 times f32.
#ifndef PRIM_CPU_SIMD_GEMV_H
#define PRIM_CPU_SIMD_GEMV_H

#include "prim/prim_types.h"
#include "simd_level.h"

enum {
    SIMD_GEMV_VECTORS = 2,  ///< at most
    SIMD_GEMV_MULTIPLE = 32 ///< x has a multiple of so many elements, zeros behind the last
};

typedef struct {
    const void *matrix; ///< f32, f16 or bf16
    prim_data_type_t dt;
    prim_dim_t step; ///< elements from one row of the matrix to the next; those of a row are
                     ///< contiguous
    const float *x;  ///< vectors, x_row apart
    prim_dim_t x_row;
    int nvectors;
    float *y; ///< results of the first vector, then of the next, y_row apart
    prim_dim_t y_row;
} simd_gemv_t;

typedef struct {
    /// The order in which `dot` takes n elements of a vector, a multiple of SIMD_GEMV_MULTIPLE.
    void (*arrange)(float *x, prim_data_type_t dt, prim_dim_t n);
    /// y[v][i] = Σ_k matrix[i][k]·x[v][k], i < nrows, k < n
    void (*dot)(const simd_gemv_t *product, prim_dim_t nrows, prim_dim_t n);
    /// y[v][j] = Σ_k matrix[k][j]·x[v][k], k < nrows, j < n
    void (*combine)(const simd_gemv_t *product, prim_dim_t nrows, prim_dim_t n);
} simd_gemv_code_t;

SIMD_DECLARE(simd_gemv_code_t, prim__simd_gemv_code);

#endif
