// SPDX-License-Identifier: Apache-2.0
// Gradients of eltwise functions, generic: one program for every problem; type, layouts and
// algorithm are run-time arguments.
#include "common/eltwise_data.h"
#include "gpu/ocl/clh/shared/eltwise_backward_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const ocl_source_t prim__ocl_eltwise_backward_any_cl;
extern const impl_t prim__ocl_eltwise_backward_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_eltwise_backward_any_cl, &options, "eltwise_backward_any"));
    const ocl_eltwise_backward_any_data_t data = {
            .data = prim__ocl_md(prim__pd_md(pd, prim__eltwise_data_arg(pd->op.alg_kind))),
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .diff_src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_SRC))};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, prim__eltwise_data_arg(pd->op.alg_kind));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i32(&args, (int32_t)pd->op.alg_kind);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.alpha);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.beta);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_SRC));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_eltwise_backward_any = {
        .name = "ocl:eltwise:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
