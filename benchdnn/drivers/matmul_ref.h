// SPDX-License-Identifier: Apache-2.0
// The matrix product of benchdnn itself, in double, over dense row-major tensors.
#ifndef BENCH_MATMUL_REF_H
#define BENCH_MATMUL_REF_H

#include <prim/prim.h>

typedef struct {
    int ndims;
    prim_dims_t src_dims, wei_dims, bias_dims, dst_dims;
    const double *src, *wei; ///< zero points and scales applied
    const double *bias;      ///< NULL: none
    double *dst;
} matmul_ref_t;

/// dst(…, m, n) = bias(…, m, n) + Σ_k src(…, m, k)·wei(…, k, n); dimensions of 1 are broadcast.
void matmul_ref(const matmul_ref_t *run);

#endif
