// SPDX-License-Identifier: Apache-2.0
// A contiguous row of layer normalisation: loads, deviations from the mean, and stores of vectors of
// VEC elements.
//   LNORM_PARAMS        parameters that the kernels share: the nest's tensors are dst, src, statistics
//   lnorm_t LNORM       what all rows share, from those parameters
// -D: SRC, DST, WEI (prim__ocl_options_type()), WITH_SCALE, WITH_SHIFT, WITH_SCALES: scales of src or
// dst; STATS: LNORM_STATS_…; VEC = 4, 8, 16; those of clh/post_ops.h.
#ifndef CLH_LNORM_ROW_H
#define CLH_LNORM_ROW_H

#if !defined(WITH_SCALE) || !defined(WITH_SHIFT) || !defined(WITH_SCALES) || !defined(STATS)
#error "clh/lnorm_row.h needs WITH_SCALE, WITH_SHIFT, WITH_SCALES, STATS"
#endif
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(WEI_DT)
#error "clh/lnorm_row.h needs SRC, DST, WEI"
#endif

#include "clh/nest.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/lnorm_data.h"
#include "clh/vec_sum.h"

#define LNORM_PARAMS \
    __constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off, __global float *mean, \
            long mean_off, __global float *variance, long variance_off, __global const WEI_T *scale, \
            long scale_off, __global const WEI_T *shift, long shift_off, __global DST_T *dst, \
            long dst_off, __global const void *src_scale, long src_scale_off, \
            __global const void *dst_scale, long dst_scale_off, int src_scale_dt, int dst_scale_dt, \
            float epsilon, long n, long nrows POST_OPS_PARAMS

// The factor of src's scale, the divisor of dst's; scale and shift from their first element on.
typedef struct {
    float epsilon, mul, div;
    __global const WEI_T *scale, *shift;
    bool is_aligned; // scale and shift
#if WITH_POST_OPS
    post_ops_t po;
#endif
} lnorm_t;

#define LNORM_MUL (WITH_SCALES && src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f)
#define LNORM_DIV (WITH_SCALES && dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f)
#define LNORM_IS_ALIGNED \
    (ARE_ALIGNED(WEI_T, VEC, scale + scale_off, 0) && ARE_ALIGNED(WEI_T, VEC, shift + shift_off, 0))
#if WITH_POST_OPS
#define LNORM \
    {epsilon, LNORM_MUL, LNORM_DIV, scale + scale_off, shift + shift_off, LNORM_IS_ALIGNED, {po_table, {0}, {0}}}
#else
#define LNORM {epsilon, LNORM_MUL, LNORM_DIV, scale + scale_off, shift + shift_off, LNORM_IS_ALIGNED}
#endif

// Its statistics stand at mean and variance. n is 0 for work-items behind the last row, which take part
// in the reductions alone.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    __global float *mean, *variance;
    long n;
    bool is_whole; // full vectors, all of them aligned
} row_t;

static inline row_t row_of(__global const SRC_T *src, __global DST_T *dst, __global float *mean,
        __global float *variance, nest_at_t at, long n)
{
    row_t row = {src + at.offs[1], dst + at.offs[0], mean + at.offs[2], variance + at.offs[2], n, false};
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(SRC_T, VEC, row.src, 0) &&
            ARE_ALIGNED(DST_T, VEC, row.dst, 0);
    return row;
}

// Zeros behind the end.
static inline floatv load_some(const row_t *row, long i)
{
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < row->n ? SRC_LOAD(row->src, i + k) : 0.0f;
    return vloadv(x);
}

// The same of a row that is whole.
static inline floatv load_whole(const row_t *row, long i)
{
    floatv x = (floatv)(0.0f);
    if (i < row->n) x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, row->src + i), 0);
    return x;
}

// x − mean of the elements from i on; zeros behind the end.
static inline floatv deviations(const row_t *row, floatv x, float mean, long i)
{
    const intv is_inside = lanes < (intv)((int)clamp(row->n - i, 0L, (long)VEC));
    return select((floatv)(0.0f), x - mean, is_inside);
}

// VEC elements of scale or shift from i on; `beyond` behind the end.
static inline floatv load_parameter(__global const WEI_T *from, bool is_aligned, long i, long n, float beyond)
{
    if (i + VEC <= n) return is_aligned ? WEI_LOADV(AS_ALIGNED(WEI_T, VEC, from + i), 0) : WEI_LOADV(from, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < n ? WEI_LOAD(from, i + k) : beyond;
    return vloadv(x);
}

static inline float finish(const lnorm_t *z, float y, __global DST_T *dst)
{
#if WITH_POST_OPS
    const post_ops_t po = z->po;
#endif
    y *= z->mul;
    return POST_OPS_APPLY(y, 0, dst, 0) / z->div;
}

// x·factor·scale + shift of deviations x, scales and post-ops; nothing is stored behind the end.
static inline void store_deviations(const lnorm_t *z, const row_t *row, long i, floatv x, float factor)
{
    if (i >= row->n) return;
    floatv y = x * factor;
    if (WITH_SCALE) y *= load_parameter(z->scale, z->is_aligned, i, row->n, 1.0f);
    if (WITH_SHIFT) y += load_parameter(z->shift, z->is_aligned, i, row->n, 0.0f);
    if (!(WITH_POST_OPS || WITH_SCALES) && row->is_whole) {
        DST_STOREV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0, y);
        return;
    }
    if (!(WITH_POST_OPS || WITH_SCALES) && i + VEC <= row->n) {
        DST_STOREV(row->dst, i, y);
        return;
    }
    float parts[VEC];
    vstorev(y, parts);
    for (int k = 0; k < VEC && i + k < row->n; ++k)
        DST_STORE(row->dst, i + k, finish(z, parts[k], row->dst + i + k));
}

// The same of src.
static inline void store(const lnorm_t *z, const row_t *row, long i, floatv x, float mean, float factor)
{
    store_deviations(z, row, i, x - mean, factor);
}

#endif
