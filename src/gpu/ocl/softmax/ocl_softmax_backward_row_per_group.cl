// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax along the innermost axis: ROW_ITEMS work-items of a
// work-group for each row.
//
//   nest                     loops over rows; tensor 0 diff_src, 1 dst, 2 diff_dst
//   dst, dst_off             rows of [n] DST_T: what the forward pass gave
//   diff_dst, diff_dst_off   rows of [n] DIFF_DST_T
//   diff_src, diff_src_off   rows of [n] DIFF_SRC_T; may be diff_dst
//   n, nrows                 elements of a row, rows
// Grid: work-groups of GROUP_ITEMS work-items; ROW_ITEMS of them for each row, or more.
// PER_ITEM > 0: a row has at most PER_ITEM·VEC·ROW_ITEMS elements and stays in registers; 0: any
// length, dst and diff_dst are read twice.
// Numerics: f32; partial sums of the work-items, then of the row.
// -D: PER_ITEM = 0, 1, 2, 4, GROUP_ITEMS, ROW_ITEMS: powers of two; those of clh/lanes.h and
// clh/softmax_backward_row.h.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_softmax_backward_row_per_group needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS"
#endif

#include "clh/lanes.h"
#include "clh/softmax_backward_row.h"

#if PER_ITEM > 0

static inline void differentiate(const row_t *row, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    pair_t x[PER_ITEM];
    if (row->is_whole) {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = load_whole(row, first + k * step);
    } else {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = load_some(row, first + k * step);
    }
    float sum = 0.0f;
    for (int k = 0; k < PER_ITEM; ++k) sum += sum_lanes(terms(x[k]));
    sum = lanes_sum(sum, scratch, ROW_ITEMS);
    for (int k = 0; k < PER_ITEM; ++k) store(row, first + k * step, x[k], (floatv)(sum));
}

#else

// Vectors of each tensor that are loaded together.
#define AT_ONCE 2

static inline void load_stride(pair_t *x, const row_t *row, long at, int step)
{
    if (row->is_whole) {
        for (int k = 0; k < AT_ONCE; ++k) x[k] = load_whole(row, at + k * step);
    } else {
        for (int k = 0; k < AT_ONCE; ++k) x[k] = load_some(row, at + k * step);
    }
}

static inline void differentiate(const row_t *row, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    const long stride = AT_ONCE * step, nstrides = (row->n + stride - 1) / stride;
    float sum = 0.0f;
    for (long s = 0; s < nstrides; ++s) {
        pair_t x[AT_ONCE];
        load_stride(x, row, first + s * stride, step);
        for (int k = 0; k < AT_ONCE; ++k) sum += sum_lanes(terms(x[k]));
    }
    sum = lanes_sum(sum, scratch, ROW_ITEMS);
    // From the end on: what was read last is still in the caches.
    for (long s = nstrides - 1; s >= 0; --s) {
        pair_t x[AT_ONCE];
        const long at = first + s * stride;
        load_stride(x, row, at, step);
        for (int k = 0; k < AT_ONCE; ++k) store(row, at + k * step, x[k], (floatv)(sum));
    }
}

#endif

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void softmax_backward_row_per_group(
        __constant const ocl_nest_t *nest, __global const DST_T *dst, long dst_off,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src,
        long diff_src_off, long n, long nrows)
{
    __local float scratch[GROUP_ITEMS];
    const long index =
            (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const nest_at_t at = nest_at(nest, min(index, nrows - 1));
    const row_t row = row_of(diff_src + diff_src_off, dst + dst_off, diff_dst + diff_dst_off, at,
            index < nrows ? n : 0);
    differentiate(&row, scratch);
}
