// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, generic: one program for every problem; types, layouts and flags are
// run-time arguments.
#include "common/bnorm_shape.h"
#include "gpu/ocl/clh/shared/bnorm_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

extern const ocl_source_t prim__ocl_bnorm_any_cl;
extern const impl_t prim__ocl_bnorm_any;

typedef struct {
    prim_desc_t base;
    size_t mean_bytes_at, variance_bytes_at; ///< in the scratchpad, if statistics are no outputs
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { STATISTICS, NORMALIZE };

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *const pd = (bnorm_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__bnorm_resolve(base));
    if (prim__pd_has(base, PRIM_ARG_MEAN)) return PRIM_SUCCESS;
    const size_t bytes = (size_t)prim__pd_md(base, PRIM_ARG_SRC)->dims[1] * sizeof(float);
    pd->mean_bytes_at = prim__pd_book_scratchpad(base, bytes);
    pd->variance_bytes_at = prim__pd_book_scratchpad(base, bytes);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const unsigned flags = pd->op.u.norm.flags;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_any_cl, &options, "bnorm_any_statistics"));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_any_cl, &options, "bnorm_any_normalize"));
    const ocl_bnorm_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .has_addend = (flags & PRIM_FUSE_NORM_ADD_RELU) != 0,
            .has_scale = (flags & PRIM_USE_SCALE) != 0,
            .has_shift = (flags & PRIM_USE_SHIFT) != 0,
            .has_relu = prim__bnorm_has_relu(pd),
            .epsilon = pd->op.u.norm.epsilon};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static void add_statistics(ocl_args_t *args, const exec_ctx_t *ctx, const bnorm_pd_t *pd)
{
    if (prim__pd_has(&pd->base, PRIM_ARG_MEAN)) {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
        return;
    }
    prim__ocl_args_scratchpad(args, ctx, pd->mean_bytes_at, sizeof(float));
    prim__ocl_args_scratchpad(args, ctx, pd->variance_bytes_at, sizeof(float));
}

static prim_status_t compute_statistics(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    add_statistics(&args, ctx, pd);
    const ocl_range_t range = prim__ocl_range_1d(
            p->kernels[STATISTICS], prim__pd_md(&pd->base, PRIM_ARG_SRC)->dims[1]);
    return prim__ocl_launch(ctx, p->kernels[STATISTICS], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    if (prim__bnorm_has_statistics(&pd->base)) TRY(compute_statistics(p, ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    add_statistics(&args, ctx, pd);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WORKSPACE);
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t ndst = prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_DST));
    const prim_dim_t nws =
            prim__pd_has(&pd->base, PRIM_ARG_WORKSPACE)
                    ? prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_WORKSPACE))
                    : 0;
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[NORMALIZE], ndst > nws ? ndst : nws);
    return prim__ocl_launch(ctx, p->kernels[NORMALIZE], &range, &args);
}

const impl_t prim__ocl_bnorm_any = {
        .name = "ocl:bnorm:any",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
