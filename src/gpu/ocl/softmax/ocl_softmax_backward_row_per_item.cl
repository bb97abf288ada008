// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax along the innermost axis on CPU-type devices: a work-item
// for each row, whose second pass finds dst and diff_dst in the caches.
//
//   nest                     loops over rows; tensor 0 diff_src, 1 dst, 2 diff_dst
//   dst, dst_off             rows of [n] DST_T: what the forward pass gave
//   diff_dst, diff_dst_off   rows of [n] DIFF_DST_T
//   diff_src, diff_src_off   rows of [n] DIFF_SRC_T; may be diff_dst
//   n, nrows                 elements of a row, rows
// Grid: x ≥ nrows. Numerics: f32, VEC partial sums.
// -D: those of clh/softmax_backward_row.h.
#include "clh/softmax_backward_row.h"

__kernel void softmax_backward_row_per_item(__constant const ocl_nest_t *nest, __global const DST_T *dst,
        long dst_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src,
        long diff_src_off, long n, long nrows)
{
    if ((long)get_global_id(0) >= nrows) return;
    const nest_at_t at = nest_at(nest, (long)get_global_id(0));
    const row_t row = row_of(diff_src + diff_src_off, dst + dst_off, diff_dst + diff_dst_off, at, n);
    const long end = n / VEC * VEC;
    floatv sums = (floatv)(0.0f);
    for (long i = 0; i < end; i += VEC) sums += terms(load_inside(&row, i));
    if (end < n) sums += terms(load_some(&row, end));
    const float sum = sum_lanes(sums);
    for (long i = 0; i < end; i += VEC) store_inside(&row, i, load_inside(&row, i), (floatv)(sum));
    if (end < n) store(&row, end, load_some(&row, end), (floatv)(sum));
}
