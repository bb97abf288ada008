// SPDX-License-Identifier: Apache-2.0
// A contiguous row of softmax: loads, exponentials and stores of vectors of VEC elements.
// -D: FAST_EXP2: 1: 2^x is approximate where dst has 16 bits (OCL_FEATURE_FAST_EXP2); PEELS: 1: rows begin and end
// anywhere, and are loaded by aligned vectors all the same (needs IS_RAW); PER_ITEM: 0: rows of any length; those of clh/raw_vec.h and clh/softmax.h.
#ifndef CLH_SOFTMAX_ROW_H
#define CLH_SOFTMAX_ROW_H

#if !defined(FAST_EXP2) || !defined(PEELS) || !defined(PER_ITEM)
#error "clh/softmax_row.h needs FAST_EXP2, PEELS, PER_ITEM"
#endif
#if PEELS && !IS_RAW
#error "PEELS needs IS_RAW"
#endif

#include "clh/kept_vec.h"
#include "clh/nv/nv_arith.h"
#include "clh/softmax.h"
#include "clh/vec_sum.h"

// Places in a row: such as fit registers are short.
#if PER_ITEM > 0
typedef int place_t;
#else
typedef long place_t;
#endif

// A row: n is 0 for a work-item without one, which takes part in the reductions, and neither reads nor
// writes. is_whole: n is full of vectors and both sides are aligned to them. With PEELS, src is the last aligned vector
// at or before the row's first element, which is element `begin` from there; n counts from src too, and so does dst;
// vectors beyond `last` pass the end of the tensor; is_whole: dst is as far from an aligned address as src, and
// `last` is a vector.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    place_t n;
    bool is_whole;
#if PEELS
    int begin;
    place_t last;
#endif
} row_t;

#if PEELS
// `end`: of the tensor.
static inline row_t row_of(__global const SRC_T *src, __global DST_T *dst, place_t n, __global const SRC_T *end)
{
    const int begin = (int)((size_t)src & (sizeof(SRC_T) * VEC - 1)) / (int)sizeof(SRC_T);
    row_t row = {AS_ALIGNED(SRC_T, VEC, src), dst - begin, n > 0 ? n + begin : 0, false, begin, 0};
    const long left = end - row.src;
    row.last = (place_t)min(left / VEC * VEC - VEC, (long)row.n);
    row.is_whole = row.last >= 0 && ARE_ALIGNED(DST_T, VEC, row.dst, 0);
    return row;
}

#define row_begin(row) ((row)->begin)
#else
static inline row_t row_of(__global const SRC_T *src, __global DST_T *dst, place_t n, __global const SRC_T *end)
{
    row_t row = {src, dst, n, false};
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DST_T, VEC, dst, 0);
    return row;
}

#define row_begin(row) 0
#endif

// Whether all of a vector's elements are the row's.
static inline bool is_inner(const row_t *row, place_t i)
{
    return i >= row_begin(row) && i + VEC <= row->n;
}

// VEC elements from i on; −∞ outside the row. What is loaded is added: where a branch ends in either a
// converted integer or −∞, Mesa 22.3 converts behind the branch, and −∞ becomes 0.
static inline floatv load_some(const row_t *row, place_t i)
{
    if (is_inner(row, i)) return SRC_LOADV(row->src, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) {
        const bool is_there = i + k >= row_begin(row) && i + k < row->n;
        x[k] = is_there ? 0.0f : -INFINITY;
        if (is_there) x[k] += SRC_LOAD(row->src, i + k);
    }
    return vloadv(x);
}

static inline void store_some(const softmax_end_t *end, const row_t *row, place_t i, floatv y)
{
    if (i >= row->n) return;
#if SOFTMAX_IS_BARE
    if (row->is_whole && is_inner(row, i)) {
#if IS_RAW
        rawv_store(rawv_of_floatv(y), row->dst + i);
#else
        DST_STOREV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0, y);
#endif
        return;
    }
    if (is_inner(row, i)) {
        DST_STOREV(row->dst, i, y);
        return;
    }
#endif
    float x[VEC];
    vstorev(y, x);
    for (int k = 0; k < VEC; ++k)
        if (i + k >= row_begin(row) && i + k < row->n)
            DST_STORE(row->dst, i + k, softmax_finish(end, x[k], row->dst + i + k));
}

// The same as a streaming access.
static inline void store_streaming(const softmax_end_t *end, const row_t *row, place_t i, floatv y)
{
#if IS_RAW && SOFTMAX_IS_BARE
    if (row->is_whole && is_inner(row, i)) {
        rawv_store_streaming(rawv_of_floatv(y), row->dst + i);
        return;
    }
#endif
    store_some(end, row, i, y);
}

#if VEC == 4
#define HALVES float2
#define max_half(x) fmax((x).s0, (x).s1)
#else
#define HALVES float4
#define max_half(x) fmax(fmax((x).s0, (x).s1), fmax((x).s2, (x).s3))
#endif

static inline float max_lanes(floatv x)
{
    const HALVES y = fmax(x.lo, x.hi);
    return max_half(y);
}

// The largest element of `count` vectors; NaN is passed over.
static inline float kept_top(const kept_t *x, int count)
{
    float top = -INFINITY;
    for (int k = 0; k < count; ++k) top = fmax(top, max_lanes(kept_to_floatv(x[k])));
    return top;
}

// Where load_whole() loads the vector at i: with PEELS one that passes the end of the tensor gives way to another.
#if PEELS
#define load_place(row, i) min(i, (row)->last)
#else
#define load_place(row, i) (i)
#endif

// What load_whole() loaded at i, without what is not the row's.
static inline kept_t peeled(const row_t *row, place_t i, kept_t x)
{
#if PEELS
    if (i >= row->n || is_inner(row, i)) return x;
    if (i > row->last) return kept_of_floatv(load_some(row, i));
    x = rawv_between(x, (int)(row->begin - i), (int)min(row->n - i, (place_t)VEC), RAWV_SAME(-INFINITY));
#endif
    return x;
}

// load_some() of a whole row, but for what peeled() takes away.
static inline kept_t load_whole(const row_t *row, place_t i)
{
#if SRC_IS_INT && !IS_RAW
    // See load_some(): 0 stays 0 there. No sum: NVIDIA's compiler would wait for each load before the next.
    kept_t x = (floatv)(0.0f);
    if (i < row->n) x = kept_load(row->src + load_place(row, i));
    x = i < row->n ? x : (floatv)(-INFINITY);
#else
    kept_t x = kept_of_floatv((floatv)(-INFINITY));
    if (i < row->n) x = kept_load(row->src + load_place(row, i));
#endif
    return x;
}

// The same of what is not read again, which gives way to what is.
static inline kept_t load_streaming(const row_t *row, place_t i)
{
    kept_t x = kept_of_floatv((floatv)(-INFINITY));
    if (i < row->n) x = kept_load_streaming(row->src + load_place(row, i));
    return x;
}

// e^(x − top) is exp_from(x, centre_of(top)). A destination of 16 bits does not see the rounding of
// a product with log2(e). Where the source is f16, the product with `top` fits f32 too, and what it
// is rounded by is a common factor of the row.
#if (DST_DT == DT_F16 || DST_DT == DT_BF16) && !IS_LOG
static inline floatv exp2_short(floatv x)
{
#if FAST_EXP2
    float y[VEC];
    vstorev(x, y);
    for (int k = 0; k < VEC; ++k) y[k] = nv_ex2(y[k]);
    return vloadv(y);
#else
    return exp2(x);
#endif
}

#define LOG2_E 1.44269504f
#if SRC_DT == DT_F16
#define centre_of(top) ((top) * LOG2_E)
#define exp_from(x, centre) exp2_short(fma(x, (floatv)(LOG2_E), (floatv)(-(centre))))
#else
#define centre_of(top) (top)
#define exp_from(x, centre) exp2_short(((x) - (centre)) * LOG2_E)
#endif
#else
#define centre_of(top) (top)
#define exp_from(x, centre) exp((x) - (centre))
#endif

#endif
