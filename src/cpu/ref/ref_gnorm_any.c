// SPDX-License-Identifier: Apache-2.0
// Group normalisation on the CPU, forward: any type and layout, in double, element by element.
// Statistics take two passes over a group, so that the variance does not suffer from a large mean.
#include <math.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "ref_finish.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, prim__ref_takes_types(pd),
            "a tensor has a data type that is stored but not computed with");
    return prim__pd_follow(pd);
}

typedef struct {
    double epsilon, src_scale;
    prim_dim_t groups, group_channels;
    bool are_given; ///< the statistics
    const void *src;
    const float *scale, *shift; ///< or NULL
    float *mean, *variance;     ///< inputs or outputs [N, groups], or NULL
    const prim_memory_desc_t *src_md;
    ref_finish_t finish;
} gnorm_t;

/// The first element of a group, number `set` of [N, groups].
static void begin(prim_dim_t *at, const gnorm_t *g, prim_dim_t set)
{
    for (int d = 0; d < g->src_md->ndims; ++d) at[d] = 0;
    at[0] = set / g->groups;
    at[1] = set % g->groups * g->group_channels;
}

/// On to the next element of a group.
static void advance(prim_dim_t *at, const gnorm_t *g)
{
    for (int d = g->src_md->ndims - 1; d >= 2; --d) {
        if (++at[d] < g->src_md->dims[d]) return;
        at[d] = 0;
    }
    ++at[1];
}

static double load(const gnorm_t *g, const prim_dim_t *at)
{
    return prim__load(g->src, g->src_md->data_type, prim__md_offset(g->src_md, at));
}

/// The mean of (x - centre)^power over a group; 0 of an empty one.
static double moment(const gnorm_t *g, prim_dim_t set, prim_dim_t elems, double centre, int power)
{
    prim_dims_t at;
    double sum = 0;
    begin(at, g, set);
    for (prim_dim_t i = 0; i < elems; ++i, advance(at, g)) {
        const double x = load(g, at) - centre;
        sum += power == 1 ? x : x * x;
    }
    return elems > 0 ? sum / (double)elems : 0;
}

static prim_dim_t group_elems(const gnorm_t *g)
{
    prim_dim_t elems = g->group_channels;
    for (int d = 2; d < g->src_md->ndims; ++d) elems *= g->src_md->dims[d];
    return elems;
}

static void normalize_group(prim_dim_t set, void *arg)
{
    const gnorm_t *const g = arg;
    const prim_dim_t elems = group_elems(g);
    const double mean = g->are_given ? (double)g->mean[set] : moment(g, set, elems, 0, 1);
    const double variance =
            g->are_given ? (double)g->variance[set] : moment(g, set, elems, mean, 2);
    if (g->mean && !g->are_given) {
        g->mean[set] = (float)mean;
        g->variance[set] = (float)variance;
    }
    const double factor = 1 / sqrt(variance + g->epsilon);
    prim_dims_t at;
    begin(at, g, set);
    for (prim_dim_t i = 0; i < elems; ++i, advance(at, g)) {
        double x = (load(g, at) - mean) * factor;
        if (g->scale) x *= (double)g->scale[at[1]];
        if (g->shift) x += (double)g->shift[at[1]];
        prim__ref_finish_store(&g->finish, g->src_scale * x, at);
    }
}

static void take_arguments(gnorm_t *g, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    static const prim_dims_t origin = {0};
    ref_quant_t scale;
    prim__ref_scales_init(&scale, pd, ctx, PRIM_ARG_SRC, g->src_md);
    g->src_scale = prim__ref_quant_at(&scale, origin, 1);
    g->src = prim__ref_pointer(ctx, PRIM_ARG_SRC);
    if (prim__pd_has(pd, PRIM_ARG_MEAN)) {
        g->mean = prim__ref_pointer(ctx, PRIM_ARG_MEAN);
        g->variance = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    }
    if (prim__pd_has(pd, PRIM_ARG_SCALE)) g->scale = prim__ref_pointer(ctx, PRIM_ARG_SCALE);
    if (prim__pd_has(pd, PRIM_ARG_SHIFT)) g->shift = prim__ref_pointer(ctx, PRIM_ARG_SHIFT);
    prim__ref_finish_init(&g->finish, pd, ctx);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src_md = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_dim_t groups = pd->op.u.norm.groups;
    gnorm_t g = {.epsilon = (double)pd->op.u.norm.epsilon,
            .groups = groups,
            .group_channels = src_md->dims[1] / groups,
            .are_given = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .src_md = src_md};
    take_arguments(&g, pd, ctx);
    prim__parallel_for(src_md->dims[0] * groups, normalize_group, &g);
    prim__ref_clear_padding(g.finish.dst, g.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_gnorm_any = {
        .name = "ref:gnorm:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
