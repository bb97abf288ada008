// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling, generic: one program for every problem; types, layouts and windows are
// run-time arguments.
#include "common/pool_shape.h"
#include "gpu/ocl/clh/shared/pool_backward_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

extern const ocl_source_t prim__ocl_pool_backward_any_cl;
extern const impl_t prim__ocl_pool_backward_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow_gradients(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    ocl_pool_backward_any_data_t data = {
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .diff_src = prim__ocl_md(diff_src),
            .nspatial = diff_src->ndims - 2,
            .alg = (int32_t)pd->op.alg_kind};
    pool_axis_t axes[3];
    prim__pooling_axes(axes, pd);
    for (int a = 0; a < 3; ++a)
        data.axes[a] = (ocl_pool_any_axis_t){.in = axes[a].in,
                .out = axes[a].out,
                .taps = axes[a].kernel,
                .stride = axes[a].stride,
                .pad = axes[a].pad,
                .jump = axes[a].step};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_pool_backward_any_cl,
            "pool_backward_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WORKSPACE, PRIM_ARG_DIFF_SRC, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args,
            prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_DIFF_SRC)));
}

const impl_t prim__ocl_pool_backward_any = {
        .name = "ocl:pool:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
