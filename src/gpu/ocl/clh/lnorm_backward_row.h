// SPDX-License-Identifier: Apache-2.0
// A contiguous row of the gradients of layer normalisation, with x̂ = (src − mean) / √(variance + ε)
// and g = diff_dst·scale:
//   diff_src = (g − (Σ g + x̂·Σ g·x̂) / n) / √(variance + ε); with ARE_CONSTANTS without the sums
// LNORM_BACKWARD_PARAMS: parameters that the kernels share; the nest's tensors are diff_src, src,
// diff_dst, statistics.
// -D: SRC, DIFF_DST, DIFF_SRC, WEI (prim__ocl_options_type()), WITH_SCALE, ARE_CONSTANTS: mean and
// variance do not depend on src, VEC = 4, 8, 16.
#ifndef CLH_LNORM_BACKWARD_ROW_H
#define CLH_LNORM_BACKWARD_ROW_H

#if !defined(SRC_DT) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WEI_DT)
#error "clh/lnorm_backward_row.h needs SRC, DIFF_DST, DIFF_SRC, WEI"
#endif
#if !defined(WITH_SCALE) || !defined(ARE_CONSTANTS)
#error "clh/lnorm_backward_row.h needs WITH_SCALE, ARE_CONSTANTS"
#endif

#include "clh/nest.h"
#include "clh/norm.h"
#include "clh/vec_sum.h"

#define LNORM_BACKWARD_PARAMS \
    __constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off, \
            __global const float *mean, long mean_off, __global const float *variance, \
            long variance_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off, \
            __global const WEI_T *scale, long scale_off, __global DIFF_SRC_T *diff_src, \
            long diff_src_off, __global float *partials, long partials_off, float epsilon, long n, \
            long nrows

// n is 0 for work-items behind the last row, which take part in the reductions alone.
typedef struct {
    __global const SRC_T *src;
    __global const DIFF_DST_T *diff_dst;
    __global DIFF_SRC_T *diff_src;
    float mean, variance, factor;
    long n;
    bool is_whole; // full vectors, all of them aligned
} row_t;

// VEC neighbours of x̂ and of diff_dst.
typedef struct {
    floatv x, g;
} pair_t;

#define ROW_OF(index) \
    row_of(src + src_off, diff_dst + diff_dst_off, diff_src + diff_src_off, mean + mean_off, \
            variance + variance_off, nest_at(nest, min(index, nrows - 1)), epsilon, \
            (index) < nrows ? n : 0)

static inline row_t row_of(__global const SRC_T *src, __global const DIFF_DST_T *diff_dst,
        __global DIFF_SRC_T *diff_src, __global const float *mean, __global const float *variance,
        nest_at_t at, float epsilon, long n)
{
    row_t row = {src + at.offs[1], diff_dst + at.offs[2], diff_src + at.offs[0], mean[at.offs[3]],
            variance[at.offs[3]], 0.0f, n, false};
    row.factor = inverse_deviation(row.variance, epsilon);
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(SRC_T, VEC, row.src, 0) &&
            ARE_ALIGNED(DIFF_DST_T, VEC, row.diff_dst, 0) &&
            ARE_ALIGNED(DIFF_SRC_T, VEC, row.diff_src, 0);
    return row;
}

// Zeros of diff_dst behind the end.
static inline pair_t load_some(const row_t *row, long i)
{
    float x[VEC], g[VEC];
    for (int k = 0; k < VEC; ++k) {
        x[k] = i + k < row->n ? SRC_LOAD(row->src, i + k) : row->mean;
        g[k] = i + k < row->n ? DIFF_DST_LOAD(row->diff_dst, i + k) : 0.0f;
    }
    const pair_t y = {(vloadv(x) - row->mean) * row->factor, vloadv(g)};
    return y;
}

// The same inside the row, at any alignment.
static inline pair_t load_inside(const row_t *row, long i)
{
    const pair_t y = {(SRC_LOADV(row->src, i) - row->mean) * row->factor,
            VEC_FORM(DIFF_DST, LOAD)(row->diff_dst, i)};
    return y;
}

// The same of a row that is whole.
static inline pair_t load_whole(const row_t *row, long i)
{
    pair_t y = {(floatv)(0.0f), (floatv)(0.0f)};
    if (i < row->n) {
        y.x = (SRC_LOADV(AS_ALIGNED(SRC_T, VEC, row->src + i), 0) - row->mean) * row->factor;
        y.g = VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, row->diff_dst + i), 0);
    }
    return y;
}

// VEC elements of scale from i on; ones without it and behind the end.
static inline floatv load_scale(__global const WEI_T *scale, long i, long n)
{
    if (!WITH_SCALE) return (floatv)(1.0f);
    if (i + VEC <= n) return WEI_LOADV(scale, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < n ? WEI_LOAD(scale, i + k) : 1.0f;
    return vloadv(x);
}

// The gradients of src, of g = y.g·scale and the means of g and g·x̂.
static inline floatv gradient(const row_t *row, pair_t y, floatv g, float mean_g, float mean_gx)
{
    return (ARE_CONSTANTS ? g : g - (mean_g + y.x * mean_gx)) * row->factor;
}

static inline void store_inside(const row_t *row, long i, floatv z)
{
    VEC_FORM(DIFF_SRC, STORE)(row->diff_src, i, z);
}

// Nothing is stored behind the end.
static inline void store(const row_t *row, long i, floatv z)
{
    if (i >= row->n) return;
    if (row->is_whole) {
        VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, row->diff_src + i), 0, z);
        return;
    }
    float parts[VEC];
    vstorev(z, parts);
    for (int k = 0; k < VEC && i + k < row->n; ++k) DIFF_SRC_STORE(row->diff_src, i + k, parts[k]);
}

#endif
