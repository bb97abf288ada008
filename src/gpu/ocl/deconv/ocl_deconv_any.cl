// SPDX-License-Identifier: Apache-2.0
// Deconvolution for every problem: any types, strides, blocks, scales, zero points and post-ops, all of them
// run-time data. A work-item computes one element of dst, padding included: it goes over the taps and reads the
// element of src, if there is one, that reaches the output by the tap.
//
//   data           descriptors, quantisation and sizes; there are no zero points of the weights
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
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/post_ops.h"
#include "clh/quant.h"
#include "clh/shared/conv_any_data.h"

// Everything a work-item reads.
typedef struct {
    __constant const ocl_conv_any_data_t *data;
    __global const void *src, *wei, *src_zps;
    long src_off, wei_off, src_zps_off;
} deconv_in_t;

// Terms that are summed sequentially in f32, before their sum is added to the others'.
#define PIECE 4096

// A sum of products in either arithmetic; the other stays 0. `piece` has up to PIECE terms that are
// not in `real` yet.
typedef struct {
    float real, piece;
    long whole;
    int nterms;
} deconv_sum_t;

static void fold(deconv_sum_t *sum)
{
    sum->real += sum->piece;
    sum->piece = 0.0f;
    sum->nterms = 0;
}

static void add_channels(deconv_sum_t *sum, const deconv_in_t *in, long *src_pos, long *wei_pos)
{
    __constant const ocl_conv_any_data_t *data = in->data;
    const int i_dim = data->has_groups + 1;
    const long first = src_pos[1];
    wei_pos[i_dim] = 0;
    const long src_base = in->src_off + md_offset(&data->src, src_pos);
    const long wei_base = in->wei_off + md_offset(&data->wei, wei_pos);
    const bool src_is_plain = data->src.inner_nblks == 0, wei_is_plain = data->wei.inner_nblks == 0;
    for (long c = 0; c < data->ic; ++c) {
        src_pos[1] = first + c;
        wei_pos[i_dim] = c;
        const long s = src_is_plain ? src_base + c * data->src.strides[1]
                                    : in->src_off + md_offset(&data->src, src_pos);
        const long w = wei_is_plain ? wei_base + c * data->wei.strides[i_dim]
                                    : in->wei_off + md_offset(&data->wei, wei_pos);
        const int src_zp = quant_zero_point(&data->src_zps, in->src_zps, in->src_zps_off, src_pos);
        if (data->sums_integers) {
            const long x = (long)load_int_any(in->src, s, data->src.dt) - src_zp;
            sum->whole += x * (long)load_int_any(in->wei, w, data->wei.dt);
        } else {
            const float x = load_any(in->src, s, data->src.dt) - (float)src_zp;
            sum->piece = fma(x, load_any(in->wei, w, data->wei.dt), sum->piece);
            if (++sum->nterms == PIECE) fold(sum);
        }
    }
    src_pos[1] = first;
}

// Moves src_pos to the element that reaches output `out` by a tap of spatial dimension s: the one with
// in·stride + tap·dilation − pad = out; false where there is none.
static bool meet(
        __constant const ocl_conv_any_data_t *data, int s, long out, long tap, long *src_pos, long *wei_pos)
{
    const long way = out + data->pad[s] - tap * data->dilation[s];
    const long at = way >= 0 ? div_long(way, data->stride[s]) : -1;
    const int dim = s - (NSPATIAL - data->nspatial);
    if (dim >= 0) {
        src_pos[2 + dim] = at;
        wei_pos[data->has_groups + 2 + dim] = tap;
    }
    return at >= 0 && at < data->in[s] && at * data->stride[s] == way;
}

static deconv_sum_t sum_products(const deconv_in_t *in, const long *dst_pos, long *wei_pos)
{
    __constant const ocl_conv_any_data_t *data = in->data;
    long src_pos[MAX_NDIMS], out[NSPATIAL];
    src_pos[0] = dst_pos[0];
    src_pos[1] = dst_pos[1] / data->oc * data->ic;
    for (int s = 0; s < NSPATIAL; ++s) {
        const int dim = s - (NSPATIAL - data->nspatial);
        out[s] = dim >= 0 ? dst_pos[2 + dim] : 0;
    }
    deconv_sum_t sum = {0.0f, 0.0f, 0, 0};
    for (long d = 0; d < data->taps[0]; ++d) {
        if (!meet(data, 0, out[0], d, src_pos, wei_pos)) continue;
        for (long h = 0; h < data->taps[1]; ++h) {
            if (!meet(data, 1, out[1], h, src_pos, wei_pos)) continue;
            for (long w = 0; w < data->taps[2]; ++w) {
                if (meet(data, 2, out[2], w, src_pos, wei_pos))
                    add_channels(&sum, in, src_pos, wei_pos);
            }
        }
    }
    fold(&sum);
    return sum;
}

__kernel void deconv_any(__constant const ocl_conv_any_data_t *data, __global const void *src, long src_off,
        __global const void *wei, long wei_off, __global const void *bia, long bia_off,
        __global void *dst, long dst_off, __global const void *src_scales, long src_scales_off,
        __global const void *wei_scales, long wei_scales_off, __global const void *dst_scales,
        long dst_scales_off, __global const void *src_zps, long src_zps_off,
        __global const void *dst_zps, long dst_zps_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], wei_pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    wei_pos[0] = pos[1] / data->oc;
    wei_pos[data->has_groups] = pos[1] % data->oc;

    const deconv_in_t in = {data, src, wei, src_zps, src_off, wei_off, src_zps_off};
    const deconv_sum_t sum = sum_products(&in, pos, wei_pos);
    const int dst_zp = quant_zero_point(&data->dst_zps, dst_zps, dst_zps_off, pos);
    if (bia) bia_off += md_offset(&data->bia, pos + 1);
    if (data->is_exact) {
        const long shift = bia ? load_int_any(bia, bia_off, data->bia.dt) : 0;
        store_int_any(dst, dst_off, data->dst.dt, sum.whole + shift + dst_zp);
        return;
    }
    float x = data->sums_integers ? (float)sum.whole : sum.real;
    x *= quant_scale(&data->src_scales, src_scales, src_scales_off, pos);
    x *= quant_scale(&data->wei_scales, wei_scales, wei_scales_off, wei_pos);
    if (bia) x += load_any(bia, bia_off, data->bia.dt);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= quant_scale(&data->dst_scales, dst_scales, dst_scales_off, pos);
    store_any(dst, dst_off, data->dst.dt, x + (float)dst_zp);
}
