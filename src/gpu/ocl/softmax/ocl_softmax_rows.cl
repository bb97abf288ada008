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
// lanes' by a tree.
// -D: VEC, KEPT: rows up to so many elements, a multiple of VEC, keep e^(x − max) in private memory; with
// KEPT > 0 the maximum of the next row is found while a row's sum is, so that the memory is never idle.
// Those of clh/softmax.h.
#ifndef KEPT
#error "ocl_softmax_rows needs KEPT"
#endif

#include "clh/nest.h"
#include "clh/softmax.h"
#include "clh/vec_math.h"

// Vectors added up before their sum joins the row's: long rows keep their digits.
#define RUN 64L

#define KEEPS_EXP (!IS_LOG && KEPT > 0)

// Elements of a row that are whole vectors; the others come one by one, for Mesa's llvmpipe compiles
// a vector of elements and infinities into wrong sums.
#define WHOLE(n) ((n) & -(long)VEC)

// A NaN is passed over.
static inline floatv take_larger(floatv top, floatv x)
{
    return x > top ? x : top;
}

static inline float row_max(__global const SRC_T *src, long n)
{
    floatv tops = (floatv)(-INFINITY);
    for (long i = 0; i < WHOLE(n); i += VEC) tops = take_larger(tops, SRC_LOADV(src, i));
    float top = vec_max(tops);
    for (long i = WHOLE(n); i < n; ++i) top = fmax(top, SRC_LOAD(src, i));
    return top;
}

// The sum of a row whose maximum is `top`, and the maximum of the next one.
static inline float row_sum(__global const SRC_T *src, __global const SRC_T *next, floatv *kept,
        long n, float top, float *next_top)
{
    floatv sums = (floatv)(0.0f), tops = (floatv)(-INFINITY);
    for (long first = 0; first < WHOLE(n); first += RUN * VEC) {
        const long end = min(first + RUN * VEC, WHOLE(n));
        floatv part = (floatv)(0.0f);
        for (long i = first; i < end; i += VEC) {
            const floatv e = vec_exp(SRC_LOADV(src, i) - top);
            part += e;
#if KEPT > 0
            tops = take_larger(tops, SRC_LOADV(next, i));
#endif
#if KEEPS_EXP
            if (n <= KEPT) kept[i / VEC] = e;
#endif
        }
        sums += part;
    }
    float sum = vec_sum(sums), top_of_next = vec_max(tops);
    for (long i = WHOLE(n); i < n; ++i) {
        sum += exp(SRC_LOAD(src, i) - top);
#if KEPT > 0
        top_of_next = fmax(top_of_next, SRC_LOAD(next, i));
#endif
    }
    *next_top = top_of_next;
    return sum;
}

// A whole vector.
static inline void store_row(__global DST_T *dst, long i, floatv y, const softmax_end_t *end)
{
#if WITH_POST_OPS
    float x[VEC];
    vstorev(y, x);
    for (int k = 0; k < VEC; ++k) DST_STORE(dst, i + k, softmax_finish(end, x[k], dst + i + k));
#elif WITH_SCALES
    DST_STOREV(dst, i, y * end->mul / end->div);
#else
    DST_STOREV(dst, i, y);
#endif
}

static inline void finish_row(__global const SRC_T *src, __global DST_T *dst, const floatv *kept,
        long n, float top, float sum, const softmax_end_t *end)
{
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    long i = 0;
#if KEEPS_EXP
    if (n <= KEPT)
        for (; i < WHOLE(n); i += VEC) store_row(dst, i, kept[i / VEC] * rest, end);
#endif
    for (; i < WHOLE(n); i += VEC) {
        const floatv x = SRC_LOADV(src, i) - top;
        store_row(dst, i, IS_LOG ? x - rest : vec_exp(x) * rest, end);
    }
    for (; i < n; ++i) {
        const float x = SRC_LOAD(src, i) - top;
        const float y = IS_LOG ? x - rest : exp(x) * rest;
        DST_STORE(dst, i, softmax_finish(end, y, dst + i));
    }
}

__kernel void softmax_rows(__constant const nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n, long per_item,
        long nrows POST_OPS_PARAMS)
{
    const softmax_end_t ends = SOFTMAX_END;
    const long first = (long)get_global_id(0) * per_item, end = min(first + per_item, nrows);
    if (first >= end) return;
#if KEEPS_EXP
    floatv kept[KEPT / VEC];
#else
    floatv *const kept = 0;
#endif
    const long run = nest->extents[NEST_ROW - 1];
    long place = first - div_long(first, run) * run; // in the last of the outer loops
    nest_at_t at = nest_at(nest, first);
    src += src_off;
    dst += dst_off;
    float top = row_max(src + at.offs[1], n);
    for (long row = first; row < end; ++row) {
        nest_at_t next = at;
        float next_top;
        if (++place < run) {
            next.offs[0] += nest->strides[0][NEST_ROW - 1];
            next.offs[1] += nest->strides[1][NEST_ROW - 1];
        } else if (row + 1 < end) {
            next = nest_at(nest, row + 1);
            place = 0;
        }
        if (row + 1 == end) next = at;
        const float sum = row_sum(src + at.offs[1], src + next.offs[1], kept, n, top, &next_top);
        finish_row(src + at.offs[1], dst + at.offs[0], kept, n, top, sum, &ends);
#if KEPT == 0
        if (row + 1 < end) next_top = row_max(src + next.offs[1], n);
#endif
        top = next_top;
        at = next;
    }
}
