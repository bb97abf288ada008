// SPDX-License-Identifier: Apache-2.0
// Eltwise between images of one shape: one texel per work-item.
//
//   src, dst       images of the IMAGE_SHAPE that follows
//   alpha, beta    parameters of the function
//   POST_OPS       binary
// Grid: x ≥ width, y ≥ height. Numerics: f32.
// -D: ALG = ELTWISE_…, those of clh/image.h.
#ifndef ALG
#error "ocl_eltwise_image needs ALG"
#endif

#include "clh/eltwise.h"
#include "clh/image.h"

__kernel void eltwise_image(__read_only image2d_t src, __write_only image2d_t dst, IMAGE_SHAPE(dst),
        float alpha, float beta POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= s.width || y >= s.height) return;
    const float4 v = eltwise(ALG, image_read(src, x, y), alpha, beta);
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(v, s, x, y), image_channel(s, x, y), s.c));
}
