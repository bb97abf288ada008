// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution by weights and bias for every problem: any types, strides and blocks, all of them
// run-time data. A work-item computes one element of diff_wei, or behind these of diff_bia, padding included.
//
//   data                     descriptors and sizes
//   src, src_off             [N, G·IC, in…]
//   diff_dst, diff_dst_off   [N, G·OC, out…]
//   diff_wei, diff_wei_off   [(G,) OC, IC, kernel…]; padding becomes 0
//   diff_bia, diff_bia_off   [G·OC] or null; padding becomes 0
// Grid: x ≥ data->wei.nelems_padded + data->bia.nelems_padded. Numerics: fma in f32, PIECE products at a time, then the
// partial sums.
// -D: none.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/shared/conv_backward_any_data.h"

// Everything a work-item reads. `src` null: the sum is of diff_dst alone.
typedef struct {
    __constant const ocl_conv_backward_any_data_t *data;
    __global const void *src, *diff_dst;
    long src_off, diff_dst_off;
} conv_in_t;

// Positions of dst in a spatial dimension whose tap lies inside src: first ≤ o < last.
typedef struct {
    long first, last, shift; // of src: o·stride + shift
} conv_range_t;

static conv_range_t range_of(__constant const ocl_conv_backward_any_data_t *data, int s, long tap)
{
    const long stride = data->stride[s], shift = tap * data->dilation[s] - data->pad[s];
    const long room = data->in[s] - shift;
    conv_range_t range;
    range.shift = shift;
    range.first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    range.last = min(room > 0 ? (room + stride - 1) / stride : 0, data->out[s]);
    return range;
}

// A row of pixels along the last spatial dimension; pos[…][last] are free.
static void add_row(piece_sum_t *sum, const conv_in_t *in, const conv_range_t *range, long *src_pos, long *dst_pos)
{
    __constant const ocl_conv_backward_any_data_t *data = in->data;
    const int last = 1 + data->nspatial;
    const long stride = data->stride[NSPATIAL - 1];
    for (long o = range->first; o < range->last; ++o) {
        dst_pos[last] = o;
        const float diff = load_any(in->diff_dst, in->diff_dst_off + md_offset(&data->dst, dst_pos), data->dst.dt);
        float x = 1.0f;
        if (in->src) {
            src_pos[last] = o * stride + range->shift;
            x = load_any(in->src, in->src_off + md_offset(&data->src, src_pos), data->src.dt);
        }
        piece_sum_add_product(sum, x, diff);
    }
}

// Moves both positions to pixel `o` of a spatial dimension that may be missing.
static void move_to(const conv_in_t *in, int s, long o, const conv_range_t *range, long *src_pos, long *dst_pos)
{
    const int dim = s - (NSPATIAL - in->data->nspatial);
    if (dim < 0) return;
    dst_pos[2 + dim] = o;
    src_pos[2 + dim] = o * in->data->stride[s] + range->shift;
}

// Σ over images and pixels; the positions have their channels.
static float sum_pixels(const conv_in_t *in, const conv_range_t *ranges, long *src_pos, long *dst_pos)
{
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (long n = 0; n < in->data->mb; ++n) {
        src_pos[0] = dst_pos[0] = n;
        for (long d = ranges[0].first; d < ranges[0].last; ++d) {
            move_to(in, 0, d, &ranges[0], src_pos, dst_pos);
            for (long h = ranges[1].first; h < ranges[1].last; ++h) {
                move_to(in, 1, h, &ranges[1], src_pos, dst_pos);
                add_row(&sum, in, &ranges[2], src_pos, dst_pos);
            }
        }
    }
    return piece_sum_of(&sum);
}

static float sum_for_weight(const conv_in_t *in, const long *pos)
{
    __constant const ocl_conv_backward_any_data_t *data = in->data;
    const int o_dim = data->has_groups;
    const long g = data->has_groups ? pos[0] : 0;
    long src_pos[MAX_NDIMS], dst_pos[MAX_NDIMS];
    conv_range_t ranges[NSPATIAL];
    src_pos[1] = g * data->ic + pos[o_dim + 1];
    dst_pos[1] = g * data->oc + pos[o_dim];
    for (int s = 0; s < NSPATIAL; ++s) {
        const int dim = s - (NSPATIAL - data->nspatial);
        ranges[s] = range_of(data, s, dim >= 0 ? pos[o_dim + 2 + dim] : 0);
    }
    return sum_pixels(in, ranges, src_pos, dst_pos);
}

static float sum_for_bias(const conv_in_t *in, const long *pos)
{
    long src_pos[MAX_NDIMS], dst_pos[MAX_NDIMS];
    conv_range_t ranges[NSPATIAL];
    dst_pos[1] = pos[0];
    for (int s = 0; s < NSPATIAL; ++s) {
        ranges[s].first = ranges[s].shift = 0;
        ranges[s].last = in->data->out[s];
    }
    return sum_pixels(in, ranges, src_pos, dst_pos);
}

__kernel void conv_backward_weights_any(__constant const ocl_conv_backward_any_data_t *data,
        __global const void *src, long src_off, __global const void *diff_dst, long diff_dst_off,
        __global void *diff_wei, long diff_wei_off, __global void *diff_bia, long diff_bia_off)
{
    const long index = get_global_id(0), nweights = data->wei.nelems_padded;
    const bool is_bias = index >= nweights;
    const conv_in_t in = {data, is_bias ? (__global const void *)0 : src, diff_dst, src_off, diff_dst_off};
    long pos[MAX_NDIMS];
    if (is_bias) {
        if (!diff_bia || !md_begin_item(pos, &diff_bia_off, &data->bia, diff_bia, index - nweights)) return;
        store_any(diff_bia, diff_bia_off, data->bia.dt, sum_for_bias(&in, pos));
    } else {
        if (!md_begin_item(pos, &diff_wei_off, &data->wei, diff_wei, index)) return;
        store_any(diff_wei, diff_wei_off, data->wei.dt, sum_for_weight(&in, pos));
    }
}
