// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling on the CPU, in double for any type and layout: each element of
// diff_src is the sum of those of diff_dst that it is a part of.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ref_finish.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow_gradients(pd);
}

typedef struct {
    bool is_linear;
    int nspatial;
    const void *diff_dst;
    void *diff_src;
    const prim_memory_desc_t *diff_dst_md, *diff_src_md;
} gradient_t;

/// The elements begin ≤ y < end along a dimension of diff_dst that element `x` is a part of.
typedef struct {
    prim_dim_t x, in, out, begin, end;
} users_t;

/// ⌈n / d⌉, 0 for negative n.
static prim_dim_t ceil_or_zero(prim_dim_t n, prim_dim_t d)
{
    return n > 0 ? prim__ceil_div(n, d) : 0;
}

/// Nearest takes x where x ≤ (y + ½)·in/out < x + 1. Linear looks at (y + ½)·in/out − ½, which lies
/// less than 1 from x; so does what lies beyond it at a border.
static users_t find_users(const gradient_t *g, int d, prim_dim_t x)
{
    users_t u = {.x = x, .in = g->diff_src_md->dims[d], .out = g->diff_dst_md->dims[d]};
    const prim_dim_t in = u.in, out = u.out;
    if (g->is_linear) {
        const prim_dim_t from = out * (2 * x - 1) - in;
        u.begin = from < 0 ? 0 : from / (2 * in) + 1;
        u.end = ceil_or_zero(out * (2 * x + 3) - in, 2 * in);
    } else {
        u.begin = ceil_or_zero(2 * out * x - in, 2 * in);
        u.end = ceil_or_zero(2 * out * (x + 1) - in, 2 * in);
    }
    if (u.end > out) u.end = out;
    return u;
}

/// The weight of x in element y.
static double weight_in(const gradient_t *g, const users_t *u, prim_dim_t y)
{
    if (!g->is_linear) return 1;
    const prim_dim_t unit = 2 * u->out, last = (u->in - 1) * unit;
    prim_dim_t position = (2 * y + 1) * u->in - u->out; // in units of 1 / (2·out)
    if (position < 0) position = 0;
    if (position > last) position = last;
    const prim_dim_t distance = position - u->x * unit;
    return (double)(unit - (distance < 0 ? -distance : distance)) / (double)unit;
}

static void sum_users(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    users_t u[3] = {{.end = 1}, {.end = 1}, {.end = 1}};
    for (int i = 0; i < g->nspatial; ++i) u[i] = find_users(g, 2 + i, position[2 + i]);
    const prim_data_type_t dt = g->diff_dst_md->data_type;
    prim_dims_t at = {position[0], position[1]};
    prim_dim_t y[3];
    double sum = 0;
    for (y[0] = u[0].begin; y[0] < u[0].end; ++y[0])
        for (y[1] = u[1].begin; y[1] < u[1].end; ++y[1])
            for (y[2] = u[2].begin; y[2] < u[2].end; ++y[2]) {
                double weight = 1;
                for (int i = 0; i < g->nspatial; ++i) {
                    at[2 + i] = y[i];
                    weight *= weight_in(g, &u[i], y[i]);
                }
                sum += weight * prim__load(g->diff_dst, dt, prim__md_offset(g->diff_dst_md, at));
            }
    prim__store(
            g->diff_src, g->diff_src_md->data_type, prim__md_offset(g->diff_src_md, position), sum);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    gradient_t g = {.is_linear = pd->op.alg_kind == PRIM_RESAMPLING_LINEAR,
            .diff_dst = prim__ref_pointer(ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SRC),
            .diff_dst_md = prim__pd_md(pd, PRIM_ARG_DIFF_DST),
            .diff_src_md = prim__pd_md(pd, PRIM_ARG_DIFF_SRC)};
    g.nspatial = g.diff_src_md->ndims - 2;
    prim__ref_for_each(g.diff_src_md, sum_users, &g);
    prim__ref_clear_padding(g.diff_src, g.diff_src_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_resampling_backward_any = {
        .name = "ref:resampling:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
