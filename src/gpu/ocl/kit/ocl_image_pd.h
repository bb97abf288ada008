// SPDX-License-Identifier: Apache-2.0
// What implementations on images share: requirements, shapes, arguments, ranges. The device side is
// clh/image.h.
//
//     static const ocl_image_param_t params[] = {
//             {PRIM_ARG_SRC, OCL_IMAGE_ALONE},  // __read_only image2d_t src
//             {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, // __write_only image2d_t dst, IMAGE_SHAPE(dst)
//             {0}};
//     init_pd:  TRY(prim__ocl_image_require(pd, params));
//     init:     return prim__ocl_image_init(primitive, &options, &prim__ocl_my_image_cl,
//     "my_image"); execute:  prim__ocl_image_args(&args, ctx, pd, params);
//               …                                  // numbers
//               return prim__ocl_image_run(ctx, p, &args);
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

/// How a kernel takes a tensor.
typedef enum {
    OCL_IMAGE_ALONE = 1, ///< image2d_t; no parameter where the problem has no such tensor
    OCL_IMAGE_SHAPED,    ///< image2d_t and IMAGE_SHAPE
    OCL_IMAGE_BUFFER     ///< pointer and offset, null and 0 where the problem has no such tensor
} ocl_image_kind_t;

/// The first parameters of a kernel, in their order; lists end with {0}.
typedef struct {
    int arg;
    ocl_image_kind_t kind;
} ocl_image_param_t;

/// For init_pd. The tensors that `params` takes as images must be images, those of layout `any`
/// become ones; no other tensor may be an image. Where all are open the device must prefer images,
/// or the user ask for the implementation. Declines what the device cannot hold, scales, zero
/// points, a sum (dst cannot be read), and operands of post-ops in images but one of dst's shape.
prim_status_t prim__ocl_image_require(prim_desc_t *pd, const ocl_image_param_t *params);

/// For init: the kernel `name` and its post-ops. Adds to the options -DDST_IS_F16, and
/// REAL_WIDTH=4, the chain (static) and what it needs to know of dst.
prim_status_t prim__ocl_image_init(
        prim_t *primitive, ocl_options_t *options, const ocl_source_t *source, const char *name);

/// Starts the arguments of a kernel with `params`.
void prim__ocl_image_args(ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd,
        const ocl_image_param_t *params);

/// One parameter: the image itself.
void prim__ocl_args_image(ocl_args_t *args, const exec_ctx_t *ctx, int arg);
/// IMAGE_SHAPE: seven parameters.
void prim__ocl_args_image_shape(ocl_args_t *args, const prim_desc_t *pd, int arg);

/// Adds the post-ops to the arguments of kernels[0], which writes the image dst, and launches it
/// with a work-item for each texel of dst: x < width, y < height. PRIM_INVALID_ARGUMENTS if dst is
/// one of the other arguments too, for a kernel does not read and write the same image.
prim_status_t prim__ocl_image_run(
        const exec_ctx_t *ctx, const ocl_primitive_t *primitive, ocl_args_t *args);
/// The whole of execute() where a kernel takes `params` and nothing else.
prim_status_t prim__ocl_image_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, const ocl_image_param_t *params);
/// prim__ocl_image_run() with nx × ny work-items.
prim_status_t prim__ocl_image_run_over(const exec_ctx_t *ctx, const ocl_primitive_t *primitive,
        ocl_args_t *args, int64_t nx, int64_t ny);

#endif
