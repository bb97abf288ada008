// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src for every problem: any types, strides and blocks, all of them run-time data.
// A work-item computes one element of diff_src, padding included.
//
//   data                     descriptors and sizes
//   diff_dst, diff_dst_off   [N, G·OC, out…]
//   wei, wei_off             [(G,) OC, IC, kernel…]
//   diff_src, diff_src_off   [N, G·IC, in…]; padding becomes 0
// Grid: x ≥ data->src.nelems_padded. Numerics: fma in f32, PIECE products at a time, then the partial sums.
// -D: none.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/shared/conv_backward_any_data.h"

// Everything a work-item reads.
typedef struct {
    __constant const ocl_conv_backward_any_data_t *data;
    __global const void *diff_dst, *wei;
    long diff_dst_off, wei_off;
} conv_in_t;

static void add_channels(piece_sum_t *sum, const conv_in_t *in, long *dst_pos, long *wei_pos)
{
    __constant const ocl_conv_backward_any_data_t *data = in->data;
    const int o_dim = data->has_groups;
    const long first = dst_pos[1];
    wei_pos[o_dim] = 0;
    const long dst_base = in->diff_dst_off + md_offset(&data->dst, dst_pos);
    const long wei_base = in->wei_off + md_offset(&data->wei, wei_pos);
    const bool dst_is_plain = data->dst.inner_nblks == 0, wei_is_plain = data->wei.inner_nblks == 0;
    for (long c = 0; c < data->oc; ++c) {
        dst_pos[1] = first + c;
        wei_pos[o_dim] = c;
        const long d = dst_is_plain ? dst_base + c * data->dst.strides[1]
                                    : in->diff_dst_off + md_offset(&data->dst, dst_pos);
        const long w = wei_is_plain ? wei_base + c * data->wei.strides[o_dim]
                                    : in->wei_off + md_offset(&data->wei, wei_pos);
        piece_sum_add_product(sum, load_any(in->diff_dst, d, data->dst.dt), load_any(in->wei, w, data->wei.dt));
    }
    dst_pos[1] = first;
}

// Moves dst_pos to the element of spatial dimension s whose window has the tap on index `at` of src; false if there is
// none.
static bool meet(__constant const ocl_conv_backward_any_data_t *data, int s, long at, long tap, long *dst_pos,
        long *wei_pos)
{
    const long start = at + data->pad[s] - tap * data->dilation[s];
    const long out = start / data->stride[s];
    const int dim = s - (NSPATIAL - data->nspatial);
    if (dim >= 0) {
        dst_pos[2 + dim] = out;
        wei_pos[data->has_groups + 2 + dim] = tap;
    }
    return start >= 0 && out * data->stride[s] == start && out < data->out[s];
}

static float sum_products(const conv_in_t *in, const long *src_pos, long *wei_pos)
{
    __constant const ocl_conv_backward_any_data_t *data = in->data;
    long dst_pos[MAX_NDIMS], at[NSPATIAL];
    dst_pos[0] = src_pos[0];
    dst_pos[1] = src_pos[1] / data->ic * data->oc;
    for (int s = 0; s < NSPATIAL; ++s) {
        const int dim = s - (NSPATIAL - data->nspatial);
        at[s] = dim >= 0 ? src_pos[2 + dim] : 0;
    }
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (long d = 0; d < data->taps[0]; ++d) {
        if (!meet(data, 0, at[0], d, dst_pos, wei_pos)) continue;
        for (long h = 0; h < data->taps[1]; ++h) {
            if (!meet(data, 1, at[1], h, dst_pos, wei_pos)) continue;
            for (long w = 0; w < data->taps[2]; ++w) {
                if (meet(data, 2, at[2], w, dst_pos, wei_pos)) add_channels(&sum, in, dst_pos, wei_pos);
            }
        }
    }
    return piece_sum_of(&sum);
}

__kernel void conv_backward_data_any(__constant const ocl_conv_backward_any_data_t *data,
        __global const void *diff_dst, long diff_dst_off, __global const void *wei, long wei_off,
        __global void *diff_src, long diff_src_off)
{
    long pos[MAX_NDIMS], wei_pos[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->src, diff_src, get_global_id(0))) return;
    wei_pos[0] = pos[1] / data->ic;
    wei_pos[data->has_groups + 1] = pos[1] % data->ic;
    const conv_in_t in = {data, diff_dst, wei, diff_dst_off, wei_off};
    store_any(diff_src, diff_src_off, data->src.dt, sum_products(&in, pos, wei_pos));
}
