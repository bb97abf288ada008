// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of f32, and the maps that softmax and normalisations are made of. Sums have a
// fixed order; callers add those of pieces up to SIMD_ROW in double.
#ifndef PRIM_CPU_SIMD_ROWS_H
#define PRIM_CPU_SIMD_ROWS_H

#include "common/op_desc.h"
#include "simd_level.h"

typedef struct {
    /// The largest; −∞ of none. A NaN may be passed over.
    float (*max)(const float *x, prim_dim_t n);
    /// The largest or smallest; NaN if there is one.
    float (*extreme)(const float *x, bool is_min, prim_dim_t n);
    float (*sum)(const float *x, prim_dim_t n);
    /// No infinity, no NaN.
    bool (*all_finite)(const float *x, prim_dim_t n);
    /// Σ (x − centre)²
    float (*sum_squares)(const float *x, float centre, prim_dim_t n);
    /// out = 2⁶⁴·e^(x − max); returns Σ e^(x − max). out: NULL, or maybe x.
    float (*exp)(float *out, const float *x, float max, prim_dim_t n);
    /// out = e^(x − the largest x)·factor / Σ e^(x − the largest x); out may be x
    void (*softmax)(float *out, const float *x, float factor, prim_dim_t n);
    /// out = x·factor / 2⁶⁴, x ≥ 0
    void (*lower)(float *out, const float *x, float factor, prim_dim_t n);
    /// out = x·factor
    void (*scale)(float *out, const float *x, float factor, prim_dim_t n);
    /// out = ((x − first) − second)·factor
    void (*shift)(
            float *out, const float *x, float first, float second, float factor, prim_dim_t n);
    /// out = (x − zero)·factor / divisor + shift
    void (*quantise)(float *out, const float *x, float zero, float factor, float divisor,
            float shift, prim_dim_t n);
    /// out = (x − mean)·factor·scale + shift; scale and shift, rows or NULL
    void (*normalize)(float *out, const float *x, float mean, float factor, const float *scale,
            const float *shift, prim_dim_t n);
    /// out = (x − mean)·factor + shift
    void (*affine)(float *out, const float *x, float mean, float factor, float shift, prim_dim_t n);
    /// @name By columns: row[i] and its neighbours belong to different sums
    /// @{

    /// max = max(max, x)
    void (*max_columns)(float *max, const float *x, prim_dim_t n);
    /// acc = the larger or smaller of acc and x; NaN if one is
    void (*extreme_columns)(float *acc, const float *x, bool is_min, prim_dim_t n);
    /// out = 2⁶⁴·e^(x − max), sums += out; out may be x
    void (*exp_columns)(float *sums, float *out, const float *x, const float *max, prim_dim_t n);
    /// out = x·factors / 2⁶⁴, x ≥ 0
    void (*lower_columns)(float *out, const float *x, const float *factors, prim_dim_t n);
    /// x = ln x
    void (*log_columns)(float *x, prim_dim_t n);
    /// @}
} simd_rows_code_t;

SIMD_DECLARE(simd_rows_code_t, prim__simd_rows_code);

#endif
