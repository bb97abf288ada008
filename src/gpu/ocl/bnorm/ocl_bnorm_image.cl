// SPDX-License-Identifier: Apache-2.0
// Batch normalisation between images, with given statistics: one texel per work-item.
//
//   src, addend, dst     images of the IMAGE_SHAPE that follows dst; addend with -DWITH_ADDEND
//   mean, variance, scale, shift + _off  [C] f32; scale and shift null where there is none
//   epsilon
//   POST_OPS             eltwise relu
// Grid: x ≥ width, y ≥ height. Numerics: f32.
// -D: WITH_ADDEND, WITH_RELU, WITH_SCALE, WITH_SHIFT, those of clh/image.h.
#if !defined(WITH_ADDEND) || !defined(WITH_RELU) || !defined(WITH_SCALE) || !defined(WITH_SHIFT)
#error "ocl_bnorm_image needs WITH_ADDEND, WITH_RELU, WITH_SCALE, WITH_SHIFT"
#endif

#include "clh/image.h"
#include "clh/io.h"

#if WITH_ADDEND
#define ADDEND_PARAM __read_only image2d_t addend,
#else
#define ADDEND_PARAM
#endif

__kernel void bnorm_image(__read_only image2d_t src, ADDEND_PARAM __write_only image2d_t dst,
        IMAGE_SHAPE(dst), __global const float *mean, long mean_off,
        __global const float *variance, long variance_off, __global const float *scale,
        long scale_off, __global const float *shift, long shift_off, float epsilon POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const image_t d = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= d.width || y >= d.height) return;
    const int c = image_channel(d, x, y);
    float4 factor = 1.0f / sqrt(IMAGE_CHANNELS(load_f32, variance, variance_off, c, d.c) + epsilon);
    if (WITH_SCALE) factor *= IMAGE_CHANNELS(load_f32, scale, scale_off, c, d.c);
    float4 v = (image_read(src, x, y) - IMAGE_CHANNELS(load_f32, mean, mean_off, c, d.c)) * factor;
    if (WITH_SHIFT) v += IMAGE_CHANNELS(load_f32, shift, shift_off, c, d.c);
#if WITH_ADDEND
    v += image_read(addend, x, y);
#endif
    if (WITH_RELU) v = select((float4)(0.0f), v, v > 0.0f);
    image_write(dst, x, y, image_mask(IMAGE_CHAIN(v, d, x, y), c, d.c));
}
