// SPDX-License-Identifier: Apache-2.0
// Local response normalisation on the CPU, forward: in double for any type and layout.
#include <math.h>

#include "ref_finish.h"
#include "ref_lrn.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__lrn_resolve(pd);
}

typedef struct {
    lrn_window_t window;
    double beta, k;
    ref_tensor_t src, dst, workspace; ///< workspace.data NULL: none
} lrn_t;

static double square(const prim_dim_t *position, const void *arg)
{
    const double x = prim__ref_load(&((const lrn_t *)arg)->src, position);
    return x * x;
}

static void normalize(const prim_dim_t *position, void *arg)
{
    const lrn_t *const l = arg;
    const double sum = prim__ref_lrn_sum(&l->window, l->src.md, position, square, l);
    const double w = l->k + l->window.factor * sum;
    if (l->workspace.data) prim__ref_store(&l->workspace, position, w);
    const double x = prim__ref_load(&l->src, position);
    prim__ref_store(&l->dst, position, x * pow(w, -l->beta));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    lrn_t l = {.window = prim__lrn_window(pd),
            .beta = (double)pd->op.u.lrn.beta,
            .k = (double)pd->op.u.lrn.k,
            .src = prim__ref_tensor(pd, ctx, PRIM_ARG_SRC),
            .dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DST),
            .workspace = prim__ref_tensor(pd, ctx, PRIM_ARG_WORKSPACE)};
    prim__ref_for_each(l.dst.md, normalize, &l);
    prim__ref_clear_padding(l.dst.data, l.dst.md);
    if (l.workspace.data) prim__ref_clear_padding(l.workspace.data, l.workspace.md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_lrn_any = {
        .name = "ref:lrn:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
