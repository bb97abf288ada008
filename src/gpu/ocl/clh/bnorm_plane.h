// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of vectors of VEC adjacent elements of a plane: from the loaded to the stored element.
// -D: those of clh/bnorm.h.
#ifndef CLH_BNORM_PLANE_H
#define CLH_BNORM_PLANE_H

#include "clh/bnorm.h"
#include "clh/vec_sum.h"

// dst = (src − mean)·factor + shift
typedef struct {
    float mean, factor, shift;
} affine_t;

// Where a plane starts in each tensor.
typedef struct {
    __global const SRC_T *src, *addend;
    __global DST_T *dst;
    __global WS_T *ws;
} plane_t;

// The element that dst gets for src's x, from element i of a plane on; ws is written.
static inline floatv normalized(const plane_t *p, int i, floatv x, affine_t a BNORM_CHAIN_PARAM)
{
    x = (x - a.mean) * a.factor + a.shift;
    return bnorm_last_steps(x, p->addend, i, p->ws, i BNORM_CHAIN_PASS);
}

static affine_t affine_of(__constant const ocl_bnorm_data_t *data, float mean, float variance,
        __global const float *scale, __global const float *shift, int c)
{
    affine_t a = {mean, inverse_deviation(variance, data->epsilon), 0.0f};
    if (data->has_scale) a.factor *= scale[c];
    if (data->has_shift) a.shift = shift[c];
    return a;
}

#endif
