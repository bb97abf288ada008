// SPDX-License-Identifier: Apache-2.0
// ocl_lnorm_backward_row_per_group.cl for rows at even distances whose length is a multiple of VEC:
// no loop nest and no ragged vectors, so that the kernel needs few registers and the device holds
// more work-items, each with a row's loads in flight.
//
//   nest                   its innermost loop over rows alone counts; strides fit 32 bits
//   the other parameters: ocl_lnorm_backward_row_per_group.cl
// Grid: as there.
// Numerics: as there.
// -D: as there.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS) || !defined(WITH_PARAMETERS)
#error "ocl_lnorm_backward_even_rows needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS, WITH_PARAMETERS"
#endif

#include "clh/always_inline.h"
#include "clh/lanes.h"
#include "clh/lnorm_backward_row.h"
#include "clh/lnorm_backward_sums.h"
#include "clh/nv/nv_global.h"

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_src_##name
#define STORED_PREFIX(suffix) DIFF_SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"

#define LINE_ITEMS 8 // work-items whose vectors of 16 bytes are a line
#define SETS_AHEAD \
    3 // of rows that a work-group has at a time: so far ahead is the L2 cache asked for them

// The rows from the work-item's first element of each on.
typedef struct {
    __global const SRC_T *src;
    __global const DIFF_DST_T *diff_dst;
    __global DIFF_SRC_T *diff_src;
    __global const float *mean, *variance;
    uint src_step, diff_dst_step, diff_src_step, stat_step; // elements from a row to the next
    int n, nrows;
} rows_t;

// What a work-item has of a row, loaded ahead; zeros behind its end and behind the last row.
typedef struct {
    src_vec_t x[PER_ITEM];
    diff_dst_vec_t g[PER_ITEM];
    float mean, variance; // not the factor: its arithmetic would wait for the load
} ahead_t;

#define ROWS_HERE                                                                    \
    rows_here(nest, src + src_off, diff_dst + diff_dst_off, diff_src + diff_src_off, \
            mean + mean_off, variance + variance_off, (int)n, (int)nrows)

ALWAYS_INLINE rows_t rows_here(__constant const ocl_nest_t *nest, __global const SRC_T *src,
        __global const DIFF_DST_T *diff_dst, __global DIFF_SRC_T *diff_src,
        __global const float *mean, __global const float *variance, int n, int nrows)
{
    const int i = first_elem(), loop = NEST_ROW - 1;
    const rows_t rows = {src + i, diff_dst + i, diff_src + i, mean, variance,
            (uint)nest->strides[1][loop], (uint)nest->strides[2][loop],
            (uint)nest->strides[0][loop], (uint)nest->strides[3][loop], n, nrows};
    return rows;
}

static inline bool are_aligned(const rows_t *rows)
{
    return ARE_ALIGNED(SRC_T, VEC, rows->src, rows->src_step) &&
           ARE_ALIGNED(DIFF_DST_T, VEC, rows->diff_dst, rows->diff_dst_step) &&
           ARE_ALIGNED(DIFF_SRC_T, VEC, rows->diff_src, rows->diff_src_step);
}

static inline ulong offset(int index, uint step)
{
    return (ulong)(uint)index * step;
}

static inline bool is_inside(const rows_t *rows, int k)
{
    return first_elem() + k * STEP < rows->n;
}

ALWAYS_INLINE void load_ahead(ahead_t *ahead, const rows_t *rows, int index, const bool is_aligned)
{
    const bool is_there = index < rows->nrows;
    __global const SRC_T *const src = rows->src + offset(index, rows->src_step);
    __global const DIFF_DST_T *const diff_dst = rows->diff_dst + offset(index, rows->diff_dst_step);
    ahead->mean = is_there ? rows->mean[offset(index, rows->stat_step)] : 0.0f;
    ahead->variance = is_there ? rows->variance[offset(index, rows->stat_step)] : 1.0f;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        ahead->x[k] = (src_vec_t)(0);
        ahead->g[k] = (diff_dst_vec_t)(0);
        if (is_there && is_inside(rows, k)) {
            ahead->x[k] = is_aligned ? src_vec_at(src, k * STEP) : src_vec_any(src, k * STEP);
            ahead->g[k] = is_aligned ? diff_dst_vec_at(diff_dst, k * STEP)
                                     : diff_dst_vec_any(diff_dst, k * STEP);
        }
    }
}

// Asks the L2 cache for a row that is loaded later, by one work-item for each line of 128 bytes.
ALWAYS_INLINE void ask_for(const rows_t *rows, int index)
{
#if CACHE_HINTS
    if (index >= rows->nrows || (int)get_local_id(0) % LINE_ITEMS != 0) return;
    __global const SRC_T *const src = rows->src + offset(index, rows->src_step);
    __global const DIFF_DST_T *const diff_dst = rows->diff_dst + offset(index, rows->diff_dst_step);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (!is_inside(rows, k)) continue;
        nv_prefetch_l2(src + k * STEP);
        nv_prefetch_l2(diff_dst + k * STEP);
    }
    if ((int)get_local_id(0) % ROW_ITEMS != 0) return;
    nv_prefetch_l2(rows->mean + offset(index, rows->stat_step));
    nv_prefetch_l2(rows->variance + offset(index, rows->stat_step));
#endif
}

ALWAYS_INLINE float take_row(pair_t *y, const ahead_t *ahead, float epsilon)
{
    const float factor = inverse_deviation(ahead->variance, epsilon);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        y[k].x = (src_floats(ahead->x[k]) - ahead->mean) * factor;
        y[k].g = diff_dst_floats(ahead->g[k]);
    }
    return factor;
}

// The means of g and g·x̂ over the row.
ALWAYS_INLINE float2 means_of(const pair_t *y, const floatv *factors, int n, __local float *scratch)
{
#if ARE_CONSTANTS
    return (float2)(0.0f);
#else
    floatv sum = (floatv)(0.0f), products = (floatv)(0.0f);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        const floatv g = y[k].g * factors[k];
        sum += g;
        products = fma(g, y[k].x, products);
    }
    return lanes_sum2((float2)(sum_lanes(sum), sum_lanes(products)), scratch, ROW_ITEMS) / (float)n;
#endif
}

ALWAYS_INLINE void store_row(const rows_t *rows, int index, const pair_t *y, const floatv *factors,
        float2 means, float factor, const bool is_aligned)
{
    __global DIFF_SRC_T *const to = rows->diff_src + offset(index, rows->diff_src_step);
    const float slope = -means.s1 * factor, rest = -means.s0 * factor;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (index >= rows->nrows || !is_inside(rows, k)) continue;
        const floatv g = y[k].g * factors[k];
        const floatv z = ARE_CONSTANTS ? g * factor
                                       : fma(g, (floatv)(factor),
                                                 fma(y[k].x, (floatv)(slope), (floatv)(rest)));
        if (is_aligned)
            diff_src_store_streaming(to, k * STEP, z);
        else
            VEC_FORM(DIFF_SRC, STORE)(to, k * STEP, z);
    }
}

// `scale_sums` and `shift_sums` grow by what the work-item's rows give.
ALWAYS_INLINE void go_through(const rows_t *rows, const floatv *factors, floatv *scale_sums,
        floatv *shift_sums, float epsilon, __local float *scratch, const bool is_aligned)
{
    const int stride = (int)get_num_groups(0) * ROWS;
    int index = (int)get_group_id(0) * ROWS + (int)get_local_id(0) / ROW_ITEMS;
    ahead_t ahead;
    load_ahead(&ahead, rows, index, is_aligned);
    for (int k = 1; k < SETS_AHEAD; ++k) ask_for(rows, index + k * stride);
    for (int set = (int)get_group_id(0) * ROWS; set < rows->nrows; set += stride) {
        pair_t y[PER_ITEM];
        const float factor = take_row(y, &ahead, epsilon);
        // The next row and its statistics are on their way while this one is summed; they come from
        // the L2 cache.
        load_ahead(&ahead, rows, index + stride, is_aligned);
        ask_for(rows, index + SETS_AHEAD * stride);
        const float2 means = means_of(y, factors, rows->n, scratch);
        store_row(rows, index, y, factors, means, factor, is_aligned);
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            scale_sums[k] += y[k].g * y[k].x;
            shift_sums[k] += y[k].g;
        }
        index += stride;
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_backward_even_rows(
        LNORM_BACKWARD_PARAMS)
{
    __local float2 pairs[WITH_PARAMETERS ? GROUP_ITEMS * VEC / 2 : GROUP_ITEMS];
    __local float *scratch = (__local float *)pairs;
    floatv factors[PER_ITEM], scale_sums[PER_ITEM], shift_sums[PER_ITEM];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        factors[k] = load_scale(scale + scale_off, first_elem() + k * STEP, n);
        scale_sums[k] = shift_sums[k] = (floatv)(0.0f);
    }
    const rows_t rows = ROWS_HERE;
    if (are_aligned(&rows))
        go_through(&rows, factors, scale_sums, shift_sums, epsilon, scratch, true);
    else
        go_through(&rows, factors, scale_sums, shift_sums, epsilon, scratch, false);
#if WITH_PARAMETERS
    store_partials(partials, partials_off, scale_sums, shift_sums, n, scratch);
#endif
}
