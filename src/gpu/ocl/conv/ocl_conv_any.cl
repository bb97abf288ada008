// SPDX-License-Identifier: Apache-2.0
// Convolution for every problem: any types, strides, blocks, scales, zero points and post-ops, all of them
// run-time data. A work-item computes one element of dst, padding included.
//
//   data           descriptors, quantisation and sizes
//   src, src_off   [N, G·IC, in…]
//   wei, wei_off   [(G,) OC, IC, kernel…]
//   bia, bia_off   [G·OC] or null
//   dst, dst_off   [N, G·OC, out…]; padding becomes 0
//   …_scales, …_zps  the values of src, wei, dst, or null
//   POST_OPS       any
// Grid: x ≥ data->dst.nelems_padded. Numerics: products of integers are summed in 64 bits, others
// by fma in f32, PIECE at a time, then the partial sums; all later steps in f32, but integers to integers
// without scales and post-ops are exact.
// -D: those of clh/post_ops.h.
#include "clh/conv_any.h"
#include "clh/post_ops.h"

// Moves src_pos to the element under a tap of spatial dimension s; false in the padding.
static bool meet(
        __constant const ocl_conv_any_data_t *data, int s, long out, long tap, long *src_pos, long *wei_pos)
{
    const long at = out * data->stride[s] + tap * data->dilation[s] - data->pad[s];
    const int dim = s - (NSPATIAL - data->nspatial);
    if (dim >= 0) {
        src_pos[2 + dim] = at;
        wei_pos[data->has_groups + 2 + dim] = tap;
    }
    return at >= 0 && at < data->in[s];
}

__kernel void conv_any(__constant const ocl_conv_any_data_t *data, __global const void *src, long src_off,
        __global const void *wei, long wei_off, __global const void *bia, long bia_off,
        __global void *dst, long dst_off, __global const void *src_scales, long src_scales_off,
        __global const void *wei_scales, long wei_scales_off, __global const void *dst_scales,
        long dst_scales_off, __global const void *src_zps, long src_zps_off,
        __global const void *wei_zps, long wei_zps_off, __global const void *dst_zps,
        long dst_zps_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], wei_pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    wei_pos[0] = pos[1] / data->oc;
    wei_pos[data->has_groups] = pos[1] % data->oc;

    const conv_in_t in = {
            data, src, wei, src_zps, wei_zps, src_off, wei_off, src_zps_off, wei_zps_off};
    const conv_sum_t sum = sum_products(&in, pos, wei_pos);
    const int dst_zp = quant_zero_point(&data->dst_zps, dst_zps, dst_zps_off, pos);
    if (bia) bia_off += md_offset(&data->bia, pos + 1);
    if (data->is_exact) {
        const long shift = bia ? load_int_any(bia, bia_off, data->bia.dt) : 0;
        store_int_any(dst, dst_off, data->dst.dt, sum.whole + shift + dst_zp);
        return;
    }
    float x = data->sums_integers ? (float)sum.whole : piece_sum_of(&sum.real);
    x *= quant_scale(&data->src_scales, src_scales, src_scales_off, pos);
    x *= quant_scale(&data->wei_scales, wei_scales, wei_scales_off, wei_pos);
    if (bia) x += load_any(bia, bia_off, data->bia.dt);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= quant_scale(&data->dst_scales, dst_scales, dst_scales_off, pos);
    store_any(dst, dst_off, data->dst.dt, x + (float)dst_zp);
}
