// SPDX-License-Identifier: Apache-2.0
// Group normalisation on the CPU, forward: any type and layout, in double, element by element.
// Statistics take two passes over a group, so that the variance does not suffer from a large mean.
#include <math.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "ref_norm.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    ref_norm_t norm; ///< scale and shift: f32; statistics: [N, groups]
    const prim_memory_desc_t *src_md;
    prim_dim_t groups, group_channels;
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
    return prim__load(g->norm.src, g->src_md->data_type, prim__md_offset(g->src_md, at));
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
    const ref_norm_t *const norm = &g->norm;
    const float *const scale = norm->scale, *const shift = norm->shift;
    const prim_dim_t elems = group_elems(g);
    const double mean = norm->are_given ? (double)norm->mean[set] : moment(g, set, elems, 0, 1);
    const double variance =
            norm->are_given ? (double)norm->variance[set] : moment(g, set, elems, mean, 2);
    if (norm->mean && !norm->are_given) {
        norm->mean[set] = (float)mean;
        norm->variance[set] = (float)variance;
    }
    const double factor = 1 / sqrt(variance + norm->epsilon);
    prim_dims_t at;
    begin(at, g, set);
    for (prim_dim_t i = 0; i < elems; ++i, advance(at, g)) {
        double x = (load(g, at) - mean) * factor;
        if (scale) x *= (double)scale[at[1]];
        if (shift) x += (double)shift[at[1]];
        prim__ref_finish_store(&norm->finish, norm->src_scale * x, at);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src_md = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_dim_t groups = pd->op.u.norm.groups;
    gnorm_t g = {.src_md = src_md, .groups = groups, .group_channels = src_md->dims[1] / groups};
    prim__ref_norm_init(&g.norm, pd, ctx);
    prim__parallel_for(src_md->dims[0] * groups, normalize_group, &g);
    prim__ref_clear_padding(g.norm.finish.dst, g.norm.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_gnorm_any = {
        .name = "ref:gnorm:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
