// SPDX-License-Identifier: Apache-2.0
// What implementations on images share: requirements, shapes, arguments, ranges. The device side is
// clh/image.h.
//
//     init_pd:  static const int images[] = {PRIM_ARG_SRC, PRIM_ARG_DST};
//               TRY(prim__ocl_image_require(pd, images, 2));
//     init:     prim__ocl_image_options(&options, pd);
//               … prim__ocl_primitive_add_post_ops(p)
//     execute:  prim__ocl_args_image(&args, ctx, PRIM_ARG_SRC);      // __read_only image2d_t src
//               prim__ocl_args_image_shape(&args, pd, PRIM_ARG_SRC); // IMAGE_SHAPE(src)
//               …
//               prim__ocl_args_post_ops(&args, ctx, p);
//               const ocl_range_t range = prim__ocl_image_range(kernel, pd, PRIM_ARG_DST);
//               return prim__ocl_image_launch(ctx, kernel, &range, &args);
#ifndef PRIM_OCL_IMAGE_PD_H
#define PRIM_OCL_IMAGE_PD_H

#include "gpu/ocl/memory/ocl_image.h"
#include "ocl_post_ops.h"

/// As image_t in clh/image.h.
typedef struct {
    int32_t n, c, h, w;    ///< missing dimensions count 1; a vector is c channels of one pixel
    int32_t width, height; ///< in texels
    int32_t row;           ///< texels of a row of a vector; 0 for other tensors
} ocl_image_t;

ocl_image_t prim__ocl_image_shape(const prim_memory_desc_t *md);

/// Which of n (0), c (1), h (2), w (3) dimension `dim` of a tensor is.
int prim__ocl_image_axis(int ndims, int dim);

/// For init_pd. The tensors `args` must be images, those of layout `any` become ones; no other
/// tensor may be an image. Where all are open the device must prefer images, or the user ask for
/// the implementation. Declines what the device cannot hold, scales, zero points, a sum (dst cannot
/// be read), and operands of post-ops in images but one of dst's shape.
prim_status_t prim__ocl_image_require(prim_desc_t *pd, const int *args, int nargs);

/// Adds -DDST_IS_F16, and REAL_WIDTH=4, the post-op chain (static) and what it needs to know of
/// dst.
void prim__ocl_image_options(ocl_options_t *options, const prim_desc_t *pd);

/// One parameter: the image itself.
void prim__ocl_args_image(ocl_args_t *args, const exec_ctx_t *ctx, int arg);
/// IMAGE_SHAPE: seven parameters.
void prim__ocl_args_image_shape(ocl_args_t *args, const prim_desc_t *pd, int arg);

/// A work-item for each texel: x < width, y < height.
ocl_range_t prim__ocl_image_range(const ocl_kernel_t *kernel, const prim_desc_t *pd, int arg);
/// The same for other extents.
ocl_range_t prim__ocl_image_range_of(const ocl_kernel_t *kernel, int64_t nx, int64_t ny);

/// prim__ocl_launch() of a kernel that writes the image dst: PRIM_INVALID_ARGUMENTS if that is one
/// of the other arguments too, for a kernel does not read and write the same image.
prim_status_t prim__ocl_image_launch(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args);

#endif
