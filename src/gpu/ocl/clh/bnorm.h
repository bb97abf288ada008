// SPDX-License-Identifier: Apache-2.0
// What the typed kernels of batch normalisation share: the data, and the step from a difference to
// the stored element, VEC elements at once.
//
//   BNORM_PARAMS    src … ws as kernel parameters: SRC_T src, addend; f32 scale, shift [C]; DST_T
//                   dst; WS_T ws; each with its `long` offset. What a problem has not is null.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC, WITH_ADDEND, WITH_RELU, WITH_WS, those of
// clh/post_ops.h.
#ifndef CLH_BNORM_H
#define CLH_BNORM_H

#if !defined(SRC_DT) || !defined(DST_DT) || !defined(WS_DT) || !defined(WITH_ADDEND) \
        || !defined(WITH_RELU) || !defined(WITH_WS)
#error "clh/bnorm.h needs SRC, DST, WS, WITH_ADDEND, WITH_RELU, WITH_WS"
#endif

#include "clh/channels.h"
#include "clh/moments.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/bnorm_data.h"
#include "clh/vec.h"

#define BNORM_PARAMS \
    __global const SRC_T *src, long src_off, __global const SRC_T *addend, long addend_off, \
            __global const float *scale, long scale_off, __global const float *shift, \
            long shift_off, __global DST_T *dst, long dst_off, __global WS_T *ws, long ws_off

#if WITH_POST_OPS
static inline float bnorm_chain_one(const post_ops_t *po, float x)
{
    return post_ops_apply(po, x, 0, 0, 0);
}

static inline floatv bnorm_chain(const post_ops_t *po, floatv x)
{
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC; ++i) values[i] = bnorm_chain_one(po, values[i]);
    return vloadv(values);
}
#define BNORM_CHAIN(x) bnorm_chain(&po, x)
#define BNORM_CHAIN_ONE(x) bnorm_chain_one(&po, x)
#define BNORM_CHAIN_PARAM , const post_ops_t *chain
#define BNORM_CHAIN_ARG , &po    // from a kernel
#define BNORM_CHAIN_PASS , chain // from a function that has it
#else
#define BNORM_CHAIN(x) (x)
#define BNORM_CHAIN_ONE(x) (x)
#define BNORM_CHAIN_PARAM
#define BNORM_CHAIN_ARG
#define BNORM_CHAIN_PASS
#endif

// The steps behind the normalisation of a vector: the addend, relu, whose mask goes to ws, and the post-ops. The vectors
// start at elements addend_at and ws_at.
static inline floatv bnorm_last_steps(floatv x, __global const SRC_T *addend, long addend_at, __global WS_T *ws,
        long ws_at BNORM_CHAIN_PARAM)
{
#if WITH_ADDEND
    x += SRC_LOADV(addend, addend_at);
#endif
#if WITH_RELU
    const intv is_positive = x > 0.0f;
    x = select((floatv)0.0f, x, is_positive);
#if WITH_WS
    WS_STOREV(ws, ws_at, to_floatv(select((intv)0, (intv)1, is_positive)));
#endif
#endif
#if WITH_POST_OPS
    x = bnorm_chain(chain, x);
#endif
    return x;
}

#endif
