// SPDX-License-Identifier: Apache-2.0
// Reorder, generic: one program for every problem; types, layouts and attributes are run-time
// arguments.
#include "gpu/ocl/clh/shared/reorder_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_reorder_sides.h"

extern const ocl_source_t prim__ocl_reorder_any_cl;
extern const impl_t prim__ocl_reorder_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *pd = primitive->pd;
    const prim_memory_desc_t *src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *dst = prim__pd_md(pd, PRIM_ARG_TO);
    const ocl_reorder_any_data_t data = {.src = prim__ocl_md(src),
            .dst = prim__ocl_md(dst),
            .src_scales = prim__ocl_scales(pd, PRIM_ARG_SRC, src),
            .dst_scales = prim__ocl_scales(pd, PRIM_ARG_DST, dst),
            .src_zps = prim__ocl_zero_points(pd, PRIM_ARG_SRC, src),
            .dst_zps = prim__ocl_zero_points(pd, PRIM_ARG_DST, dst),
            .is_plain = prim__attr_is_plain(&pd->attr)};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_reorder_any_cl, "reorder_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_reorder_args(&args, primitive, ctx);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_TO));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_reorder_download(primitive, ctx);
}

const impl_t prim__ocl_reorder_any = {
        .name = "ocl:reorder:any",
        .pd_size = sizeof(reorder_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
