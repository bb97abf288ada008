// SPDX-License-Identifier: Apache-2.0
// Resampling, generic: one program for every problem; types, layouts and post-ops are run-time
// arguments.
#include "gpu/ocl/clh/shared/resampling_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

extern const ocl_source_t prim__ocl_resampling_any_cl;
extern const impl_t prim__ocl_resampling_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__md_set_like_if_any(
            prim__pd_md_mutable(pd, PRIM_ARG_DST), prim__pd_md(pd, PRIM_ARG_SRC));
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_resampling_any_cl, &options, "resampling_any"));
    const ocl_resampling_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .is_linear = pd->op.alg_kind == PRIM_RESAMPLING_LINEAR};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_DST));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_resampling_any = {
        .name = "ocl:resampling:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
