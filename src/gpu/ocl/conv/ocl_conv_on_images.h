// SPDX-License-Identifier: Apache-2.0
// What the convolutions between images share.
#ifndef PRIM_OCL_CONV_ON_IMAGES_H
#define PRIM_OCL_CONV_ON_IMAGES_H

#include "gpu/ocl/kit/ocl_image_pd.h"
#include "ocl_conv.h"

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
} conv_image_pd_t;

_Static_assert(offsetof(conv_image_pd_t, base) == 0, "the base comes first");

/// For init_pd, first: fills the shape; the direct algorithm, two spatial dimensions at most.
prim_status_t prim__ocl_conv_image_check(conv_image_pd_t *pd);
/// For init_pd, after what declines by the shape: src and dst are images, weights have the
/// layout `wei_tag` or get it, bias is a vector.
prim_status_t prim__ocl_conv_image_require(conv_image_pd_t *pd, const char *wei_tag);

/// init: the kernel `name` of `source`.
prim_status_t prim__ocl_conv_image_init(
        prim_t *primitive, const ocl_source_t *source, const char *name);

/// Starts the arguments with those from src to dst's shape …
void prim__ocl_conv_image_args_tensors(
        ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd);
/// … and kh … pw.
void prim__ocl_conv_image_args_window(ocl_args_t *args, const conv_shape_t *shape);

#endif
