// SPDX-License-Identifier: Apache-2.0
// What typed convolutions share: their sizes, and their scales and zero points, x·factor(c) +
// bias(c), post-ops, then x/divisor(c) + zero(c), where c counts all channels of dst.
//
//     __kernel void my_conv(__constant const my_data_t *data, … CONV_QUANT_PARAMS POST_OPS_PARAMS)
//     {
//         CONV_QUANT_DECLARE(&data->quant);
//         … x *= conv_factor(&conv_quant, c) …
//
// -DHAS_QUANT=0: all four vanish. Host side: ocl_conv.h.
#ifndef CLH_CONV_H
#define CLH_CONV_H

#include "clh/quant.h"

#ifndef HAS_QUANT
#error "HAS_QUANT is missing: prim__ocl_conv_options() sets it"
#endif

#define NSPATIAL 3 // depth, height, width; missing ones count as 1 element, 1 tap, stride 1

typedef struct {
    long src_n, src_c, src_s[NSPATIAL]; // strides; src_c and dst_c are of a block of 16 channels
    long dst_n, dst_c, dst_s[NSPATIAL]; // where the channels of the tensor lie side by side
    long src_span;                      // elements of src that may be read, from src_off on
    int in[NSPATIAL], out[NSPATIAL], taps[NSPATIAL], stride[NSPATIAL];
    int dilation[NSPATIAL], pad[NSPATIAL]; // dilation 1 is dense
    int ic, oc;                            // of a group
    int oc_padded; // oc in the memory of dst; more than oc only if there is one group
    int nspatial;
} conv_geo_t;

typedef struct {
    ocl_quant_t dst_scales, dst_zps;
    int src_scales_dt, wei_scales_dt; // DT_UNDEF: not set
    int wei_scale_step;               // 1: one for each channel of dst
    int reserved;
} conv_quant_t;

#if HAS_QUANT

#define CONV_QUANT_PARAMS                                                                    \
    , __global const void *src_scales, long src_scales_off, __global const void *wei_scales, \
            long wei_scales_off, __global const void *dst_scales, long dst_scales_off,       \
            __global const void *dst_zps, long dst_zps_off
#define CONV_QUANT_DECLARE(quant)                                                         \
    const conv_quants_t conv_quant = {quant, src_scales, wei_scales, dst_scales, dst_zps, \
            src_scales_off, wei_scales_off, dst_scales_off, dst_zps_off}

typedef struct {
    __constant const conv_quant_t *quant;
    __global const void *src_scales, *wei_scales, *dst_scales, *dst_zps;
    long src_scales_off, wei_scales_off, dst_scales_off, dst_zps_off;
} conv_quants_t;

static inline float conv_factor(const conv_quants_t *q, long c)
{
    float factor = 1.0f;
    if (q->quant->src_scales_dt)
        factor = load_any(q->src_scales, q->src_scales_off, q->quant->src_scales_dt);
    if (q->quant->wei_scales_dt)
        factor *= load_any(q->wei_scales, q->wei_scales_off + c * q->quant->wei_scale_step,
                q->quant->wei_scales_dt);
    return factor;
}

static inline float conv_divisor(const conv_quants_t *q, long c)
{
    const long pos[5] = {0, c, 0, 0, 0};
    return quant_scale(&q->quant->dst_scales, q->dst_scales, q->dst_scales_off, pos);
}

static inline float conv_zero(const conv_quants_t *q, long c)
{
    const long pos[5] = {0, c, 0, 0, 0};
    return (float)quant_zero_point(&q->quant->dst_zps, q->dst_zps, q->dst_zps_off, pos);
}

#else

#define CONV_QUANT_PARAMS
#define CONV_QUANT_DECLARE(quant)

#endif

#endif
