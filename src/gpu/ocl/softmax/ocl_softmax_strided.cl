// SPDX-License-Identifier: Apache-2.0
// Softmax over an axis that is not contiguous: a work-item takes VEC adjacent elements of the contiguous dimension,
// one of each of VEC rows, and walks along the axis with them.
//
//   nest           loop nest; tensor 0 dst, 1 src; NEST_ROW is the axis, NEST_INNER has both strides 1
//   src, src_off   elements of SRC_T
//   dst, dst_off   elements of DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n              elements along the axis
//   n_inner        extent of the contiguous dimension
//   chunks         ceil(n_inner / VEC)
//   nitems         chunks times the outer loops
//   POST_OPS       without operands
// Grid: x ≥ nitems. Numerics: f32; sums of RUN elements, then their sum. dst of f32 holds e^(x − max)
// between the passes.
// -D: VEC, those of clh/softmax.h.
#include "clh/nest.h"
#include "clh/softmax.h"
#include "clh/vec_math.h"

// Elements added up before their sum joins the row's: long rows keep their digits.
#define RUN 64L

// e^x is kept in dst where nothing is lost by it.
#define KEEPS_EXP (!IS_LOG && DST_DT == DT_F32 && !WITH_POST_OPS)

static inline void finish_vector(const softmax_end_t *end, floatv y, __global DST_T *dst)
{
#if WITH_POST_OPS
    float terms[VEC];
    vstorev(y, terms);
    for (int k = 0; k < VEC; ++k) terms[k] = softmax_finish(end, terms[k], dst + k);
    DST_STOREV(dst, 0, vloadv(terms));
#else
    DST_STOREV(dst, 0, y * end->mul / end->div);
#endif
}

// VEC adjacent rows.
static inline void softmax_vector(__global const SRC_T *src, long src_step, __global DST_T *dst,
        long dst_step, long n, const softmax_end_t *end)
{
    floatv top = (floatv)(-INFINITY), sum = (floatv)(0.0f);
    for (long i = 0; i < n; ++i) top = fmax(top, SRC_LOADV(src, i * src_step));
    for (long first = 0; first < n; first += RUN) {
        floatv part = (floatv)(0.0f);
        for (long i = first; i < min(first + RUN, n); ++i) {
            const floatv e = vec_exp(SRC_LOADV(src, i * src_step) - top);
            part += e;
#if KEEPS_EXP
            DST_STOREV(dst, i * dst_step, e);
#endif
        }
        sum += part;
    }
    const floatv rest = IS_LOG ? log(sum) : (floatv)(1.0f) / sum;
    for (long i = 0; i < n; ++i) {
#if KEEPS_EXP
        const floatv y = vloadv(dst + i * dst_step) * rest;
#elif IS_LOG
        const floatv y = SRC_LOADV(src, i * src_step) - top - rest;
#else
        const floatv y = vec_exp(SRC_LOADV(src, i * src_step) - top) * rest;
#endif
        finish_vector(end, y, dst + i * dst_step);
    }
}

static inline void softmax_scalar(__global const SRC_T *src, long src_step, __global DST_T *dst,
        long dst_step, long n, const softmax_end_t *end)
{
    float top = -INFINITY, sum = 0.0f;
    for (long i = 0; i < n; ++i) top = fmax(top, SRC_LOAD(src, i * src_step));
    for (long first = 0; first < n; first += RUN) {
        float part = 0.0f;
        for (long i = first; i < min(first + RUN, n); ++i)
            part += exp(SRC_LOAD(src, i * src_step) - top);
        sum += part;
    }
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    for (long i = 0; i < n; ++i) {
        const float x = SRC_LOAD(src, i * src_step) - top;
        const float y = IS_LOG ? x - rest : exp(x) * rest;
        DST_STORE(dst, i * dst_step, softmax_finish(end, y, dst + i * dst_step));
    }
}

__kernel void softmax_strided(__constant const ocl_nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n, long n_inner,
        long chunks, long nitems POST_OPS_PARAMS)
{
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const softmax_end_t end = SOFTMAX_END;
    const long outer = div_long(item, chunks), inner = (item - outer * chunks) * VEC;
    const nest_at_t at = nest_at(nest, outer);
    const long src_step = nest->strides[1][NEST_ROW], dst_step = nest->strides[0][NEST_ROW];
    src += src_off + at.offs[1] + inner;
    dst += dst_off + at.offs[0] + inner;
    if (inner + VEC <= n_inner) {
        softmax_vector(src, src_step, dst, dst_step, n, &end);
        return;
    }
    for (long i = 0; inner + i < n_inner; ++i)
        softmax_scalar(src + i, src_step, dst + i, dst_step, n, &end);
}
