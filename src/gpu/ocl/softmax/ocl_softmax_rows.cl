// SPDX-License-Identifier: Apache-2.0
// Softmax along the innermost dimension, rows one after the other in an item, vectors along the row:
// for devices that run an item on a core with SIMD units, and for very short rows.
//
//   nest           loops outside the axis; tensor 0 dst, 1 src
//   src, src_off   rows of [n] SRC_T
//   dst, dst_off   rows of [n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n              elements of a row
//   per_item       rows of an item
//   nrows          all rows
//   POST_OPS       without operands
// Grid: x ≥ ceil(nrows / per_item). Numerics: f32; sums of RUN vectors, then their sum, then its
// lanes'. f32 destinations hold e^(x − max) between the passes.
// -D: VEC, those of clh/softmax.h.
#include "clh/nest.h"
#include "clh/softmax.h"
#include "clh/vec_math.h"

// Vectors added up before their sum joins the row's: long rows keep their digits.
#define RUN 64L

// e^x is kept in dst where nothing is lost by it.
#define KEEPS_EXP (!IS_LOG && DST_DT == DT_F32 && !WITH_POST_OPS)

static inline float row_max(__global const SRC_T *src, long n)
{
    floatv tops = (floatv)(-INFINITY);
    long i = 0;
    for (; i + VEC <= n; i += VEC) tops = fmax(tops, SRC_LOADV(src, i));
    float top = vec_max(tops);
    for (; i < n; ++i) top = fmax(top, SRC_LOAD(src, i));
    return top;
}

static inline float row_sum(__global const SRC_T *src, __global DST_T *dst, long n, float top)
{
    floatv sums = (floatv)(0.0f);
    long i = 0;
    while (i + VEC <= n) {
        floatv part = (floatv)(0.0f);
        for (const long end = min(i + RUN * VEC, n); i + VEC <= end; i += VEC) {
            const floatv e = vec_exp(SRC_LOADV(src, i) - top);
            part += e;
#if KEEPS_EXP
            DST_STOREV(dst, i, e);
#endif
        }
        sums += part;
    }
    float sum = vec_sum(sums);
    for (; i < n; ++i) {
        const float e = exp(SRC_LOAD(src, i) - top);
        sum += e;
#if KEEPS_EXP
        DST_STORE(dst, i, e);
#endif
    }
    return sum;
}

static inline void finish_row(__global const SRC_T *src, __global DST_T *dst, long n, float top,
        float sum, const softmax_end_t *end)
{
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    long i = 0;
#if SOFTMAX_IS_BARE || KEEPS_EXP
    for (; i + VEC <= n; i += VEC) {
#if KEEPS_EXP
        const floatv y = vloadv(dst + i) * rest;
#elif IS_LOG
        const floatv y = SRC_LOADV(src, i) - top - rest;
#else
        const floatv y = vec_exp(SRC_LOADV(src, i) - top) * rest;
#endif
        DST_STOREV(dst, i, y * end->mul / end->div);
    }
#endif
    for (; i < n; ++i) {
#if KEEPS_EXP
        const float y = dst[i] * rest;
#elif IS_LOG
        const float y = SRC_LOAD(src, i) - top - rest;
#else
        const float y = exp(SRC_LOAD(src, i) - top) * rest;
#endif
        DST_STORE(dst, i, softmax_finish(end, y, dst + i));
    }
}

__kernel void softmax_rows(__constant const nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n, long per_item,
        long nrows POST_OPS_PARAMS)
{
    const softmax_end_t end = SOFTMAX_END;
    const long first = (long)get_global_id(0) * per_item;
    for (long row = first; row < min(first + per_item, nrows); ++row) {
        const nest_at_t at = nest_at(nest, row);
        __global const SRC_T *from = src + src_off + at.offs[1];
        __global DST_T *to = dst + dst_off + at.offs[0];
        const float top = row_max(from, n);
        finish_row(from, to, n, top, row_sum(from, to, n, top), &end);
    }
}
