// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax along any axis, any types and layouts: one row a work-item.
//
//   data                     descriptors of the tensors
//   dst, dst_off             [dims] of type data->dst.dt: what the forward pass gave
//   diff_dst, diff_dst_off   [dims] of type data->diff_dst.dt
//   diff_src, diff_src_off   [dims] of type data->diff_src.dt; may be diff_dst; padding becomes 0
//   axis, is_log
//   nrows                    padded positions of diff_src outside the axis
// Grid: x ≥ nrows. Numerics: f32; the row's sum in pieces, then the result: two passes over both inputs.
// -D: none.
#include "clh/io.h"
#include "clh/md_row.h"
#include "clh/piece_sum.h"
#include "clh/shared/softmax_backward_any_data.h"

__kernel void softmax_backward_any(__constant const ocl_softmax_backward_any_data_t *data,
        __global const void *dst, long dst_off, __global const void *diff_dst, long diff_dst_off,
        __global void *diff_src, long diff_src_off, int axis, int is_log, long nrows)
{
    if ((long)get_global_id(0) >= nrows) return;
    long row[MAX_NDIMS], pos[MAX_NDIMS];
    md_row_position(row, &data->diff_src, axis, get_global_id(0));
    const long n = data->diff_src.dims[axis];
    for (int d = 0; d < data->diff_src.ndims; ++d) pos[d] = row[d];
    pos[axis] = data->diff_src.padded_offsets[axis];
    if (n == 0 || !md_to_logical(pos, &data->diff_src)) {
        md_row_clear(diff_src, diff_src_off, &data->diff_src, row, axis, 0);
        return;
    }
    piece_sum_t terms = {0.0f, 0.0f, 0};
    for (pos[axis] = 0; pos[axis] < n; ++pos[axis]) {
        const float g = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
        piece_sum_add(&terms, is_log ? g : g * load_any(dst, dst_off + md_offset(&data->dst, pos), data->dst.dt));
    }
    const float sum = piece_sum_of(&terms);
    for (pos[axis] = 0; pos[axis] < n; ++pos[axis]) {
        const float g = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
        const float y = load_any(dst, dst_off + md_offset(&data->dst, pos), data->dst.dt);
        store_any(diff_src, diff_src_off + md_offset(&data->diff_src, pos), data->diff_src.dt,
                is_log ? g - exp(y) * sum : y * (g - sum));
    }
    md_row_clear(diff_src, diff_src_off, &data->diff_src, row, axis, data->diff_src.padded_offsets[axis] + n);
}
