// SPDX-License-Identifier: Apache-2.0
// The arguments of normalisations at execution, and the statistics of a row.
#include "simd_norm.h"

#include "common/int_math.h"
#include "simd_chain.h"

simd_norm_t prim__simd_norm(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    return (simd_norm_t){.convert = SIMD_CHOOSE(prim__simd_convert_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .are_given = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .epsilon = (double)pd->op.u.norm.epsilon,
            .src_scale = prim__simd_scale(pd, ctx, PRIM_ARG_SRC),
            .dst = prim__simd_array(pd, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(pd, ctx, PRIM_ARG_SRC),
            .mean = prim__simd_values(pd, ctx, PRIM_ARG_MEAN),
            .variance = prim__simd_values(pd, ctx, PRIM_ARG_VARIANCE)};
}

/// The mean of (x − centre)^power over n elements.
static double moment(const simd_rows_code_t *rows, const simd_line_t *line, prim_dim_t n,
        float centre, int power)
{
    double sum = 0;
    for (prim_dim_t at = 0; at < n; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t count = prim__min(n - at, SIMD_ROW);
        const float *const x = prim__simd_line_piece(line, room, at, count);
        sum += (double)(power == 1 ? rows->sum(x, count) : rows->sum_squares(x, centre, count));
    }
    return sum / (double)n;
}

simd_moments_t prim__simd_norm_moments(const simd_norm_t *norm, const simd_line_t *line,
        prim_dim_t n, prim_dim_t mean_at, prim_dim_t variance_at)
{
    if (norm->are_given)
        return (simd_moments_t){norm->mean[mean_at], (double)norm->variance[variance_at]};
    simd_moments_t moments = {.mean = (float)moment(norm->rows, line, n, 0, 1)};
    moments.variance = moment(norm->rows, line, n, moments.mean, 2);
    if (norm->mean) {
        norm->mean[mean_at] = moments.mean;
        norm->variance[variance_at] = (float)moments.variance;
    }
    return moments;
}

simd_norm_backward_t prim__simd_norm_backward(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    return (simd_norm_backward_t){.convert = SIMD_CHOOSE(prim__simd_convert_code),
            .are_constants = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .epsilon = (double)pd->op.u.norm.epsilon,
            .diff_src = prim__simd_array(pd, ctx, PRIM_ARG_DIFF_SRC),
            .diff_dst = prim__simd_array(pd, ctx, PRIM_ARG_DIFF_DST),
            .src = prim__simd_array(pd, ctx, PRIM_ARG_SRC),
            .scale = prim__simd_values(pd, ctx, PRIM_ARG_SCALE),
            .mean = prim__simd_values(pd, ctx, PRIM_ARG_MEAN),
            .variance = prim__simd_values(pd, ctx, PRIM_ARG_VARIANCE),
            .diff_scale = prim__simd_values(pd, ctx, PRIM_ARG_DIFF_SCALE),
            .diff_shift = prim__simd_values(pd, ctx, PRIM_ARG_DIFF_SHIFT)};
}
