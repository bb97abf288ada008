// SPDX-License-Identifier: Apache-2.0
// What the vectorised implementations of group and layer normalisation read of an execution, and
// the statistics of a row.
#ifndef PRIM_CPU_SIMD_NORM_H
#define PRIM_CPU_SIMD_NORM_H

#include "simd_convert.h"
#include "simd_rows.h"

/// Forward, without the parameters.
typedef struct {
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    bool are_given; ///< the statistics
    double epsilon;
    float src_scale;
    simd_array_t dst, src;
    float *mean, *variance; ///< inputs or outputs, or NULL
} simd_norm_t;

simd_norm_t prim__simd_norm(const prim_desc_t *pd, const exec_ctx_t *ctx);

typedef struct {
    float mean;
    double variance;
} simd_moments_t;

/// The statistics of n elements, which stand at mean[mean_at] and variance[variance_at]: read where
/// they are given; else computed in two passes, and stored where they are outputs.
simd_moments_t prim__simd_norm_moments(const simd_norm_t *norm, const simd_line_t *line,
        prim_dim_t n, prim_dim_t mean_at, prim_dim_t variance_at);

/// Gradients of group normalisation.
typedef struct {
    const simd_convert_code_t *convert;
    bool are_constants; ///< the statistics
    double epsilon;
    simd_array_t diff_src, diff_dst, src;
    const float *scale, *mean, *variance; ///< scale: or NULL
    float *diff_scale, *diff_shift;       ///< or NULL
} simd_norm_backward_t;

simd_norm_backward_t prim__simd_norm_backward(const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
