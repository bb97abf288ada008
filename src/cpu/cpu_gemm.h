// SPDX-License-Identifier: Apache-2.0
// What the BLAS-like products share: their arguments in one struct, and its checks.
#ifndef PRIM_CPU_GEMM_H
#define PRIM_CPU_GEMM_H

#include "prim/prim_types.h"

/// The shape of C[m, n] = op(A)·op(B). Strides are those of op(A) and op(B).
typedef struct {
    prim_dim_t m, n, k;
    prim_dim_t a_row, a_col, b_row, b_col, c_row;
} cpu_gemm_t;

/// A matrix as the caller passed it.
typedef struct {
    const char *name;
    char trans;            ///< 'N' for C
    prim_dim_t rows, cols; ///< of op(X)
    prim_dim_t ld;
    const void *data;
} cpu_matrix_t;

/// Checks the arguments of `function` and fills in the shape.
prim_status_t prim__cpu_gemm_init(cpu_gemm_t *gemm, const char *function, const cpu_matrix_t *a,
        const cpu_matrix_t *b, const cpu_matrix_t *c);

#endif
