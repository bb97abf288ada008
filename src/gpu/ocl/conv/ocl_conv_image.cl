// SPDX-License-Identifier: Apache-2.0
// Convolution between image2d objects: a work-item computes four output channels (a texel) of four pixels
// of a row.
//
//   src               image of [N, G·IC, IH, IW], IMAGE_SHAPE
//   wei, wei_off      [G, OC/4, KH, KW, IC/4, 4 of IC, 4 of OC] of WEI_T, zeros in the padding
//   bia, bia_off      [G·OC] of BIA_T; null without HAS_BIAS
//   dst               image of [N, G·OC, OH, OW], IMAGE_SHAPE
//   nic, noc          blocks of four channels in a group, of src and of dst
//   kh … pw           taps, strides, dilations (1: dense), padding in front
//   POST_OPS          eltwise, binary, prelu
// Grid: x ≥ G·noc·ceil(OW/4), y ≥ N·OH. Numerics: f32, summed tap by tap.
// -D: WEI, BIA (prim__ocl_options_type()), HAS_BIAS, those of clh/image.h.
#if !defined(WEI_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_image needs WEI, BIA, HAS_BIAS"
#endif

#include "clh/image.h"
#include "clh/io_vec.h"

enum { TILE = 4 };

// acc += v · w, w being 4 of IC by 4 of OC.
static inline float4 multiply(float4 acc, float4 v, const float4 *w)
{
    acc = fma((float4)(v.x), w[0], acc);
    acc = fma((float4)(v.y), w[1], acc);
    acc = fma((float4)(v.z), w[2], acc);
    return fma((float4)(v.w), w[3], acc);
}

__kernel void conv_image(__read_only image2d_t src, IMAGE_SHAPE(src), __global const WEI_T *wei,
        long wei_off, __global const BIA_T *bia, long bia_off, __write_only image2d_t dst,
        IMAGE_SHAPE(dst), int nic, int noc, int kh, int kw, int sh, int sw, int dh, int dw, int ph,
        int pw POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(src), d = IMAGE_OF(dst);
    const int ntiles = (d.w + TILE - 1) / TILE;
    const int block = (int)get_global_id(0) / ntiles, y = (int)get_global_id(1);
    const int first = ((int)get_global_id(0) - block * ntiles) * TILE; // of the pixels
    if (4 * block >= d.c || y >= d.height) return;
    const int c = 4 * block, n = y / d.h;
    const int src_block = block / noc * nic, start = (y - n * d.h) * sh - ph;

    const float4 bias = HAS_BIAS ? IMAGE_CHANNELS(BIA_LOAD, bia, bia_off, c, d.c) : (float4)(0.0f);
    float4 acc[TILE] = {bias, bias, bias, bias};
    wei += wei_off + (long)block * kh * kw * nic * 16;
    for (int i = 0; i < kh; ++i) {
        const int row = start + i * dh;
        if (row < 0 || row >= s.h) {
            wei += kw * nic * 16;
            continue;
        }
        for (int j = 0; j < kw; ++j) {
            int at[TILE]; // columns of src; beyond it −1, and it stays outside
            for (int t = 0; t < TILE; ++t) {
                const int column = (first + t) * sw - pw + j * dw;
                at[t] = column >= 0 && column < s.w ? column + src_block * s.w : -1;
            }
            for (int b = 0; b < nic; ++b, wei += 16) {
                float4 w[4];
                for (int k = 0; k < 4; ++k) w[k] = WEI_LOAD4(wei, 4 * k);
                for (int t = 0; t < TILE; ++t) {
                    const int x = at[t] < 0 ? -1 : at[t] + b * s.w;
                    acc[t] = multiply(acc[t], image_read(src, x, n * s.h + row), w);
                }
            }
        }
    }
    for (int t = 0; t < TILE && first + t < d.w; ++t) {
        const int x = block * d.w + first + t;
        image_write(dst, x, y, image_mask(IMAGE_CHAIN(acc[t], d, x, y), c, d.c));
    }
}
