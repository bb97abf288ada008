// SPDX-License-Identifier: Apache-2.0
// Reorder, generic: one program for every problem; types, layouts and attributes are run-time
// arguments.
#include <string.h>

#include "gpu/ocl/clh/shared/reorder_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_md_open.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_reorder_sides.h"

extern const ocl_source_t prim__ocl_reorder_any_cl;
extern const impl_t prim__ocl_reorder_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, true));
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init_known(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
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

static prim_status_t init_runtime(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_attr_t *const attr = &pd->attr;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    ocl_reorder_runtime_data_t data = {.src = prim__ocl_md_open(prim__pd_md(pd, PRIM_ARG_FROM)),
            .dst = prim__ocl_md_open(dst),
            .src_scales = prim__ocl_quant_open(prim__attr_scale(attr, PRIM_ARG_SRC)),
            .dst_scales = prim__ocl_quant_open(prim__attr_scale(attr, PRIM_ARG_DST)),
            .src_zps = prim__ocl_quant_open(prim__attr_zero_point(attr, PRIM_ARG_SRC)),
            .dst_zps = prim__ocl_quant_open(prim__attr_zero_point(attr, PRIM_ARG_DST)),
            .ndims = dst->ndims,
            .is_plain = prim__attr_is_plain(attr)};
    for (int d = 0; d < dst->ndims; ++d)
        if (dst->dims[d] != PRIM_RUNTIME_DIM_VAL)
            data.padding[d] = dst->padded_dims[d] - dst->dims[d];
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_reorder_any_cl, "reorder_any_runtime", &data, sizeof data);
}

static prim_status_t init(prim_t *primitive)
{
    return primitive->pd->has_runtime ? init_runtime(primitive) : init_known(primitive);
}

/// The shapes of an execution.
static void fill_chunks(
        ocl_reorder_chunk_t chunks[REORDER_CHUNKS], const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const src = prim__ctx_md(ctx, pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__ctx_md(ctx, pd, PRIM_ARG_TO);
    int64_t geometry[REORDER_GEOMETRY] = {0};
    for (int d = 0; d < dst->ndims; ++d) {
        geometry[REORDER_DIMS + d] = dst->dims[d];
        geometry[REORDER_SRC + d] = src->strides[d];
        geometry[REORDER_DST + d] = dst->strides[d];
    }
    memcpy(chunks, geometry, sizeof geometry);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_reorder_chunk_t chunks[REORDER_CHUNKS];
    ocl_args_t args;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_reorder_args(&args, primitive, ctx);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_DST);
    if (pd->has_runtime) {
        fill_chunks(chunks, pd, ctx);
        for (int i = 0; i < REORDER_CHUNKS; ++i)
            prim__ocl_args_struct(&args, &chunks[i], sizeof chunks[i]);
    }
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__ctx_md(ctx, pd, PRIM_ARG_TO));
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
