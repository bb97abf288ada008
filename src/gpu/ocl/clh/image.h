// SPDX-License-Identifier: Apache-2.0
// Tensors in images: texels of four channels, the last of a pixel padded with zeros.
//
//   IMAGE_SHAPE(src)           seven int parameters of a kernel that IMAGE_OF(src) makes an image_t of
//   image_read(image, x, y)    a texel; 0 outside the image (x or y −1: padding)
//   image_write(image, x, y, v)  stores it, f16 rounded to nearest even whatever the device rounds to
//   image_channel(s, x, y)     the first of the four channels of a texel
//   image_texel(s, x, y)       its image, channel block, row and column in the tensor;
//   image_place(s, t)          the inverse
//   image_mask(v, c, nc)       v, zero from channel nc on, c being the first
//   IMAGE_CHANNELS(load, p, off, c, nc)  four values of a vector of nc, 0 beyond it
//   IMAGE_CHAIN(v, s, x, y)    the post-ops of dst's texel, of shape s; POST_OPS_DECLARE comes before
// -D: DST_IS_F16, REAL_WIDTH = 4, those of clh/post_ops.h, PO_WITH_IMAGE, PO_VECTOR_DIM, MD_NDIMS.
#ifndef CLH_IMAGE_H
#define CLH_IMAGE_H

#if !defined(DST_IS_F16) || !defined(WITH_POST_OPS)
#error "clh/image.h needs DST_IS_F16, WITH_POST_OPS"
#endif
#if REAL_WIDTH != 4
#error "REAL_WIDTH is not 4"
#endif

#include "clh/post_ops.h"

typedef struct {
    int n, c, h, w, width, height, row;
} image_t;

#define IMAGE_SHAPE(name) \
    int name##_n, int name##_c, int name##_h, int name##_w, int name##_width, int name##_height, \
            int name##_row
#define IMAGE_OF(name) \
    { name##_n, name##_c, name##_h, name##_w, name##_width, name##_height, name##_row }

__constant const sampler_t image_sampler =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

static inline float4 image_read(__read_only image2d_t image, int x, int y)
{
    return read_imagef(image, image_sampler, (int2)(x, y));
}

// Devices may round to zero in a store to f16 (OpenCL 1.2, 8.3.2), so the value is one of f16 before.
static inline void image_write(__write_only image2d_t image, int x, int y, float4 v)
{
#if DST_IS_F16
    ushort halves[4];
    vstore_half4_rte(v, 0, (half *)halves);
    v = vload_half4(0, (const half *)halves);
#endif
    write_imagef(image, (int2)(x, y), v);
}

typedef struct {
    int n, block, h, w;
} texel_t;

static inline texel_t image_texel(image_t s, int x, int y)
{
    if (s.row) return (texel_t){0, y * s.row + x, 0, 0};
    const int block = x / s.w, n = y / s.h;
    return (texel_t){n, block, y - n * s.h, x - block * s.w};
}

static inline int2 image_place(image_t s, texel_t t)
{
    if (s.row) return (int2)(t.block % s.row, t.block / s.row);
    return (int2)(t.block * s.w + t.w, t.n * s.h + t.h);
}

static inline int image_channel(image_t s, int x, int y)
{
    return 4 * image_texel(s, x, y).block;
}

static inline float4 image_mask(float4 v, int c, int nc)
{
    const int4 lanes = (int4)(c, c + 1, c + 2, c + 3);
    return select((float4)(0.0f), v, lanes < nc);
}

#define IMAGE_CHANNELS(load, p, off, c, nc) \
    (float4)(load(p, (off) + (c)), (c) + 1 < (nc) ? load(p, (off) + (c) + 1) : 0.0f, \
            (c) + 2 < (nc) ? load(p, (off) + (c) + 2) : 0.0f, \
            (c) + 3 < (nc) ? load(p, (off) + (c) + 3) : 0.0f)

#if WITH_POST_OPS

// The position of a texel's first channel.
static inline void image_position(long *pos, image_t s, int x, int y)
{
    const texel_t t = image_texel(s, x, y);
#if MD_NDIMS == 1
    pos[0] = 4 * t.block;
#else
    pos[0] = t.n;
    pos[1] = 4 * t.block;
#if MD_NDIMS == 3
    pos[2] = t.w;
#elif MD_NDIMS == 4
    pos[2] = t.h;
    pos[3] = t.w;
#endif
#endif
}

static inline float4 image_chain(const post_ops_t *po, image_t s, int x, int y, float4 v)
{
    long pos[MAX_NDIMS];
    if (PO_NEEDS_POSITION) image_position(pos, s, x, y);
    return post_ops_apply(po, v, pos, 0, 0);
}

#if PO_WITH_IMAGE
#define IMAGE_CHAIN(v, s, x, y) \
    (po.given = image_read(po_image, x, y), image_chain(&po, s, x, y, v))
#else
#define IMAGE_CHAIN(v, s, x, y) image_chain(&po, s, x, y, v)
#endif

#else
#define IMAGE_CHAIN(v, s, x, y) (v)
#endif

#endif
