// SPDX-License-Identifier: Apache-2.0
// The gradients of PReLU on the CPU, in double for any type, layout and broadcast: by src element
// by element, by the weights a sum for each of them.
#include "common/ops/schema.h"
#include "ref_finish.h"
#include "ref_tensor.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    ref_tensor_t src, wei, diff_dst, diff_src, diff_wei;
} gradient_t;

static void gradient_by_src(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    const prim_memory_desc_t *const wei = g->wei.md;
    prim_dims_t shared;
    for (int d = 0; d < wei->ndims; ++d) shared[d] = wei->dims[d] == 1 ? 0 : position[d];
    const double diff = prim__ref_load(&g->diff_dst, position);
    const bool is_positive = prim__ref_load(&g->src, position) > 0;
    prim__ref_store(
            &g->diff_src, position, is_positive ? diff : diff * prim__ref_load(&g->wei, shared));
}

/// The next position of src with the same weight; false behind the last one.
static bool next_sharing(prim_dim_t *position, const gradient_t *g)
{
    for (int d = g->src.md->ndims - 1; d >= 0; --d) {
        if (g->wei.md->dims[d] != 1) continue;
        if (++position[d] < g->src.md->dims[d]) return true;
        position[d] = 0;
    }
    return false;
}

static void gradient_by_weight(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    prim_dims_t at;
    double sum = 0;
    for (int d = 0; d < g->src.md->ndims; ++d) at[d] = position[d];
    bool has_more = !prim__md_is_empty(g->src.md);
    while (has_more) {
        const double x = prim__ref_load(&g->src, at);
        if (!(x > 0)) sum += x * prim__ref_load(&g->diff_dst, at);
        has_more = next_sharing(at, g);
    }
    prim__ref_store(&g->diff_wei, position, sum);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    gradient_t g = {.src = prim__ref_tensor(pd, ctx, PRIM_ARG_SRC),
            .wei = prim__ref_tensor(pd, ctx, PRIM_ARG_WEIGHTS),
            .diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC),
            .diff_wei = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_WEIGHTS)};
    prim__ref_for_each(g.src.md, gradient_by_src, &g);
    prim__ref_for_each(g.wei.md, gradient_by_weight, &g);
    prim__ref_clear_padding(g.diff_src.data, g.diff_src.md);
    prim__ref_clear_padding(g.diff_wei.data, g.diff_wei.md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_prelu_backward_any = {
        .name = "ref:prelu:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
