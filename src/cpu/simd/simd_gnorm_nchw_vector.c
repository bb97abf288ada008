// SPDX-License-Identifier: Apache-2.0
// simd:gnorm:nchw_vector: group normalisation of row-major tensors: a group is one run of elements,
// a channel a part of it. The mean, the squares around it, the results.
#include <math.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "simd_chain.h"
#include "simd_norm.h"

extern const impl_t prim__simd_gnorm_nchw_vector;

typedef struct {
    prim_desc_t base;
    prim_dim_t ngroups, group_channels, plane;
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {dst, prim__pd_md(base, PRIM_ARG_SRC)};
    for (int t = 0; t < 2; ++t) {
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "src or dst is not f32, f16, bf16, s8 or u8");
        REQUIRE(base, !prim__md_has_runtime(tensors[t]), "a dimension is known only at execution");
        REQUIRE(base, prim__md_is_row_major(tensors[t]), "src or dst is not row-major");
    }
    REQUIRE(base, !prim__md_is_empty(dst), "dst has no elements");
    int ntensors = 2;
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    REQUIRE(base, ntensors == 2, "a post-op has an operand");
    pd->ngroups = base->op.u.norm.groups;
    pd->group_channels = dst->dims[1] / pd->ngroups;
    pd->plane = 1;
    for (int d = 2; d < dst->ndims; ++d) pd->plane *= dst->dims[d];
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const gnorm_pd_t *pd;
    simd_norm_t norm;           ///< statistics: [N, groups]
    const float *scale, *shift; ///< or NULL
    simd_chain_t chain;
} run_t;

/// What maps the elements of a channel: (x − mean)·factor + shift.
typedef struct {
    float mean, factor, shift;
} map_t;

static void write_channel(const run_t *run, prim_dim_t first, const map_t *map)
{
    for (prim_dim_t at = 0; at < run->pd->plane; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->plane - at, SIMD_ROW), offset = first + at;
        const float *const x =
                prim__simd_read(run->norm.convert, room, &run->norm.src, offset, 1, n);
        float *const out = prim__simd_row(room, &run->norm.dst, offset, 1);
        run->norm.rows->affine(out, x, map->mean, map->factor, map->shift, n);
        prim__simd_chain_row(
                &run->chain, out, &offset, (const prim_dim_t[SIMD_NEST_TENSORS]){1}, n);
        prim__simd_write(run->norm.convert, &run->norm.dst, offset, 1, out, n);
    }
}

static void normalize_group(prim_dim_t set, void *arg)
{
    const run_t *const run = arg;
    const gnorm_pd_t *const pd = run->pd;
    const prim_dim_t nelems = pd->group_channels * pd->plane, first = set * nelems;
    const simd_line_t line =
            prim__simd_line(run->norm.convert, NULL, 0, &run->norm.src, first, 1, nelems);
    const simd_moments_t moments = prim__simd_norm_moments(&run->norm, &line, nelems, set, set);
    const float factor =
            (float)(1 / sqrt(moments.variance + run->norm.epsilon)) * run->norm.src_scale;
    const prim_dim_t channel = set % pd->ngroups * pd->group_channels;
    for (prim_dim_t c = 0; c < pd->group_channels; ++c) {
        const map_t map = {moments.mean, run->scale ? factor * run->scale[channel + c] : factor,
                run->shift ? run->norm.src_scale * run->shift[channel + c] : 0};
        write_channel(run, first + c * pd->plane, &map);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .norm = prim__simd_norm(base, ctx),
            .scale = prim__simd_values(base, ctx, PRIM_ARG_SCALE),
            .shift = prim__simd_values(base, ctx, PRIM_ARG_SHIFT)};
    prim__simd_chain_init(&run.chain, base, ctx, 2);
    prim__parallel_for(
            prim__pd_md(base, PRIM_ARG_SRC)->dims[0] * pd->ngroups, normalize_group, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_gnorm_nchw_vector = {
        .name = "simd:gnorm:nchw_vector",
        .pd_size = sizeof(gnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
