// SPDX-License-Identifier: Apache-2.0
// Inner product from an image to an image: four outputs (one texel) per work-item.
//
//   src               image of [N, IC, IH, IW], IMAGE_SHAPE
//   wei, wei_off      [OC/4, IH, IW, IC/4, 4 of IC, 4 of OC] of WEI_T, zeros in the padding
//   bia, bia_off      [OC] of BIA_T; null without HAS_BIAS
//   dst               image of [N, OC], IMAGE_SHAPE
//   POST_OPS          eltwise, binary, prelu
// Grid: x ≥ width, y ≥ height of dst. Numerics: f32, summed pixel by pixel.
// -D: WEI, BIA (prim__ocl_options_type()), HAS_BIAS, those of clh/image.h.
#if !defined(WEI_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_ip_image needs WEI, BIA, HAS_BIAS"
#endif

#include "clh/image.h"
#include "clh/io_vec.h"

__kernel void ip_image(__read_only image2d_t src, IMAGE_SHAPE(src),
        __global const WEI_T *wei, long wei_off, __global const BIA_T *bia, long bia_off,
        __write_only image2d_t dst, IMAGE_SHAPE(dst) POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(src), d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const int c = 4 * x, nblocks = s.width / s.w;
    float4 acc = HAS_BIAS ? IMAGE_CHANNELS(BIA_LOAD, bia, bia_off, c, d.c) : (float4)(0.0f);
    wei += wei_off + (long)x * s.h * s.width * 16;
    for (int h = 0; h < s.h; ++h) {
        for (int w = 0; w < s.w; ++w) {
            for (int b = 0; b < nblocks; ++b, wei += 16) {
                const float4 v = image_read(src, b * s.w + w, y * s.h + h);
                acc = fma((float4)(v.x), WEI_LOAD4(wei, 0), acc);
                acc = fma((float4)(v.y), WEI_LOAD4(wei, 4), acc);
                acc = fma((float4)(v.z), WEI_LOAD4(wei, 8), acc);
                acc = fma((float4)(v.w), WEI_LOAD4(wei, 12), acc);
            }
        }
    }
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(acc, d, x, y), c, d.c));
}
