// SPDX-License-Identifier: Apache-2.0
// Primitives of one kernel: creation, arguments and launch.
#include "ocl_single_kernel.h"

prim_status_t prim__ocl_single_init(prim_t *primitive, const ocl_options_t *options,
        const ocl_source_t *source, const char *name, const void *data, size_t bytes)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    TRY(prim__ocl_primitive_add_kernel(p, source, options, name));
    TRY(prim__ocl_primitive_add_data(p, data, bytes));
    return prim__ocl_primitive_add_post_ops(p);
}

prim_status_t prim__ocl_single_init_any(prim_t *primitive, const ocl_source_t *source,
        const char *name, const void *data, size_t bytes)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, primitive->pd, false);
    return prim__ocl_single_init(primitive, &options, source, name, data, bytes);
}

void prim__ocl_single_args(
        ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx, const int *tensors)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, ((const ocl_primitive_t *)primitive)->data[0]);
    for (; *tensors; ++tensors) prim__ocl_args_tensor(args, ctx, *tensors);
}

prim_status_t prim__ocl_single_run(
        const prim_t *primitive, const exec_ctx_t *ctx, ocl_args_t *args, int64_t nitems)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    prim__ocl_args_post_ops(args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, args);
}

prim_status_t prim__ocl_single_run_over_dst(
        const prim_t *primitive, const exec_ctx_t *ctx, ocl_args_t *args)
{
    const prim_memory_desc_t *const dst = prim__pd_md(primitive->pd, PRIM_ARG_DST);
    return prim__ocl_single_run(primitive, ctx, args, prim__md_nelems_padded(dst));
}
