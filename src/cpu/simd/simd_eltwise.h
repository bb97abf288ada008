// SPDX-License-Identifier: Apache-2.0
// Eltwise functions and their derivatives on rows of f32.
#ifndef PRIM_CPU_SIMD_ELTWISE_H
#define PRIM_CPU_SIMD_ELTWISE_H

#include "common/op_desc.h"
#include "simd_level.h"

typedef struct {
    prim_alg_kind_t alg;
    float alpha, beta;
} simd_eltwise_t;

typedef struct {
    /// out[i] = f(x[i]); out may be x.
    void (*forward)(const simd_eltwise_t *f, float *out, const float *x, prim_dim_t n);
    /// out[i] = y[i]·f'(x[i]); out may be x or y. x are values of f where the algorithm takes dst.
    void (*backward)(
            const simd_eltwise_t *f, float *out, const float *y, const float *x, prim_dim_t n);
} simd_eltwise_code_t;

SIMD_DECLARE(simd_eltwise_code_t, prim__simd_eltwise_code);

#endif
