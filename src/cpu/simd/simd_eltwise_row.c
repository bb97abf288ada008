// SPDX-License-Identifier: Apache-2.0
// Eltwise post-ops on rows of f32: the simple algorithms as loops that the compiler vectorises, the
// others by the functions of src/cpu/simd.
#include "simd_eltwise_row.h"

#include "simd_eltwise.h"

static float hardsigmoid(float x, float alpha, float beta)
{
    const float y = alpha * x + beta;
    const float above = y < 0.0F ? 0.0F : y;
    return above > 1.0F ? 1.0F : above;
}

void prim__simd_eltwise_row(const post_op_t *step, float *row, prim_dim_t n)
{
    const float alpha = step->alpha, beta = step->beta;
    switch (step->alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD:
        for (prim_dim_t j = 0; j < n; ++j) row[j] = row[j] > 0.0F ? row[j] : alpha * row[j];
        return;
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD:
        for (prim_dim_t j = 0; j < n; ++j) {
            const float above = row[j] < alpha ? alpha : row[j];
            row[j] = above > beta ? beta : above;
        }
        return;
    case PRIM_ELTWISE_LINEAR:
        for (prim_dim_t j = 0; j < n; ++j) row[j] = alpha * row[j] + beta;
        return;
    case PRIM_ELTWISE_HARDSIGMOID:
        for (prim_dim_t j = 0; j < n; ++j) row[j] = hardsigmoid(row[j], alpha, beta);
        return;
    case PRIM_ELTWISE_HARDSWISH:
        for (prim_dim_t j = 0; j < n; ++j) row[j] *= hardsigmoid(row[j], alpha, beta);
        return;
    case PRIM_ELTWISE_SQUARE:
        for (prim_dim_t j = 0; j < n; ++j) row[j] *= row[j];
        return;
    default:
        SIMD_CHOOSE(prim__simd_eltwise_code)
                ->forward(&(simd_eltwise_t){step->alg, alpha, beta}, row, row, n);
    }
}
