// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation on the CPU: any type and layout, in double, element by
// element. Gradients of scale and shift are sums over rows, a place of a row at a time.
#include <math.h>
#include <string.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_tensor.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    double epsilon;
    int last;           ///< the dimension that is normalised
    bool are_constants; ///< the statistics
    ref_tensor_t src, mean, variance, scale, diff_dst, diff_src, diff_scale, diff_shift;
} backward_t;

/// (src − mean)/√(variance + ε) of an element.
static double normalized(const backward_t *b, const prim_dim_t *at)
{
    const double deviation = sqrt(prim__ref_load(&b->variance, at) + b->epsilon);
    return (prim__ref_load(&b->src, at) - prim__ref_load(&b->mean, at)) / deviation;
}

static double scaled_gradient(const backward_t *b, const prim_dim_t *at)
{
    const double scale = b->scale.data ? prim__ref_load(&b->scale, &at[b->last]) : 1;
    return scale * prim__ref_load(&b->diff_dst, at);
}

static void differentiate_row(const prim_dim_t *position, void *arg)
{
    const backward_t *const b = arg;
    const prim_memory_desc_t *const md = b->diff_src.md;
    const prim_dim_t elems = md->dims[b->last];
    double sum = 0, product = 0;
    prim_dims_t at;
    memcpy(at, position, sizeof at);
    for (at[b->last] = 0; at[b->last] < elems && !b->are_constants; at[b->last]++) {
        const double gradient = scaled_gradient(b, at);
        sum += gradient;
        product += gradient * normalized(b, at);
    }
    const double deviation = sqrt(prim__ref_load(&b->variance, position) + b->epsilon);
    for (at[b->last] = 0; at[b->last] < elems; at[b->last]++) {
        double x = scaled_gradient(b, at);
        if (!b->are_constants) x -= (sum + normalized(b, at) * product) / (double)elems;
        prim__store(b->diff_src.data, md->data_type, prim__md_offset(md, at), x / deviation);
    }
}

/// Σ over rows of diff_dst, and of diff_dst times the normalised element.
static void differentiate_place(prim_dim_t place, void *arg)
{
    const backward_t *const b = arg;
    const prim_memory_desc_t *const md = b->src.md;
    double shift = 0, scale = 0;
    prim_dim_t nrows = 1;
    for (int d = 0; d < b->last; ++d) nrows *= md->dims[d];
    prim_dims_t at = {0};
    at[b->last] = place;
    for (prim_dim_t row = 0; row < nrows; ++row) {
        const double gradient = prim__ref_load(&b->diff_dst, at);
        shift += gradient;
        scale += gradient * normalized(b, at);
        for (int d = b->last - 1; d >= 0 && ++at[d] == md->dims[d]; --d) at[d] = 0;
    }
    if (b->diff_scale.data)
        prim__store(b->diff_scale.data, b->diff_scale.md->data_type, place, scale);
    if (b->diff_shift.data)
        prim__store(b->diff_shift.data, b->diff_shift.md->data_type, place, shift);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    backward_t b = {.epsilon = (double)pd->op.u.norm.epsilon,
            .last = prim__pd_md(pd, PRIM_ARG_SRC)->ndims - 1,
            .are_constants = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .src = prim__ref_tensor(pd, ctx, PRIM_ARG_SRC),
            .mean = prim__ref_tensor(pd, ctx, PRIM_ARG_MEAN),
            .variance = prim__ref_tensor(pd, ctx, PRIM_ARG_VARIANCE),
            .scale = prim__ref_tensor(pd, ctx, PRIM_ARG_SCALE),
            .diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC),
            .diff_scale = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SCALE),
            .diff_shift = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SHIFT)};
    // Before diff_src, which may have the memory of diff_dst.
    if (b.diff_scale.data || b.diff_shift.data)
        prim__parallel_for(b.src.md->dims[b.last], differentiate_place, &b);
    prim_memory_desc_t rows = *b.diff_src.md;
    if (rows.dims[b.last] > 0) rows.dims[b.last] = 1;
    prim__ref_for_each(&rows, differentiate_row, &b);
    prim__ref_clear_padding(b.diff_src.data, b.diff_src.md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_lnorm_backward_any = {
        .name = "ref:lnorm:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
