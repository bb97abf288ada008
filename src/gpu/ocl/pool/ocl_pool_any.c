// SPDX-License-Identifier: Apache-2.0
// Pooling, generic: one program for every problem; types, layouts, windows and post-ops are
// run-time arguments.
#include "common/data_type.h"
#include "common/pool_shape.h"
#include "gpu/ocl/clh/shared/pool_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

extern const ocl_source_t prim__ocl_pool_any_cl;
extern const impl_t prim__ocl_pool_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pooling_resolve(pd);
}

static void fill_axes(ocl_pool_any_data_t *data, const prim_desc_t *pd)
{
    pool_axis_t axes[3];
    prim__pooling_axes(axes, pd);
    for (int a = 0; a < 3; ++a)
        data->axes[a] = (ocl_pool_any_axis_t){.in = axes[a].in,
                .out = axes[a].out,
                .taps = axes[a].kernel,
                .stride = axes[a].stride,
                .pad = axes[a].pad,
                .jump = axes[a].step};
}

// Strides between spatial neighbours, where no inner block cuts a spatial dimension.
static void find_tap_strides(ocl_pool_any_data_t *data, const prim_memory_desc_t *src)
{
    data->has_tap_strides = 1;
    for (int b = 0; b < src->inner_nblks; ++b)
        if (src->inner_idxs[b] >= 2) data->has_tap_strides = 0;
    for (int d = 2; d < src->ndims; ++d) data->tap_strides[d - src->ndims + 3] = src->strides[d];
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    const prim_memory_desc_t *src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *dst = prim__pd_md(pd, PRIM_ARG_DST);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_pool_any_cl, &options, "pool_any"));
    ocl_pool_any_data_t data = {.src = prim__ocl_md(src),
            .dst = prim__ocl_md(dst),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .nspatial = src->ndims - 2,
            .alg = (int32_t)pd->op.alg_kind,
            .lowest = (float)prim__dt_lowest(dst->data_type)};
    fill_axes(&data, pd);
    find_tap_strides(&data, src);
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
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WORKSPACE);
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t ndst = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_DST));
    const prim_dim_t nws =
            prim__pd_has(primitive->pd, PRIM_ARG_WORKSPACE)
                    ? prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_WORKSPACE))
                    : 0;
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], ndst > nws ? ndst : nws);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_pool_any = {
        .name = "ocl:pool:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
