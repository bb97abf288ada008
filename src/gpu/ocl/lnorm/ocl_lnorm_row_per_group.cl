// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows, ROW_ITEMS work-items of a group for each row.
//
//   nest               loops over rows; tensor 0 dst, 1 src, 2 the statistics
//   src, src_off       rows of [n] SRC_T
//   mean, variance     one f32 a row: unused, written or read by STATS
//   scale, shift       [n] WEI_T; unused without WITH_SCALE, WITH_SHIFT
//   dst, dst_off       rows of [n] DST_T; may be src
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   epsilon, n, nrows  n: elements of a row
//   POST_OPS           without operands
// Grid: groups of GROUP_ITEMS work-items; ROW_ITEMS of them for each row, or more.
// PER_ITEM > 0: a row has at most PER_ITEM·VEC·ROW_ITEMS elements and stays in registers; 0: any
// length, src is read three times.
// Numerics: f32; sum, then squared differences from the mean, per work-item, then of the row.
// -D: SRC, DST, WEI (prim__ocl_options_type()), WITH_SCALE, WITH_SHIFT, WITH_SCALES: scales of src or
// dst; STATS: LNORM_STATS_…; VEC = 4; PER_ITEM = 0, 1, 2, 4, 8; GROUP_ITEMS, ROW_ITEMS:
// powers of two; those of clh/lanes.h and clh/post_ops.h.
#if !defined(WITH_SCALE) || !defined(WITH_SHIFT) || !defined(WITH_SCALES) || !defined(STATS)
#error "ocl_lnorm_row_per_group needs WITH_SCALE, WITH_SHIFT, WITH_SCALES, STATS"
#endif
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(WEI_DT)
#error "ocl_lnorm_row_per_group needs SRC, DST, WEI"
#endif
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_lnorm_row_per_group needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS"
#endif

#include "clh/io_vec.h"
#include "clh/lanes.h"
#include "clh/nest.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/lnorm_data.h"
#include "clh/vec_sum.h"

// A row as one of its work-items sees it; n is 0 for work-items behind the last row, which take
// part in the reductions alone.
typedef struct {
    __global const SRC_T *src;
    long n;
    int first, step; // of the vectors
} row_t;

// Zeros behind the end.
static inline floatv load_some(const row_t *row, long i)
{
    if (i + VEC <= row->n) return SRC_LOADV(row->src, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < row->n ? SRC_LOAD(row->src, i + k) : 0.0f;
    return vloadv(x);
}

#if PER_ITEM > 0
#define KEPT const floatv *kept
#define KEPT_VALUE kept
#define VECTOR(k, at) kept[k]
#else
#define KEPT int unused
#define KEPT_VALUE 0
#define VECTOR(k, at) load_some(row, at)
#endif

// Σ x of the work-item's vectors.
static inline float add_up(const row_t *row, KEPT)
{
    float sum = 0.0f;
    long at = row->first;
    for (int k = 0; at < row->n; ++k, at += row->step) sum += sum_lanes(VECTOR(k, at));
    return sum;
}

// Σ (x − mean)²
static inline float add_squares(const row_t *row, KEPT, float mean)
{
    float sum = 0.0f;
    long at = row->first;
    for (int k = 0; at < row->n; ++k, at += row->step) {
        const intv is_inside = lanes < (intv)((int)min(row->n - at, (long)VEC));
        const floatv x = select((floatv)(0.0f), VECTOR(k, at) - mean, is_inside);
        sum += sum_lanes(x * x);
    }
    return sum;
}

// VEC elements of scale or shift from i on; `beyond` behind the end.
static inline floatv load_parameter(__global const WEI_T *from, long i, long n, float beyond)
{
    if (i + VEC <= n) return WEI_LOADV(from, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < n ? WEI_LOAD(from, i + k) : beyond;
    return vloadv(x);
}

// What all elements of a row share; scale and shift from their first element on.
typedef struct {
    float mean, factor, mul, div;
    __global const WEI_T *scale, *shift;
} normalization_t;

static inline floatv normalize(floatv x, const normalization_t *z, long i, long n)
{
    floatv y = (x - z->mean) * z->factor;
    if (WITH_SCALE) y *= load_parameter(z->scale, i, n, 1.0f);
    if (WITH_SHIFT) y += load_parameter(z->shift, i, n, 0.0f);
    return y;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_row_per_group(
        __constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off,
        __global float *mean, long mean_off, __global float *variance, long variance_off,
        __global const WEI_T *scale, long scale_off, __global const WEI_T *shift, long shift_off,
        __global DST_T *dst, long dst_off, __global const void *src_scale, long src_scale_off,
        __global const void *dst_scale, long dst_scale_off, int src_scale_dt, int dst_scale_dt,
        float epsilon, long n, long nrows POST_OPS_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    POST_OPS_DECLARE;
    const int item = (int)get_local_id(0) & (ROW_ITEMS - 1);
    const long index =
            (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const nest_at_t at_row = nest_at(nest, min(index, nrows - 1));
    const row_t whole = {src + src_off + at_row.offs[1], index < nrows ? n : 0, item * VEC,
            ROW_ITEMS * VEC};
    const row_t *const row = &whole;
    dst += dst_off + at_row.offs[0];
    mean += mean_off + at_row.offs[2];
    variance += variance_off + at_row.offs[2];
#if PER_ITEM > 0
    floatv kept[PER_ITEM];
    for (int k = 0; k < PER_ITEM; ++k)
        kept[k] = load_some(row, row->first + (long)k * row->step);
#endif
#if STATS == LNORM_STATS_GIVEN
    const float centre = *mean, spread = *variance;
#else
    const float sum = lanes_sum(add_up(row, KEPT_VALUE), scratch, ROW_ITEMS);
    const float centre = divide_refined(sum, (float)n);
    const float squares = lanes_sum(add_squares(row, KEPT_VALUE, centre), scratch, ROW_ITEMS);
    const float spread = divide_refined(squares, (float)n);
    if (STATS == LNORM_STATS_OUTPUT && item == 0 && row->n > 0) {
        *mean = centre;
        *variance = spread;
    }
#endif
    const normalization_t z = {centre, inverse_deviation(spread, epsilon),
            WITH_SCALES && src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f,
            WITH_SCALES && dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f,
            scale + scale_off, shift + shift_off};
    long at = row->first;
    for (int k = 0; at < row->n; ++k, at += row->step) {
        const floatv result = normalize(VECTOR(k, at), &z, at, n);
        if (!(WITH_POST_OPS || WITH_SCALES) && at + VEC <= row->n) {
            DST_STOREV(dst, at, result);
            continue;
        }
        float y[VEC];
        vstorev(result, y);
        for (int e = 0; e < VEC && at + e < row->n; ++e)
            DST_STORE(dst, at + e, POST_OPS_APPLY(y[e] * z.mul, 0, dst, at + e) / z.div);
    }
}
