// SPDX-License-Identifier: Apache-2.0
// Launches the kernel that transposes 8-bit weights.
#include "ocl_matmul_transpose.h"

#include "common/int_math.h"

extern const ocl_source_t prim__ocl_matmul_transpose_cl;

enum { WIDTH = 64, ITEMS = 256 }; // as in the .cl

prim_dim_t prim__ocl_transpose_pitch(const matmul_shape_t *shape)
{
    return (shape->k + 15) / 16 * 16;
}

bool prim__ocl_transpose_takes(const matmul_shape_t *shape)
{
    bool takes = shape->wei_n == 1 || shape->n == 1;
    for (int i = 0; i < shape->nbatch; ++i)
        takes = takes && (shape->wei_batch[i] == 0 || shape->batch[i] == 1);
    return takes;
}

prim_status_t prim__ocl_transpose_add_kernel(ocl_primitive_t *primitive)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_matmul_transpose_cl, &options, "matmul_transpose");
}

prim_status_t prim__ocl_transpose_launch(const ocl_kernel_t *kernel, const matmul_shape_t *shape,
        const exec_ctx_t *ctx, size_t booked_offset_bytes)
{
    const prim_dim_t pitch = prim__ocl_transpose_pitch(shape);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scratchpad(&args, ctx, booked_offset_bytes, 1);
    prim__ocl_args_i64(&args, shape->wei_k);
    prim__ocl_args_i32(&args, (int32_t)shape->n);
    prim__ocl_args_i32(&args, (int32_t)shape->k);
    prim__ocl_args_i32(&args, (int32_t)pitch);
    const size_t across = (size_t)prim__ceil_div(shape->n, WIDTH);
    const size_t down = (size_t)prim__ceil_div(pitch, WIDTH);
    const ocl_range_t range = {2, {across * ITEMS, down}, {ITEMS, 1}};
    return prim__ocl_launch(ctx, kernel, &range, &args);
}
