// SPDX-License-Identifier: Apache-2.0
// With y the gradient of dst behind the fused relu, x̂ = (src − mean)·r and r = 1/√(variance + ε):
// diff_shift = Σ y and diff_scale = Σ y·x̂ over a channel, and diff_src = r·(g − mean(g) −
// x̂·mean(g·x̂)) with g = scale·y and means over the elements that share statistics, a set.
// Everything is summed by planes (n, c) first.
#include "ref_norm_backward.h"

#include <math.h>

#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_tensor.h"

/// Σ g and Σ g·x̂.
typedef struct {
    double gradients, products;
} sums_t;

typedef struct {
    double epsilon;
    bool are_constants; ///< the statistics
    prim_dim_t batch, channels, groups;
    double set_elems; ///< that share statistics
    ref_tensor_t src, mean, variance, scale, diff_dst, workspace;
    ref_tensor_t diff_src, diff_src1, diff_scale, diff_shift;
    sums_t *planes; ///< [N, C], without the scale
    sums_t *sets;   ///< [C] or [N, groups], with it
} backward_t;

static prim_dim_t count_sets(const prim_memory_desc_t *src, prim_dim_t groups)
{
    return groups > 0 ? src->dims[0] * groups : src->dims[1];
}

prim_status_t prim__ref_norm_backward_init(prim_desc_t *pd, prim_dim_t groups)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    TRY(prim__ref_require_types(pd));
    TRY(prim__pd_follow(pd));
    const prim_dim_t nsums = src->dims[0] * src->dims[1] + count_sets(src, groups);
    (void)prim__pd_book_scratchpad(pd, (size_t)nsums * sizeof(sums_t));
    return PRIM_SUCCESS;
}

static prim_dim_t group_of(const backward_t *b, prim_dim_t c)
{
    return c / (b->channels / b->groups);
}

static prim_dim_t set_of(const backward_t *b, const prim_dim_t *at)
{
    return b->groups > 0 ? at[0] * b->groups + group_of(b, at[1]) : at[1];
}

/// A statistic of the element at `at`.
static double load_statistic(const backward_t *b, const ref_tensor_t *tensor, const prim_dim_t *at)
{
    const prim_dims_t of_channel = {at[1]};
    if (b->groups == 0) return prim__ref_load(tensor, of_channel);
    const prim_dims_t of_group = {at[0], group_of(b, at[1])};
    return prim__ref_load(tensor, of_group);
}

static double inverse_deviation(const backward_t *b, const prim_dim_t *at)
{
    return 1 / sqrt(load_statistic(b, &b->variance, at) + b->epsilon);
}

/// Of an element: the gradient behind the relu, and src normalised.
static double gradient_at(const backward_t *b, const prim_dim_t *at)
{
    const bool is_cut = b->workspace.data && prim__ref_load(&b->workspace, at) == 0;
    return is_cut ? 0 : prim__ref_load(&b->diff_dst, at);
}

static double normalized_at(const backward_t *b, const prim_dim_t *at, double factor)
{
    return (prim__ref_load(&b->src, at) - load_statistic(b, &b->mean, at)) * factor;
}

static double scale_at(const backward_t *b, prim_dim_t c)
{
    const prim_dims_t position = {c};
    return b->scale.data ? prim__ref_load(&b->scale, position) : 1;
}

static void sum_plane(prim_dim_t plane, void *arg)
{
    const backward_t *const b = arg;
    const prim_memory_desc_t *const md = b->src.md;
    prim_dims_t at = {plane / b->channels, plane % b->channels};
    prim_dim_t elems = 1;
    for (int d = 2; d < md->ndims; ++d) elems *= md->dims[d];
    const double factor = inverse_deviation(b, at);
    sums_t sums = {0, 0};
    for (prim_dim_t i = 0; i < elems; ++i) {
        const double gradient = gradient_at(b, at);
        sums.gradients += gradient;
        sums.products += gradient * normalized_at(b, at, factor);
        for (int d = md->ndims - 1; d >= 2 && ++at[d] == md->dims[d]; --d) at[d] = 0;
    }
    b->planes[plane] = sums;
}

static void sum_channel(prim_dim_t c, void *arg)
{
    const backward_t *const b = arg;
    sums_t sums = {0, 0};
    for (prim_dim_t n = 0; n < b->batch; ++n) {
        sums.gradients += b->planes[n * b->channels + c].gradients;
        sums.products += b->planes[n * b->channels + c].products;
    }
    const prim_dims_t position = {c};
    prim__ref_store(&b->diff_shift, position, sums.gradients);
    prim__ref_store(&b->diff_scale, position, sums.products);
}

static void add_plane(sums_t *sums, const backward_t *b, prim_dim_t n, prim_dim_t c)
{
    const sums_t *const plane = &b->planes[n * b->channels + c];
    sums->gradients += scale_at(b, c) * plane->gradients;
    sums->products += scale_at(b, c) * plane->products;
}

static void sum_set(prim_dim_t set, void *arg)
{
    const backward_t *const b = arg;
    sums_t sums = {0, 0};
    if (b->groups == 0) {
        for (prim_dim_t n = 0; n < b->batch; ++n) add_plane(&sums, b, n, set);
    } else {
        const prim_dim_t size = b->channels / b->groups, first = set % b->groups * size;
        for (prim_dim_t c = first; c < first + size; ++c) add_plane(&sums, b, set / b->groups, c);
    }
    b->sets[set] = sums;
}

static void differentiate(const prim_dim_t *at, void *arg)
{
    const backward_t *const b = arg;
    const double factor = inverse_deviation(b, at), gradient = gradient_at(b, at);
    double x = scale_at(b, at[1]) * gradient;
    if (!b->are_constants) {
        const sums_t *const sums = &b->sets[set_of(b, at)];
        x -= (sums->gradients + normalized_at(b, at, factor) * sums->products) / b->set_elems;
    }
    prim__ref_store(&b->diff_src, at, x * factor);
    prim__ref_store(&b->diff_src1, at, gradient);
}

void prim__ref_norm_backward(const prim_desc_t *pd, const exec_ctx_t *ctx, prim_dim_t groups)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_dim_t nsets = count_sets(src, groups), nplanes = src->dims[0] * src->dims[1];
    sums_t *const sums = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    backward_t b = {.epsilon = (double)pd->op.u.norm.epsilon,
            .are_constants = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .batch = src->dims[0],
            .channels = src->dims[1],
            .groups = groups,
            .set_elems = nsets > 0 ? (double)(prim__md_nelems(src) / nsets) : 0,
            .src = prim__ref_tensor(pd, ctx, PRIM_ARG_SRC),
            .mean = prim__ref_tensor(pd, ctx, PRIM_ARG_MEAN),
            .variance = prim__ref_tensor(pd, ctx, PRIM_ARG_VARIANCE),
            .scale = prim__ref_tensor(pd, ctx, PRIM_ARG_SCALE),
            .diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .workspace = prim__ref_tensor(pd, ctx, PRIM_ARG_WORKSPACE),
            .diff_src = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC),
            .diff_src1 = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC_1),
            .diff_scale = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SCALE),
            .diff_shift = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SHIFT),
            .planes = sums,
            .sets = sums + nplanes};
    // Before diff_src, which may have the memory of diff_dst.
    prim__parallel_for(nplanes, sum_plane, &b);
    if (b.diff_scale.data || b.diff_shift.data) prim__parallel_for(b.channels, sum_channel, &b);
    prim__parallel_for(nsets, sum_set, &b);
    prim__ref_for_each(b.diff_src.md, differentiate, &b);
    prim__ref_clear_padding(b.diff_src.data, b.diff_src.md);
    if (b.diff_src1.data) prim__ref_clear_padding(b.diff_src1.data, b.diff_src1.md);
}
