// SPDX-License-Identifier: Apache-2.0
// Group normalisation, generic: one program for every problem; types, layouts, flags and post-ops
// are run-time arguments.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/gnorm_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"

extern const ocl_source_t prim__ocl_gnorm_any_cl;
extern const impl_t prim__ocl_gnorm_any;

typedef struct {
    prim_desc_t base;
    bool has_statistics;                                      ///< mean and variance are arguments
    size_t mean_bytes_at, variance_bytes_at, pieces_bytes_at; ///< in the scratchpad
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

enum { PIECES, JOIN, NORMALIZE };
enum { PIECE = 256 }; ///< elements of a group that a work-item sums

static int64_t count_sets(const prim_desc_t *pd)
{
    return prim__pd_md(pd, PRIM_ARG_SRC)->dims[0] * pd->op.u.norm.groups;
}

static int64_t count_elems(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    int64_t elems = src->dims[1] / pd->op.u.norm.groups;
    for (int d = 2; d < src->ndims; ++d) elems *= src->dims[d];
    return elems;
}

/// One at least.
static int64_t count_pieces(const prim_desc_t *pd)
{
    const int64_t elems = count_elems(pd);
    return elems > 0 ? prim__ceil_div(elems, PIECE) : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    const size_t bytes = (size_t)count_sets(base) * sizeof(float);
    pd->has_statistics = prim__pd_has(base, PRIM_ARG_MEAN);
    if (!(base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS))
        pd->pieces_bytes_at = prim__pd_book_scratchpad(base, bytes * (size_t)count_pieces(base));
    if (pd->has_statistics) return PRIM_SUCCESS;
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
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_gnorm_any_cl, &options, "gnorm_any_pieces"));
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_gnorm_any_cl, &options, "gnorm_any_join"));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_any_cl, &options, "gnorm_any_normalize"));
    const ocl_gnorm_any_data_t data = {.src = prim__ocl_md(src),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .groups = groups,
            .group_channels = src->dims[1] / groups,
            .elems = count_elems(pd),
            .piece = PIECE,
            .npieces = count_pieces(pd),
            .has_scale = prim__pd_has(pd, PRIM_ARG_SCALE),
            .has_shift = prim__pd_has(pd, PRIM_ARG_SHIFT),
            .epsilon = pd->op.u.norm.epsilon};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
}

/// The mean or the variance: the argument, or its part of the scratchpad.
static void add_statistic(ocl_args_t *args, const prim_desc_t *base, const exec_ctx_t *ctx, int arg)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)base;
    if (pd->has_statistics)
        prim__ocl_args_tensor(args, ctx, arg);
    else
        prim__ocl_args_scratchpad(args, ctx,
                arg == PRIM_ARG_MEAN ? pd->mean_bytes_at : pd->variance_bytes_at, sizeof(float));
}

static prim_status_t take_statistic(const ocl_primitive_t *p, const exec_ctx_t *ctx, int arg)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)p->base.pd;
    const int64_t nsets = count_sets(&pd->base);
    ocl_args_t args;
    begin(&args, p);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    add_statistic(&args, &pd->base, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_scratchpad(&args, ctx, pd->pieces_bytes_at, sizeof(float));
    prim__ocl_args_i32(&args, arg == PRIM_ARG_VARIANCE);
    const ocl_range_t pieces =
            prim__ocl_range_1d(p->kernels[PIECES], nsets * count_pieces(&pd->base));
    TRY(prim__ocl_launch(ctx, p->kernels[PIECES], &pieces, &args));
    begin(&args, p);
    prim__ocl_args_scratchpad(&args, ctx, pd->pieces_bytes_at, sizeof(float));
    add_statistic(&args, &pd->base, ctx, arg);
    const ocl_range_t join = prim__ocl_range_1d(p->kernels[JOIN], nsets);
    return prim__ocl_launch(ctx, p->kernels[JOIN], &join, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    if (!(pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS)) {
        TRY(take_statistic(p, ctx, PRIM_ARG_MEAN));
        TRY(take_statistic(p, ctx, PRIM_ARG_VARIANCE));
    }
    begin(&args, p);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    add_statistic(&args, pd, ctx, PRIM_ARG_MEAN);
    add_statistic(&args, pd, ctx, PRIM_ARG_VARIANCE);
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
