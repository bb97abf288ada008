// SPDX-License-Identifier: Apache-2.0
// Reorder to, from and between images.
//
//   data                descriptor of the side that is a buffer
//   src + src_off, dst + dst_off  the buffer, [dims] of type data->buffer.dt; padding of dst becomes 0
//   src, dst            the image, of the IMAGE_SHAPE that follows it
// reorder_to_image, reorder_image: one texel per work-item, grid x ≥ width, y ≥ height.
// reorder_from_image: one element of dst per work-item, padding included, grid x ≥ its nelems_padded.
// Numerics: f32; 16-bit floats that do not change their type keep their values.
// -D: those of clh/image.h.
#include "clh/image.h"
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/shared/reorder_image_data.h"

// The position of a texel but for its channels.
static inline void texel_position(long *pos, int ndims, texel_t t)
{
    if (ndims == 1) return;
    pos[0] = t.n;
    if (ndims > 2) pos[ndims - 1] = t.w;
    if (ndims > 3) pos[2] = t.h;
}

__kernel void reorder_to_image(__constant const ocl_reorder_image_data_t *data, __global const void *src,
        long src_off, __write_only image2d_t dst, IMAGE_SHAPE(dst))
{
    const image_t s = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= s.width || y >= s.height) return;
    const texel_t t = image_texel(s, x, y);
    const int c = 4 * t.block, ndims = data->buffer.ndims;
    long pos[MAX_NDIMS];
    texel_position(pos, ndims, t);
    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 4 && c + i < s.c; ++i) {
        pos[ndims > 1] = c + i;
        v[i] = load_any(src, src_off + md_offset(&data->buffer, pos), data->buffer.dt);
    }
    image_write(dst, x, y, vload4(0, v));
}

__kernel void reorder_from_image(__constant const ocl_reorder_image_data_t *data, __read_only image2d_t src,
        IMAGE_SHAPE(src), __global void *dst, long dst_off)
{
    const image_t s = IMAGE_OF(src);
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->buffer, dst, index)) return;
    const int ndims = data->buffer.ndims;
    const int c = (int)pos[ndims > 1], lane = c % 4;
    const texel_t t = {ndims > 1 ? (int)pos[0] : 0, c / 4, ndims > 3 ? (int)pos[2] : 0,
            ndims > 2 ? (int)pos[ndims - 1] : 0};
    const int2 at = image_place(s, t);
    const float4 v = image_read(src, at.x, at.y);
    const float2 half_of_v = lane < 2 ? v.xy : v.zw;
    store_any(dst, dst_off, data->buffer.dt, lane % 2 ? half_of_v.y : half_of_v.x);
}

__kernel void reorder_image(__read_only image2d_t src, __write_only image2d_t dst, IMAGE_SHAPE(dst))
{
    const image_t s = IMAGE_OF(dst);
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= s.width || y >= s.height) return;
    image_write(dst, x, y, image_read(src, x, y));
}
