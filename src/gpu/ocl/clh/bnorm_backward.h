// SPDX-License-Identifier: Apache-2.0
// What the typed kernels of batch normalisation's gradients share: y, the gradient of dst behind the fused ReLU, and
// the step from y and src to diff_src, VEC elements at once.
//
//   BNORM_BACKWARD_INPUTS   data; SRC_T src; DIFF_DST_T diff_dst; WS_T ws: 0 where the ReLU cut; each with its `long`
//                           offset. ws is null without WITH_RELU
//   BNORM_BACKWARD_OUTPUTS  DIFF_SRC_T diff_src, may be diff_dst; SRC_T diff_src1, null without WITH_ADDEND
// -D: SRC, DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC = 2, 4, 8, 16, AT_ONCE: vectors that are loaded
// before the first is used, WITH_RELU, WITH_ADDEND.
#ifndef CLH_BNORM_BACKWARD_H
#define CLH_BNORM_BACKWARD_H

#if !defined(SRC_DT) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT)
#error "clh/bnorm_backward.h needs SRC, DIFF_DST, DIFF_SRC, WS"
#endif
#if !defined(AT_ONCE) || !defined(WITH_RELU) || !defined(WITH_ADDEND)
#error "clh/bnorm_backward.h needs AT_ONCE, WITH_RELU, WITH_ADDEND"
#endif

#include "clh/channels.h"
#include "clh/norm.h"
#include "clh/shared/bnorm_backward_data.h"
#include "clh/vec_sum.h"

#define BNORM_BACKWARD_INPUTS \
    __constant const ocl_bnorm_backward_data_t *data, __global const SRC_T *src, long src_off, \
            __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const WS_T *ws, \
            long ws_off
#define BNORM_BACKWARD_OUTPUTS \
    __global DIFF_SRC_T *diff_src, long diff_src_off, __global SRC_T *diff_src1, long diff_src1_off

static inline floatv gradients_at(
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, long i, long ws_i)
{
    floatv y = VEC_FORM(DIFF_DST, LOAD)(diff_dst, i);
#if WITH_RELU
    y = select((floatv)(0.0f), y, WS_LOADV(ws, ws_i) != 0.0f);
#endif
    return y;
}

static inline float gradient_at(
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, long i, long ws_i)
{
#if WITH_RELU
    if (WS_LOAD_INT(ws, ws_i) == 0) return 0.0f;
#endif
    return DIFF_DST_LOAD(diff_dst, i);
}

// diff_src = factor·y − slope·(src − mean) − rest, with the parts of a channel as bnorm_backward_finish leaves them:
// [4, C] of mean, factor, slope, rest.
#define BNORM_PARTS 4

#endif
