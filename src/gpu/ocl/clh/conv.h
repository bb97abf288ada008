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
#include "clh/shared/conv_data.h"

#ifndef HAS_QUANT
#error "HAS_QUANT is missing: prim__ocl_conv_options() sets it"
#endif

#if HAS_QUANT

#define CONV_QUANT_PARAMS                                                                    \
    , __global const void *src_scales, long src_scales_off, __global const void *wei_scales, \
            long wei_scales_off, __global const void *dst_scales, long dst_scales_off,       \
            __global const void *dst_zps, long dst_zps_off
#define CONV_QUANT_DECLARE(quant)                                                         \
    const conv_quants_t conv_quant = {quant, src_scales, wei_scales, dst_scales, dst_zps, \
            src_scales_off, wei_scales_off, dst_scales_off, dst_zps_off}

typedef struct {
    __constant const ocl_conv_quant_t *quant;
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
