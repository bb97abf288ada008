// SPDX-License-Identifier: Apache-2.0
// Pooling, generic: one program for every problem; types, layouts, windows and post-ops are
// run-time arguments.
#include "common/data_type.h"
#include "common/pool_shape.h"
#include "gpu/ocl/clh/shared/pool_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

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
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    ocl_pool_any_data_t data = {.src = prim__ocl_md(src),
            .dst = prim__ocl_md(dst),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .nspatial = src->ndims - 2,
            .alg = (int32_t)pd->op.alg_kind,
            .lowest = (float)prim__dt_lowest(dst->data_type)};
    fill_axes(&data, pd);
    find_tap_strides(&data, src);
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_pool_any_cl, "pool_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_WORKSPACE, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    const prim_dim_t ndst = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_DST));
    const prim_dim_t nws =
            prim__pd_has(primitive->pd, PRIM_ARG_WORKSPACE)
                    ? prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_WORKSPACE))
                    : 0;
    return prim__ocl_single_run(primitive, ctx, &args, ndst > nws ? ndst : nws);
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
