// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation of contiguous rows: ROW_ITEMS work-items of a work-group for
// each row. A work-group goes through many rows, so that its work-items add up the gradients of
// scale and shift in registers; ocl_lnorm_backward.cl adds up what the work-groups found.
//
//   nest                   loops over rows; tensor 0 diff_src, 1 src, 2 diff_dst, 3 the statistics
//   src, diff_dst          rows of [n] SRC_T, DIFF_DST_T
//   mean, variance         one f32 a row
//   scale                  [n] WEI_T; unused without WITH_SCALE
//   diff_src               rows of [n] DIFF_SRC_T; may be diff_dst
//   partials               [work-groups][2][n]: sums of diff_dst·x̂ and of diff_dst; unused without
//   WITH_PARAMETERS epsilon, n, nrows      n: elements of a row
// Grid: work-groups of GROUP_ITEMS work-items, as many as fill the device; each takes GROUP_ITEMS /
// ROW_ITEMS rows at a time. A row has at most PER_ITEM·VEC·ROW_ITEMS elements.
// Numerics: f32; partial sums of the work-items, then of the row; of the parameters partial sums
// over the rows of a work-item, then of the work-group. -D: PER_ITEM = 1, 2, 4, GROUP_ITEMS,
// ROW_ITEMS: powers of two, WITH_PARAMETERS; those of clh/lanes.h and clh/lnorm_backward_row.h.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS) || !defined(WITH_PARAMETERS)
#error "ocl_lnorm_backward_row_per_group needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS, WITH_PARAMETERS"
#endif
#if PER_ITEM == 0
#error "rows stay in registers"
#endif

#include "clh/always_inline.h"
#include "clh/lanes.h"
#include "clh/lnorm_backward_row.h"
#include "clh/lnorm_backward_sums.h"
#include "clh/nv/nv_global.h"

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"

// What a work-item has of a row, loaded ahead.
typedef struct {
    src_vec_t x[PER_ITEM];
    diff_dst_vec_t g[PER_ITEM];
    float mean, variance; // of the row, not the factor: its arithmetic would wait for the load
    bool is_loaded;       // all vectors are whole, inside the row and aligned
} ahead_t;

ALWAYS_INLINE void load_ahead(ahead_t *ahead, const row_t *row)
{
    ahead->mean = row->mean;
    ahead->variance = row->variance;
    ahead->is_loaded = row->is_whole && row->n == PER_ITEM * STEP;
    if (!ahead->is_loaded) return;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        ahead->x[k] = src_vec_at(row->src, first_elem() + k * STEP);
        ahead->g[k] = diff_dst_vec_at(row->diff_dst, first_elem() + k * STEP);
    }
}

ALWAYS_INLINE void take_row(pair_t *y, const ahead_t *ahead, const row_t *row)
{
    if (ahead->is_loaded) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            y[k].x = (src_floats(ahead->x[k]) - row->mean) * row->factor;
            y[k].g = diff_dst_floats(ahead->g[k]);
        }
    } else if (row->is_whole) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) y[k] = load_whole(row, first_elem() + k * STEP);
    } else {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) y[k] = load_some(row, first_elem() + k * STEP);
    }
}

ALWAYS_INLINE void differentiate(
        const row_t *row, const pair_t *y, const floatv *factors, long n, __local float *scratch)
{
    float2 means = (float2)(0.0f); // of g and g·x̂
#if !ARE_CONSTANTS
    floatv sum = (floatv)(0.0f), products = (floatv)(0.0f);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        const floatv g = y[k].g * factors[k];
        sum += g;
        products = fma(g, y[k].x, products);
    }
    means = lanes_sum2((float2)(sum_lanes(sum), sum_lanes(products)), scratch, ROW_ITEMS) /
            (float)n;
#endif
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
        store(row, first_elem() + k * STEP,
                gradient(row, y[k], y[k].g * factors[k], means.s0, means.s1));
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_backward_row_per_group(
        LNORM_BACKWARD_PARAMS)
{
    __local float2 pairs[WITH_PARAMETERS ? GROUP_ITEMS * VEC / 2 : GROUP_ITEMS];
    __local float *scratch = (__local float *)pairs;
    floatv factors[PER_ITEM], diff_scale[PER_ITEM], diff_shift[PER_ITEM];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        factors[k] = load_scale(scale + scale_off, first_elem() + k * STEP, n);
        diff_scale[k] = diff_shift[k] = (floatv)(0.0f);
    }
    const long slot = (int)get_local_id(0) / ROW_ITEMS, stride = (long)get_num_groups(0) * ROWS;
    row_t next = ROW_OF((long)get_group_id(0) * ROWS + slot);
    ahead_t ahead;
    load_ahead(&ahead, &next);
    for (long set = (long)get_group_id(0) * ROWS; set < nrows; set += stride) {
        row_t row = next;
        row.mean = ahead.mean;
        row.factor = inverse_deviation(ahead.variance, epsilon);
        pair_t y[PER_ITEM];
        take_row(y, &ahead, &row);
        // The next row and its statistics are on their way while this one is summed.
        next = ROW_OF(set + stride + slot);
        load_ahead(&ahead, &next);
        differentiate(&row, y, factors, n, scratch);
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            diff_scale[k] += y[k].g * y[k].x;
            diff_shift[k] += y[k].g;
        }
    }
#if WITH_PARAMETERS
    store_partials(partials, partials_off, diff_scale, diff_shift, n, scratch);
#endif
}
