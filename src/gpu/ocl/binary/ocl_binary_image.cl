// SPDX-License-Identifier: Apache-2.0
// Binary between images, either source may be broadcast: one texel of dst per work-item.
//
//   src0, src1     images, each of the IMAGE_SHAPE that follows; dimensions of 1 are broadcast
//   dst            image, IMAGE_SHAPE
//   POST_OPS       eltwise, binary
// Grid: x ≥ width, y ≥ height of dst. Numerics: f32.
// -D: ALG = BINARY_…, those of clh/image.h.
#ifndef ALG
#error "ocl_binary_image needs ALG"
#endif

#include "clh/binary.h"
#include "clh/image.h"

// The texel of a source for one of dst.
static inline float4 broadcast_read(__read_only image2d_t src, image_t s, image_t d, texel_t t)
{
    const bool is_splat = s.c == 1 && d.c > 1;
    const texel_t from = {s.n == 1 ? 0 : t.n, is_splat ? 0 : t.block, s.h == 1 ? 0 : t.h,
            s.w == 1 ? 0 : t.w};
    const int2 at = image_place(s, from);
    const float4 v = image_read(src, at.x, at.y);
    return is_splat ? v.xxxx : v;
}

__kernel void binary_image(__read_only image2d_t src0, IMAGE_SHAPE(src0),
        __read_only image2d_t src1, IMAGE_SHAPE(src1), __write_only image2d_t dst,
        IMAGE_SHAPE(dst) POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t a = IMAGE_OF(src0), b = IMAGE_OF(src1), d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const texel_t t = image_texel(d, x, y);
    const float4 v =
            binary_op(ALG, broadcast_read(src0, a, d, t), broadcast_read(src1, b, d, t));
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(v, d, x, y), 4 * t.block, d.c));
}
