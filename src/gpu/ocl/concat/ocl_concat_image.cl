// SPDX-License-Identifier: Apache-2.0
// Concat of images: one texel of dst per work-item, which may read from several sources, as a texel may hold
// channels of several.
//
//   for each source   the image, its IMAGE_SHAPE, its first position along the axis
//   dst            image, IMAGE_SHAPE
// Grid: x ≥ width, y ≥ height of dst. Numerics: values are copied, every bit.
// -D: NSRCS = 1 … 8, AXIS = 0 n, 1 c, 2 h, 3 w, those of clh/image.h.
#if !defined(NSRCS) || !defined(AXIS)
#error "ocl_concat_image needs NSRCS, AXIS"
#endif
#if NSRCS < 1 || NSRCS > 8
#error "NSRCS is not 1 to 8"
#endif

#include "clh/image.h"

// The texel of channel block `block` of src, 0 if it has none such.
static inline float4 read_block(__read_only image2d_t src, image_t s, texel_t t, int block)
{
    if (block < 0 || 4 * block >= s.c) return (float4)(0.0f);
    const int2 at = image_place(s, (texel_t){t.n, block, t.h, t.w});
    return image_read(src, at.x, at.y);
}

// Four channels of src from `c` on, which may begin before it and end behind it.
static inline float4 read_channels(__read_only image2d_t src, image_t s, texel_t t, int c)
{
    const int block = (c + 4) / 4 - 1, shift = c - 4 * block;
    const float4 a = read_block(src, s, t, block);
    if (shift == 0) return a;
    const float4 b = read_block(src, s, t, block + 1);
    if (shift == 1) return (float4)(a.yzw, b.x);
    if (shift == 2) return (float4)(a.zw, b.xy);
    return (float4)(a.w, b.xyz);
}

// Puts into `v`, dst's texel at `t`, what src has of it; src starts at `start` along the axis.
static inline float4 take(__read_only image2d_t src, image_t s, int start, texel_t t, float4 v)
{
#if AXIS == 1
    const int c = 4 * t.block - start;
    if (c <= -4 || c >= s.c) return v;
    const int4 lanes = c + (int4)(0, 1, 2, 3);
    return select(v, read_channels(src, s, t, c), lanes >= 0 && lanes < s.c);
#else
    const int extent = AXIS == 0 ? s.n : AXIS == 2 ? s.h : s.w;
    const int k = (AXIS == 0 ? t.n : AXIS == 2 ? t.h : t.w) - start;
    if (k < 0 || k >= extent) return v;
    const texel_t from = {AXIS == 0 ? k : t.n, t.block, AXIS == 2 ? k : t.h, AXIS == 3 ? k : t.w};
    const int2 at = image_place(s, from);
    return image_read(src, at.x, at.y);
#endif
}

#define SOURCE(i) __read_only image2d_t src_##i, IMAGE_SHAPE(src_##i), int start_##i,
#define TAKE(i) \
    { \
        const image_t s = IMAGE_OF(src_##i); \
        v = take(src_##i, s, start_##i, t, v); \
    }
#define EACH_1(f) f(0)
#define EACH_2(f) EACH_1(f) f(1)
#define EACH_3(f) EACH_2(f) f(2)
#define EACH_4(f) EACH_3(f) f(3)
#define EACH_5(f) EACH_4(f) f(4)
#define EACH_6(f) EACH_5(f) f(5)
#define EACH_7(f) EACH_6(f) f(6)
#define EACH_8(f) EACH_7(f) f(7)
#define JOIN(a, b) a##b
#define EACH_OF(n) JOIN(EACH_, n)

__kernel void concat_image(EACH_OF(NSRCS)(SOURCE) __write_only image2d_t dst, IMAGE_SHAPE(dst))
{
    const image_t d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const texel_t t = image_texel(d, x, y);
    float4 v = (float4)(0.0f);
    EACH_OF(NSRCS)(TAKE)
    image_write(dst, x, y, v);
}
