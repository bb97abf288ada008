// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution between image2d objects: a work-item computes one texel of dst.
//
//   src               image of [N, C, IH, IW], IMAGE_SHAPE
//   wei, wei_off      [C/4, KH, KW, 4 of C] of WEI_T, zeros in the padding
//   bia, bia_off      [C] of BIA_T; null without HAS_BIAS
//   dst               image of [N, C, OH, OW], IMAGE_SHAPE
//   kh … pw           taps, strides, dilations (1: dense), padding in front
//   POST_OPS          eltwise, binary, prelu
// Grid: x ≥ width, y ≥ height of dst. Numerics: f32, summed tap by tap.
// -D: WEI, BIA (prim__ocl_options_type()), HAS_BIAS, those of clh/image.h.
#if !defined(WEI_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_image_depthwise needs WEI, BIA, HAS_BIAS"
#endif

#include "clh/image.h"
#include "clh/io_vec.h"

__kernel void conv_image_depthwise(__read_only image2d_t src, IMAGE_SHAPE(src),
        __global const WEI_T *wei, long wei_off, __global const BIA_T *bia, long bia_off,
        __write_only image2d_t dst, IMAGE_SHAPE(dst), int kh, int kw, int sh, int sw, int dh,
        int dw, int ph, int pw POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(src), d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const int block = x / d.w, c = 4 * block, n = y / d.h;
    const int left = (x - block * d.w) * sw - pw, top = (y - n * d.h) * sh - ph;

    float4 acc = HAS_BIAS ? IMAGE_CHANNELS(BIA_LOAD, bia, bia_off, c, d.c) : (float4)(0.0f);
    wei += wei_off + (long)block * kh * kw * 4;
    for (int i = 0; i < kh; ++i) {
        const int row = top + i * dh;
        if (row < 0 || row >= s.h) continue;
        for (int j = 0; j < kw; ++j) {
            const int column = left + j * dw;
            const int at = column >= 0 && column < s.w ? column + block * s.w : -1;
            acc = fma(image_read(src, at, n * s.h + row), WEI_LOAD4(wei, 4 * (i * kw + j)), acc);
        }
    }
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(acc, d, x, y), c, d.c));
}
