// SPDX-License-Identifier: Apache-2.0
// Group normalisation, generic: one program for every problem; types, layouts, flags and post-ops
// are run-time arguments.
#include "gpu/ocl/clh/shared/gnorm_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"

extern const ocl_source_t prim__ocl_gnorm_any_cl;
extern const impl_t prim__ocl_gnorm_any;

typedef struct {
    prim_desc_t base;
    size_t mean_bytes_at, variance_bytes_at; ///< in the scratchpad, if statistics are no arguments
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

enum { STATISTICS, NORMALIZE };

static int64_t count_sets(const prim_desc_t *pd)
{
    return prim__pd_md(pd, PRIM_ARG_SRC)->dims[0] * pd->op.u.norm.groups;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    if (prim__pd_has(base, PRIM_ARG_MEAN)) return PRIM_SUCCESS;
    const size_t bytes = (size_t)count_sets(base) * sizeof(float);
    pd->mean_bytes_at = prim__pd_book_scratchpad(base, bytes);
    pd->variance_bytes_at = prim__pd_book_scratchpad(base, bytes);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const int64_t groups = pd->op.u.norm.groups;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_any_cl, &options, "gnorm_any_statistics"));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_any_cl, &options, "gnorm_any_normalize"));
    const ocl_gnorm_any_data_t data = {.src = prim__ocl_md(src),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .groups = groups,
            .group_channels = src->dims[1] / groups,
            .has_scale = prim__pd_has(pd, PRIM_ARG_SCALE),
            .has_shift = prim__pd_has(pd, PRIM_ARG_SHIFT),
            .epsilon = pd->op.u.norm.epsilon};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)p->base.pd;
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    if (prim__pd_has(&pd->base, PRIM_ARG_MEAN)) {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    } else {
        prim__ocl_args_scratchpad(args, ctx, pd->mean_bytes_at, sizeof(float));
        prim__ocl_args_scratchpad(args, ctx, pd->variance_bytes_at, sizeof(float));
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    if (!(pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS)) {
        begin(&args, p, ctx);
        const ocl_range_t range = prim__ocl_range_1d(p->kernels[STATISTICS], count_sets(pd));
        TRY(prim__ocl_launch(ctx, p->kernels[STATISTICS], &range, &args));
    }
    begin(&args, p, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(&args, prim__ocl_scale_type(pd, PRIM_ARG_SRC));
    prim__ocl_args_i32(&args, prim__ocl_scale_type(pd, PRIM_ARG_DST));
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(
            p->kernels[NORMALIZE], prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DST)));
    return prim__ocl_launch(ctx, p->kernels[NORMALIZE], &range, &args);
}

const impl_t prim__ocl_gnorm_any = {
        .name = "ocl:gnorm:any",
        .pd_size = sizeof(gnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
