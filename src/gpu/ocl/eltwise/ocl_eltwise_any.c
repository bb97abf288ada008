// SPDX-License-Identifier: Apache-2.0
// Eltwise, generic: one program for every problem; types, layouts, algorithm and post-ops are
// run-time arguments.
#include "gpu/ocl/clh/shared/eltwise_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

extern const ocl_source_t prim__ocl_eltwise_any_cl;
extern const impl_t prim__ocl_eltwise_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const ocl_eltwise_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST))};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_eltwise_any_cl, "eltwise_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_DST, 0};
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_i32(&args, (int32_t)pd->op.alg_kind);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.alpha);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.beta);
    return prim__ocl_single_run_over_dst(primitive, ctx, &args);
}

const impl_t prim__ocl_eltwise_any = {
        .name = "ocl:eltwise:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
