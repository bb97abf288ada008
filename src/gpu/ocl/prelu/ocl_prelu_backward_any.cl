// SPDX-License-Identifier: Apache-2.0
// Gradients of PReLU, generic: any types, layouts and broadcast. Three kernels: the gradient by src, an element per
// work-item; parts of the sums for the weights; the sums of these parts.
//
//   data                     descriptors of the tensors, sizes of the sums
//   src, src_off             [dims of src] of type data->src.dt
//   wei, wei_off             [dims of src or 1] of type data->wei.dt
//   diff_dst, diff_dst_off   [dims of src] of type data->diff_dst.dt
//   diff_src, diff_src_off   [dims of src] of type data->diff_src.dt; padding becomes 0
//   diff_wei, diff_wei_off   [dims of wei] of type data->diff_wei.dt; padding becomes 0
//   parts, parts_off         [nweights, nparts] f32
// Grid: x ≥ data->diff_src.nelems_padded; nweights·nparts; data->diff_wei.nelems_padded. Numerics: f32; sums in
// pieces.
// -D: none.
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/shared/prelu_backward_any_data.h"

__kernel void prelu_backward_any(__constant const ocl_prelu_backward_any_data_t *data, __global const void *src,
        long src_off, __global const void *wei, long wei_off, __global const void *diff_dst, long diff_dst_off,
        __global void *diff_src, long diff_src_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->diff_src, diff_src, index)) return;
    const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    const float diff = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
    const float slope = load_any(wei, wei_off + md_offset_broadcast(&data->wei, pos), data->wei.dt);
    store_any(diff_src, diff_src_off, data->diff_src.dt, x > 0.0f ? diff : diff * slope);
}

// The position of the index-th element of src that has the weight-th weight.
static inline void sharing_position(
        long *pos, __constant const ocl_prelu_backward_any_data_t *data, long weight, long index)
{
    for (int d = data->src.ndims - 1; d >= 0; --d) {
        const long n = data->src.dims[d];
        const bool is_shared = data->wei.dims[d] == 1;
        const long of = is_shared ? index : weight, quotient = div_long(of, n);
        pos[d] = of - quotient * n;
        if (is_shared)
            index = quotient;
        else
            weight = quotient;
    }
}

// Neighbouring work-items take neighbouring elements: part p has the elements p, p + nparts, …
__kernel void prelu_backward_any_parts(__constant const ocl_prelu_backward_any_data_t *data, __global const void *src,
        long src_off, __global const void *diff_dst, long diff_dst_off, __global float *parts, long parts_off)
{
    const long item = get_global_id(0);
    if (item >= data->nweights * data->nparts) return;
    const long weight = item / data->nparts;
    piece_sum_t sum = {0.0f, 0.0f, 0};
    long pos[MAX_NDIMS];
    for (long i = item - weight * data->nparts; i < data->nsharing; i += data->nparts) {
        sharing_position(pos, data, weight, i);
        const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
        const float diff = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
        piece_sum_add(&sum, x > 0.0f ? 0.0f : x * diff);
    }
    parts[parts_off + item] = piece_sum_of(&sum);
}

__kernel void prelu_backward_any_weights(__constant const ocl_prelu_backward_any_data_t *data,
        __global const float *parts, long parts_off, __global void *diff_wei, long diff_wei_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], weight = 0;
    if (!md_begin_item(pos, &diff_wei_off, &data->diff_wei, diff_wei, index)) return;
    for (int d = 0; d < data->wei.ndims; ++d) weight = weight * data->wei.dims[d] + pos[d];
    float sum = 0.0f;
    for (long p = 0; p < data->nparts; ++p) sum += parts[parts_off + weight * data->nparts + p];
    store_any(diff_wei, diff_wei_off, data->diff_wei.dt, sum);
}
