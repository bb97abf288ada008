// SPDX-License-Identifier: Apache-2.0
// A contiguous row of softmax: loads, exponentials and stores of vectors of VEC elements.
// -D: FAST_EXP2: 1: 2^x is approximate where dst has 16 bits (OCL_FEATURE_FAST_EXP2); those of clh/raw_vec.h and
// clh/softmax.h.
#ifndef CLH_SOFTMAX_ROW_H
#define CLH_SOFTMAX_ROW_H

#ifndef FAST_EXP2
#error "clh/softmax_row.h needs FAST_EXP2"
#endif

#include "clh/kept_vec.h"
#include "clh/nv/nv_arith.h"
#include "clh/softmax.h"
#include "clh/vec_sum.h"

// A row: n is 0 for a work-item without one, which takes part in the reductions, and neither reads nor
// writes. is_whole: n is full of vectors and both sides are aligned to them.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    long n;
    bool is_whole;
} row_t;

static inline row_t row_of(__global const SRC_T *src, __global DST_T *dst, long n)
{
    row_t row = {src, dst, n, false};
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DST_T, VEC, dst, 0);
    return row;
}

// VEC elements from i on; −∞ beyond the end. What is loaded is added: where a branch ends in either a
// converted integer or −∞, Mesa 22.3 converts behind the branch, and −∞ becomes 0.
static inline floatv load_some(const row_t *row, long i)
{
    if (i + VEC <= row->n) return SRC_LOADV(row->src, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) {
        x[k] = i + k < row->n ? 0.0f : -INFINITY;
        if (i + k < row->n) x[k] += SRC_LOAD(row->src, i + k);
    }
    return vloadv(x);
}

static inline void store_some(const softmax_end_t *end, const row_t *row, long i, floatv y)
{
    if (i >= row->n) return;
#if SOFTMAX_IS_BARE
    if (row->is_whole) {
#if IS_RAW
        rawv_store(rawv_of_floatv(y), row->dst + i);
#else
        DST_STOREV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0, y);
#endif
        return;
    }
    if (i + VEC <= row->n) {
        DST_STOREV(row->dst, i, y);
        return;
    }
#endif
    float x[VEC];
    vstorev(y, x);
    for (int k = 0; k < VEC && i + k < row->n; ++k)
        DST_STORE(row->dst, i + k, softmax_finish(end, x[k], row->dst + i + k));
}

// The same as a streaming access.
static inline void store_streaming(const softmax_end_t *end, const row_t *row, long i, floatv y)
{
#if IS_RAW && SOFTMAX_IS_BARE
    if (row->is_whole) {
        if (i < row->n) rawv_store_streaming(rawv_of_floatv(y), row->dst + i);
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

// load_some() of a whole row.
static inline kept_t load_whole(const row_t *row, long i)
{
#if SRC_IS_INT && !IS_RAW
    // See load_some(): 0 stays 0 there. No sum: NVIDIA's compiler would wait for each load before the next.
    kept_t x = (floatv)(0.0f);
    if (i < row->n) x = kept_load(row->src + i);
    x = i < row->n ? x : (floatv)(-INFINITY);
#else
    kept_t x = kept_of_floatv((floatv)(-INFINITY));
    if (i < row->n) x = kept_load(row->src + i);
#endif
    return x;
}

// The same of what is not read again, which gives way to what is.
static inline kept_t load_streaming(const row_t *row, long i)
{
    kept_t x = kept_of_floatv((floatv)(-INFINITY));
    if (i < row->n) x = kept_load_streaming(row->src + i);
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
