// SPDX-License-Identifier: Apache-2.0
// The gradient of local response normalisation on the CPU: in double for any type and layout.
#include <math.h>

#include "ref_finish.h"
#include "ref_lrn.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    lrn_window_t window;
    double beta;
    ref_tensor_t src, diff_dst, workspace, diff_src;
} gradient_t;

/// What the output at a position passes on to each src of its window.
static double term(const prim_dim_t *position, const void *arg)
{
    const gradient_t *const g = arg;
    const double w = prim__ref_load(&g->workspace, position);
    return prim__ref_load(&g->diff_dst, position) * prim__ref_load(&g->src, position) *
           pow(w, -g->beta - 1);
}

static void differentiate(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    const double own = prim__ref_load(&g->diff_dst, position) *
                       pow(prim__ref_load(&g->workspace, position), -g->beta);
    const double sum = prim__ref_lrn_sum(&g->window, g->src.md, position, term, g);
    const double x = prim__ref_load(&g->src, position);
    prim__ref_store(&g->diff_src, position, own - 2 * g->window.factor * g->beta * x * sum);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    gradient_t g = {.window = prim__lrn_window(pd),
            .beta = (double)pd->op.u.lrn.beta,
            .src = prim__ref_tensor(pd, ctx, PRIM_ARG_SRC),
            .diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .workspace = prim__ref_tensor(pd, ctx, PRIM_ARG_WORKSPACE),
            .diff_src = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC)};
    prim__ref_for_each(g.diff_src.md, differentiate, &g);
    prim__ref_clear_padding(g.diff_src.data, g.diff_src.md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_lrn_backward_any = {
        .name = "ref:lrn:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
