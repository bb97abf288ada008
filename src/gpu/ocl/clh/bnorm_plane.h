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

// The same of one element.
static inline void normalize_loaded_one(const plane_t *p, int i, float x, affine_t a BNORM_CHAIN_PARAM)
{
    x = (x - a.mean) * a.factor + a.shift;
#if WITH_ADDEND
    x += SRC_LOAD(p->addend, i);
#endif
#if WITH_RELU
    const bool is_positive = x > 0.0f;
    x = is_positive ? x : 0.0f;
#if WITH_WS
    WS_STORE_INT(p->ws, i, is_positive);
#endif
#endif
#if WITH_POST_OPS
    x = bnorm_chain_one(chain, x);
#endif
    DST_STORE(p->dst, i, x);
}

static inline void normalize_one(const plane_t *p, int i, affine_t a BNORM_CHAIN_PARAM)
{
    normalize_loaded_one(p, i, SRC_LOAD(p->src, i), a BNORM_CHAIN_PASS);
}

static inline affine_t affine_of(__constant const ocl_bnorm_data_t *data, float mean, float variance,
        __global const float *scale, __global const float *shift, int c)
{
    affine_t a = {mean, inverse_deviation(variance, data->epsilon), 0.0f};
    if (data->has_scale) a.factor *= scale[c];
    if (data->has_shift) a.shift = shift[c];
    return a;
}

#endif
