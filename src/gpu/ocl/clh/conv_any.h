// SPDX-License-Identifier: Apache-2.0
// The sum of products behind an element of dst, of any types and layouts: of a convolution and of a deconvolution, which
// differ in the element of src that a tap meets. The kernel's own: meet().
#ifndef CLH_CONV_ANY_H
#define CLH_CONV_ANY_H

#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/quant.h"
#include "clh/shared/conv_any_data.h"

// Everything a work-item reads.
typedef struct {
    __constant const ocl_conv_any_data_t *data;
    __global const void *src, *wei, *src_zps, *wei_zps;
    long src_off, wei_off, src_zps_off, wei_zps_off;
} conv_in_t;

// A sum of products in either arithmetic; the other stays 0.
typedef struct {
    piece_sum_t real;
    long whole;
} conv_sum_t;

static inline void add_channels(conv_sum_t *sum, const conv_in_t *in, long *src_pos, long *wei_pos)
{
    __constant const ocl_conv_any_data_t *data = in->data;
    const int i_dim = data->has_groups + 1;
    const long first = src_pos[1];
    wei_pos[i_dim] = 0;
    const long src_base = in->src_off + md_offset(&data->src, src_pos);
    const long wei_base = in->wei_off + md_offset(&data->wei, wei_pos);
    const bool src_is_plain = data->src.inner_nblks == 0, wei_is_plain = data->wei.inner_nblks == 0;
    const int wei_zp = quant_zero_point(&data->wei_zps, in->wei_zps, in->wei_zps_off, wei_pos);
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
            const long y = (long)load_int_any(in->wei, w, data->wei.dt) - wei_zp;
            sum->whole += x * y;
        } else {
            const float x = load_any(in->src, s, data->src.dt) - (float)src_zp;
            const float y = load_any(in->wei, w, data->wei.dt) - (float)wei_zp;
            piece_sum_add_product(&sum->real, x, y);
        }
    }
    src_pos[1] = first;
}

// Moves src_pos to the element of src that belongs to output `out` and a tap of spatial dimension s, and wei_pos to the
// tap; false where there is no such element.
static bool meet(
        __constant const ocl_conv_any_data_t *data, int s, long out, long tap, long *src_pos, long *wei_pos);

static inline conv_sum_t sum_products(const conv_in_t *in, const long *dst_pos, long *wei_pos)
{
    __constant const ocl_conv_any_data_t *data = in->data;
    long src_pos[MAX_NDIMS], out[NSPATIAL];
    src_pos[0] = dst_pos[0];
    src_pos[1] = dst_pos[1] / data->oc * data->ic;
    for (int s = 0; s < NSPATIAL; ++s) {
        const int dim = s - (NSPATIAL - data->nspatial);
        out[s] = dim >= 0 ? dst_pos[2 + dim] : 0;
    }
    conv_sum_t sum = {{0.0f, 0.0f, 0}, 0};
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
    return sum;
}

#endif
