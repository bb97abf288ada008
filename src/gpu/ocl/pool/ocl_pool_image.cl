// SPDX-License-Identifier: Apache-2.0
// Pooling between images: one texel of dst per work-item.
//
//   src            image of [N, C, IH, IW], IMAGE_SHAPE
//   dst            image of [N, C, OH, OW], IMAGE_SHAPE
//   kh … pw        window, strides, distances of taps (1: not dilated), padding in front
//   POST_OPS       eltwise, binary
// Grid: x ≥ width, y ≥ height of dst. Numerics: f32; a NaN never wins a maximum.
// -D: ALG = POOL_…, those of clh/image.h.
#ifndef ALG
#error "ocl_pool_image needs ALG"
#endif

#include "clh/image.h"

#define POOL_MAX 0x1ff
#define POOL_AVG_INCLUDE 0x2ff

__kernel void pool_image(__read_only image2d_t src, IMAGE_SHAPE(src), __write_only image2d_t dst,
        IMAGE_SHAPE(dst), int kh, int kw, int sh, int sw, int dh, int dw, int ph,
        int pw POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t s = IMAGE_OF(src), d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const int block = x / d.w, n = y / d.h;
    const int left = (x - block * d.w) * sw - pw, top = (y - n * d.h) * sh - ph;
    float4 acc = (float4)(ALG == POOL_MAX ? -INFINITY : 0.0f);
    int count = 0;
    for (int i = 0; i < kh; ++i) {
        const int row = top + i * dh;
        if (row < 0 || row >= s.h) continue;
        float4 row_sum = (float4)(0.0f); // on its own: one chain over all taps would lose digits
        for (int j = 0; j < kw; ++j) {
            const int column = left + j * dw;
            if (column < 0 || column >= s.w) continue;
            const float4 v = image_read(src, block * s.w + column, n * s.h + row);
            if (ALG == POOL_MAX)
                acc = select(acc, v, v > acc);
            else
                row_sum += v;
            ++count;
        }
        if (ALG != POOL_MAX) acc += row_sum;
    }
    if (ALG != POOL_MAX) acc /= (float)(ALG == POOL_AVG_INCLUDE ? kh * kw : count);
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(acc, d, x, y), 4 * block, d.c));
}
