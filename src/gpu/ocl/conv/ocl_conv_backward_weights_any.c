// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution by weights and bias on OpenCL devices for every problem: one
// program, all else is run-time data.
#include "ocl_conv_backward_any.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_any_cl;
extern const impl_t prim__ocl_conv_backward_weights_any;

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_conv_backward_any_init(
            primitive, &prim__ocl_conv_backward_weights_any_cl, "conv_backward_weights_any");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {
            PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS, PRIM_ARG_DIFF_BIAS, 0};
    const prim_desc_t *const pd = primitive->pd;
    int64_t nitems = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS));
    if (prim__pd_has(pd, PRIM_ARG_DIFF_BIAS))
        nitems += prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS));
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, nitems);
}

const impl_t prim__ocl_conv_backward_weights_any = {
        .name = "ocl:conv:backward_weights_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_conv_backward_any_init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
