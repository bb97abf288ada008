// SPDX-License-Identifier: Apache-2.0
// Gradients of eltwise functions, generic: any strides and blocks; one element of diff_src per work-item, padding
// included.
//
//   data                     descriptors of the tensors
//   x, x_off                 [dims] of type data->data.dt: src, or dst of the algorithms that take it
//   diff_dst, diff_dst_off   [dims] of type data->diff_dst.dt
//   diff_src, diff_src_off   [dims] of type data->diff_src.dt; may be diff_dst; padding becomes 0
//   alg                      ELTWISE_…
//   alpha, beta              parameters of the function
// Grid: x ≥ data->diff_src.nelems_padded. Numerics: f32.
// -D: none.
#include "clh/eltwise_slope.h"
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/shared/eltwise_backward_any_data.h"

__kernel void eltwise_backward_any(__constant const ocl_eltwise_backward_any_data_t *data, __global const void *x,
        long x_off, __global const void *diff_dst, long diff_dst_off, __global void *diff_src, long diff_src_off,
        int alg, float alpha, float beta)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->diff_src, diff_src, index)) return;
    const float at = load_any(x, x_off + md_offset(&data->data, pos), data->data.dt);
    const float diff = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
    store_any(diff_src, diff_src_off, data->diff_src.dt, diff * eltwise_slope(alg, at, alpha, beta));
}
