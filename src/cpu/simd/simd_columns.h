// SPDX-License-Identifier: Apache-2.0
// Maps and sums of rows of f32 in which each element has values of its own: those of its channel,
// where channels are innermost. All rows have n elements; out may be an input.
#ifndef PRIM_CPU_SIMD_COLUMNS_H
#define PRIM_CPU_SIMD_COLUMNS_H

#include "common/op_desc.h"
#include "simd_level.h"

/// Tables of `differentiate`.
enum { SIMD_COLUMNS_MEAN, SIMD_COLUMNS_FACTOR, SIMD_COLUMNS_SHIFT, SIMD_COLUMNS_SLOPE };

typedef struct {
    /// sums += x
    void (*add)(float *sums, const float *x, prim_dim_t n);
    /// sums += (x − mean)²
    void (*add_squares)(float *sums, const float *x, const float *mean, prim_dim_t n);
    /// sums += x − mean, squares += (x − mean)²
    void (*add_moments)(
            float *sums, float *squares, const float *x, const float *mean, prim_dim_t n);
    /// gradients += y, products += y·(x − mean)
    void (*add_gradients)(float *gradients, float *products, const float *y, const float *x,
            const float *mean, prim_dim_t n);
    /// out = (x − mean)·factor + shift
    void (*normalize)(float *out, const float *x, const float *mean, const float *factor,
            const float *shift, prim_dim_t n);
    /// out = mask ? y : 0
    void (*mask)(float *out, const float *y, const uint8_t *mask, prim_dim_t n);
    /// out = max(out, 0)
    void (*clamp)(float *out, prim_dim_t n);
    /// out = y·factor − shift − (x − mean)·slope
    void (*differentiate)(
            float *out, const float *y, const float *x, const float *const *tables, prim_dim_t n);
} simd_columns_code_t;

SIMD_DECLARE(simd_columns_code_t, prim__simd_columns_code);

#endif
