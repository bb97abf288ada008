// SPDX-License-Identifier: Apache-2.0
// Rows of f32 that gradients of softmax, normalisations and prelu are made of: y the gradient of
// dst, x src or dst. Sums have a fixed order; callers add those of pieces up to SIMD_ROW in double.
#ifndef PRIM_CPU_SIMD_GRADIENTS_H
#define PRIM_CPU_SIMD_GRADIENTS_H

#include "common/op_desc.h"
#include "simd_level.h"

/// What maps y and x to the gradient of src: y·scale·factor − shift − (x − mean)·slope.
typedef struct {
    float mean, factor, shift, slope;
} simd_gradient_map_t;

/// Σ g and Σ g·(x − mean).
typedef struct {
    float gradients, products;
} simd_gradient_sums_t;

typedef struct {
    /// Σ y·x
    float (*dot)(const float *y, const float *x, prim_dim_t n);
    /// out = x·(y − sum); out may be x or y
    void (*softmax)(float *out, const float *y, const float *x, float sum, prim_dim_t n);
    /// out = y − e^x·sum; out may be x or y
    void (*log_softmax)(float *out, const float *y, const float *x, float sum, prim_dim_t n);
    /// The sums of a row with g = y·scale; scale: a row, or NULL
    simd_gradient_sums_t (*sum)(
            const float *y, const float *x, const float *scale, float mean, prim_dim_t n);
    /// scale: a row, or NULL; out may be x or y
    void (*map)(float *out, const float *y, const float *x, const float *scale,
            const simd_gradient_map_t *map, prim_dim_t n);
    /// out = x > 0 ? y : y·slope; returns Σ y·x where x is not positive; out may be x or y
    float (*prelu)(float *out, const float *y, const float *x, float slope, prim_dim_t n);
    /// @name By columns: row[i] and its neighbours belong to different sums
    /// @{

    /// sums += y·x, or y where x is NULL
    void (*dot_columns)(float *sums, const float *y, const float *x, prim_dim_t n);
    void (*softmax_columns)(
            float *out, const float *y, const float *x, const float *sums, prim_dim_t n);
    void (*log_softmax_columns)(
            float *out, const float *y, const float *x, const float *sums, prim_dim_t n);
    /// gradients += y, products += y·((x − mean)·factor)
    void (*sum_columns)(float *gradients, float *products, const float *y, const float *x,
            float mean, float factor, prim_dim_t n);
    /// The same as prelu, with sums += y·x where x is not positive
    void (*prelu_columns)(float *sums, float *out, const float *y, const float *x,
            const float *slopes, prim_dim_t n);
    /// @}
} simd_gradients_code_t;

SIMD_DECLARE(simd_gradients_code_t, prim__simd_gradients_code);

#endif
