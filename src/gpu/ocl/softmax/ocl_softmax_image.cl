// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax between images. Along the channels a work-item takes a pixel; along another axis it takes
// a column of texels, which holds four rows of the tensor.
//
//   src            image of the shape of dst
//   dst            image, IMAGE_SHAPE
//   npixels        work-items with x < npixels compute
//   axis_elems     extent of the axis
//   POST_OPS       eltwise, binary
// Grid: x ≥ npixels, y ≥ height of dst. Numerics: f32; maximum, sum of e^(x − max), result: three
// passes over src.
// -D: AXIS = 0 n, 1 c, 2 h, 3 w; IS_LOG, those of clh/image.h.
#if !defined(AXIS) || !defined(IS_LOG)
#error "ocl_softmax_image needs AXIS, IS_LOG"
#endif

#include "clh/image.h"

// Where the k-th texel of a work-item lies: of its pixel, or of its column.
static inline int2 step_place(image_t d, texel_t t, int k)
{
    const texel_t at = {AXIS == 0 ? k : t.n, AXIS == 1 ? k : t.block, AXIS == 2 ? k : t.h,
            AXIS == 3 ? k : t.w};
    return image_place(d, at);
}

// Channels beyond the tensor must not take part in what a work-item sums over its channels.
static inline int4 lanes_inside(image_t d, int k)
{
    return AXIS == 1 ? 4 * k + (int4)(0, 1, 2, 3) < d.c : (int4)(-1);
}

// A NaN stays one.
static inline float4 larger(float4 a, float4 b)
{
    return select(a, b, b > a || isnan(b));
}

// Over the channels of a texel, for all of them, if they are of one row.
static inline float4 join_max(float4 v)
{
    if (AXIS != 1) return v;
    v = larger(v, v.yxwz);
    return larger(v, v.zwxy);
}

static inline float4 join_sum(float4 v)
{
    return AXIS == 1 ? (float4)((v.x + v.y) + (v.z + v.w)) : v;
}

__kernel void softmax_image(__read_only image2d_t src, __write_only image2d_t dst, IMAGE_SHAPE(dst),
        int npixels, int axis_elems POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= npixels || y >= d.height) return;
    const texel_t t = image_texel(d, x, y);
    // One work-item for a row: the one that stands at its start.
    const int first = AXIS == 0 ? t.n : AXIS == 1 ? t.block : AXIS == 2 ? t.h : t.w;
    if (first > 0) return;
    const int n = AXIS == 1 ? (axis_elems + 3) / 4 : axis_elems;
    float4 top = (float4)(-INFINITY), sum = (float4)(0.0f);
    for (int k = 0; k < n; ++k) {
        const int2 at = step_place(d, t, k);
        const float4 v = image_read(src, at.x, at.y);
        top = larger(top, select((float4)(-INFINITY), v, lanes_inside(d, k)));
    }
    top = join_max(top);
    for (int k = 0; k < n; ++k) {
        const int2 at = step_place(d, t, k);
        const float4 e = exp(image_read(src, at.x, at.y) - top);
        sum += select((float4)(0.0f), e, lanes_inside(d, k));
    }
    sum = join_sum(sum);
    const float4 log_sum = log(sum);
    for (int k = 0; k < n; ++k) {
        const int2 at = step_place(d, t, k);
        const float4 v = image_read(src, at.x, at.y) - top;
        const float4 result = IS_LOG ? v - log_sum : exp(v) / sum;
        const int c = AXIS == 1 ? 4 * k : 4 * t.block;
        image_write(dst, at.x, at.y, image_mask(IMAGE_CHAIN(result, d, at.x, at.y), c, d.c));
    }
}
