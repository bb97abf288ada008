// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling on the CPU, in double for any type, layout and window: each element of
// diff_src is the sum of what the windows that hold it pass on.
#include "common/pool_shape.h"
#include "ref_finish.h"
#include "ref_tensor.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow_gradients(pd);
}

typedef struct {
    prim_alg_kind_t alg;
    int nspatial;
    pool_axis_t axes[3];
    double volume; ///< of the kernel
    ref_tensor_t diff_dst, workspace, diff_src;
} gradient_t;

/// What the windows `o` pass on to the element at `x`; nothing where the dilation steps over it.
static double passed_on(
        const gradient_t *g, const prim_dim_t *position, const prim_dim_t *x, const prim_dim_t *o)
{
    prim_dims_t at = {position[0], position[1]};
    prim_dim_t tap = 0;
    double divisor = 1;
    for (int a = 0; a < 3; ++a) {
        const pool_axis_t *const axis = &g->axes[a];
        const prim_dim_t distance = x[a] + axis->pad - o[a] * axis->stride;
        if (distance % axis->step != 0) return 0;
        tap = tap * axis->kernel + distance / axis->step;
        divisor *= (double)prim__pooling_count_taps(axis, o[a]);
        if (a >= 3 - g->nspatial) at[a + g->nspatial - 1] = o[a];
    }
    if (g->alg == PRIM_POOLING_MAX && prim__ref_load(&g->workspace, at) != (double)tap) return 0;
    if (g->alg == PRIM_POOLING_MAX) divisor = 1;
    if (g->alg == PRIM_POOLING_AVG_INCLUDE_PADDING) divisor = g->volume;
    return prim__ref_load(&g->diff_dst, at) / divisor;
}

static void sum_windows(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    prim_dim_t x[3] = {0}, begin[3], end[3], o[3];
    for (int a = 0; a < 3; ++a) {
        if (a >= 3 - g->nspatial) x[a] = position[a + g->nspatial - 1];
        prim__pooling_windows(&g->axes[a], x[a], &begin[a], &end[a]);
    }
    double sum = 0;
    for (o[0] = begin[0]; o[0] < end[0]; ++o[0])
        for (o[1] = begin[1]; o[1] < end[1]; ++o[1])
            for (o[2] = begin[2]; o[2] < end[2]; ++o[2]) sum += passed_on(g, position, x, o);
    prim__ref_store(&g->diff_src, position, sum);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    gradient_t g = {.alg = pd->op.alg_kind,
            .volume = 1,
            .diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .workspace = prim__ref_tensor(pd, ctx, PRIM_ARG_WORKSPACE),
            .diff_src = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_SRC)};
    prim__pooling_axes(g.axes, pd);
    g.nspatial = g.diff_src.md->ndims - 2;
    for (int a = 0; a < 3; ++a) g.volume *= (double)g.axes[a].kernel;
    prim__ref_for_each(g.diff_src.md, sum_windows, &g);
    prim__ref_clear_padding(g.diff_src.data, g.diff_src.md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_pool_backward_any = {
        .name = "ref:pool:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
