// SPDX-License-Identifier: Apache-2.0
// Resampling between images: one texel of dst per work-item.
//
//   src, dst       images, each of the IMAGE_SHAPE that follows
//   POST_OPS       eltwise, binary
// Grid: x ≥ width, y ≥ height of dst. Numerics: f32; positions in integers.
// -D: LINEAR, those of clh/image.h.
#ifndef LINEAR
#error "ocl_resampling_image needs LINEAR"
#endif

#include "clh/image.h"
#include "clh/resampling.h"

static inline float4 read_pixel(__read_only image2d_t src, image_t s, texel_t t, int h, int w)
{
    const int2 at = image_place(s, (texel_t){t.n, t.block, h, w});
    return image_read(src, at.x, at.y);
}

__kernel void resampling_image(__read_only image2d_t src, IMAGE_SHAPE(src),
        __write_only image2d_t dst, IMAGE_SHAPE(dst) POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(src), d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const texel_t t = image_texel(d, x, y);
#if LINEAR
    const linear_t v = linear_source(t.h, s.h, d.h), u = linear_source(t.w, s.w, d.w);
    const int top = (int)v.left, bottom = (int)v.right, left = (int)u.left, right = (int)u.right;
    const float4 above = read_pixel(src, s, t, top, left) * u.keep +
            read_pixel(src, s, t, top, right) * u.share;
    const float4 below = read_pixel(src, s, t, bottom, left) * u.keep +
            read_pixel(src, s, t, bottom, right) * u.share;
    const float4 value = above * v.keep + below * v.share;
#else
    const float4 value = read_pixel(
            src, s, t, (int)nearest_source(t.h, s.h, d.h), (int)nearest_source(t.w, s.w, d.w));
#endif
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(value, d, x, y), 4 * t.block, d.c));
}
