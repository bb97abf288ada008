// SPDX-License-Identifier: Apache-2.0
// simd:gnorm:backward_nchw_vector: the gradients of group normalisation of row-major tensors: sums
// of the planes of a group, then its diff_src. Gradients of scale and shift add up the sums of the
// images in double.
#include <math.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"
#include "simd_gradients.h"
#include "simd_nest.h"
#include "simd_norm.h"

extern const impl_t prim__simd_gnorm_backward_nchw_vector;

typedef struct {
    prim_desc_t base;
    prim_dim_t nchannels, ngroups, group_channels, plane;
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

/// Of a plane: Σ y and Σ y·x̂, x̂ the normalised src.
typedef struct {
    double gradients, products;
} sums_t;

static prim_status_t init_pd(prim_desc_t *base)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC};
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(base, args[i]);
        REQUIRE(base, prim__simd_takes_type(md->data_type),
                "src, diff_dst or diff_src is not f32, f16 or bf16");
        REQUIRE(base, !prim__md_has_runtime(md), "a dimension is known only at execution");
        REQUIRE(base, prim__md_is_row_major(md), "src, diff_dst or diff_src is not row-major");
        REQUIRE(base, !prim__md_is_empty(md), "a tensor has no elements");
    }
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    pd->ngroups = base->op.u.norm.groups;
    pd->nchannels = src->dims[1];
    pd->group_channels = pd->nchannels / pd->ngroups;
    pd->plane = prim__md_nelems(src) / src->dims[0] / pd->nchannels;
    (void)prim__pd_book_scratchpad(base, (size_t)(src->dims[0] * pd->nchannels) * sizeof(sums_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const gnorm_pd_t *pd;
    const simd_gradients_code_t *code;
    prim_dim_t batch;
    simd_norm_backward_t norm;
    sums_t *planes; ///< [N, C]
} run_t;

static sums_t sum_plane(const run_t *run, prim_dim_t first, float mean, double factor)
{
    sums_t sums = {0, 0};
    for (prim_dim_t at = 0; at < run->pd->plane; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->plane - at, SIMD_ROW);
        const float *const y = prim__simd_read(
                run->norm.convert, diff_room, &run->norm.diff_dst, first + at, 1, n);
        const float *const x =
                prim__simd_read(run->norm.convert, src_room, &run->norm.src, first + at, 1, n);
        const simd_gradient_sums_t part = run->code->sum(y, x, NULL, mean, n);
        sums.gradients += (double)part.gradients;
        sums.products += (double)part.products;
    }
    sums.products *= factor;
    return sums;
}

static void write_plane(const run_t *run, prim_dim_t first, const simd_gradient_map_t *map)
{
    for (prim_dim_t at = 0; at < run->pd->plane; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->plane - at, SIMD_ROW);
        const float *const y = prim__simd_read(
                run->norm.convert, diff_room, &run->norm.diff_dst, first + at, 1, n);
        const float *const x =
                prim__simd_read(run->norm.convert, src_room, &run->norm.src, first + at, 1, n);
        float *const out = prim__simd_row(src_room, &run->norm.diff_src, first + at, 1);
        run->code->map(out, y, x, NULL, map, n);
        prim__simd_write(run->norm.convert, &run->norm.diff_src, first + at, 1, out, n);
    }
}

/// diff_src = r·(g − mean(g) − x̂·mean(g·x̂)) with g = scale·y, r = 1/√(variance + ε), and means
/// over the group.
static void differentiate_group(prim_dim_t set, void *arg)
{
    const run_t *const run = arg;
    const gnorm_pd_t *const pd = run->pd;
    const prim_dim_t first_plane = set * pd->group_channels;
    const float *const scale =
            run->norm.scale ? run->norm.scale + set % pd->ngroups * pd->group_channels : NULL;
    const double factor = 1 / sqrt((double)run->norm.variance[set] + run->norm.epsilon);
    const double nelems = (double)(pd->group_channels * pd->plane);
    sums_t *const planes = run->planes + first_plane;
    sums_t sums = {0, 0};
    for (prim_dim_t c = 0; c < pd->group_channels; ++c) {
        const double by = scale ? (double)scale[c] : 1;
        planes[c] = sum_plane(run, (first_plane + c) * pd->plane, run->norm.mean[set], factor);
        sums.gradients += by * planes[c].gradients;
        sums.products += by * planes[c].products;
    }
    if (run->norm.are_constants) sums = (sums_t){0, 0};
    for (prim_dim_t c = 0; c < pd->group_channels; ++c) {
        const simd_gradient_map_t map = {.mean = run->norm.mean[set],
                .factor = (float)(factor * (scale ? (double)scale[c] : 1)),
                .shift = (float)(factor * sums.gradients / nelems),
                .slope = (float)(factor * factor * sums.products / nelems)};
        write_plane(run, (first_plane + c) * pd->plane, &map);
    }
}

static void write_parameters(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    sums_t sums = {0, 0};
    for (prim_dim_t n = 0; n < run->batch; ++n) {
        sums.gradients += run->planes[n * run->pd->nchannels + channel].gradients;
        sums.products += run->planes[n * run->pd->nchannels + channel].products;
    }
    if (run->norm.diff_shift) run->norm.diff_shift[channel] = (float)sums.gradients;
    if (run->norm.diff_scale) run->norm.diff_scale[channel] = (float)sums.products;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_gradients_code),
            .batch = prim__pd_md(base, PRIM_ARG_SRC)->dims[0],
            .norm = prim__simd_norm_backward(base, ctx),
            .planes = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD)};
    prim__parallel_for(run.batch * pd->ngroups, differentiate_group, &run);
    if (run.norm.diff_scale || run.norm.diff_shift)
        prim__parallel_for(pd->nchannels, write_parameters, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_gnorm_backward_nchw_vector = {
        .name = "simd:gnorm:backward_nchw_vector",
        .pd_size = sizeof(gnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
