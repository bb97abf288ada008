// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src on OpenCL devices for every problem: one program, all else is
// run-time data.
#include "ocl_conv_backward_any.h"

extern const ocl_source_t prim__ocl_conv_backward_data_any_cl;
extern const impl_t prim__ocl_conv_backward_data_any;

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_conv_backward_any_init(
            primitive, &prim__ocl_conv_backward_data_any_cl, "conv_backward_data_any");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC, 0};
    const prim_memory_desc_t *const diff_src = prim__pd_md(primitive->pd, PRIM_ARG_DIFF_SRC);
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, prim__md_nelems_padded(diff_src));
}

const impl_t prim__ocl_conv_backward_data_any = {
        .name = "ocl:conv:backward_data_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_conv_backward_any_init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
