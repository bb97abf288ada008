// SPDX-License-Identifier: Apache-2.0
// Self-test of 2-D RGBA images: both ways to read, a read outside, and a write.
//
//   dst   [7, 5] texels
//   src   [7, 5] texels; outside they are 0
// Grid: x = 64, in one group; each work-item takes a texel, the rest have none.
// Numerics: exact, the host chooses the values so. -D: none.

enum { WIDTH = 7, HEIGHT = 5 };

// dst = 2·src + src to the right + ¼·src above
__kernel void image_ops(__write_only image2d_t dst, __read_only image2d_t src)
{
    const sampler_t clamped =
            CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const int i = (int)get_global_id(0);
    if (i >= WIDTH * HEIGHT) return;
    const int2 at = (int2)(i % WIDTH, i / WIDTH);
    const float4 here = read_imagef(src, at);
    const float4 right = read_imagef(src, clamped, at + (int2)(1, 0));
    const float4 above = read_imagef(src, clamped, at - (int2)(0, 1));
    write_imagef(dst, at, 2.0f * here + right + 0.25f * above);
}
