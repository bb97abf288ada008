// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax on the CPU: any axis, type and layout, two passes over
// each row in double.
#include <math.h>
#include <string.h>

#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    const void *data;
    const prim_memory_desc_t *md;
} input_t;

typedef struct {
    bool is_log;
    int axis;
    prim_dim_t piece_elems; ///< what is converted at once
    input_t dst, diff_dst;
    void *diff_src;
    const prim_memory_desc_t *diff_src_md;
} gradient_t;

static input_t input_of(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    return (input_t){prim__ref_pointer(ctx, arg), prim__ctx_md(ctx, pd, arg)};
}

static void load(double *piece, const input_t *input, const prim_dim_t *at, int axis, prim_dim_t n)
{
    prim__ref_load_at(piece, input->data, input->md, at, axis, n);
}

/// Both inputs' elements from at[axis] on, as many as a piece has; returns how many.
static prim_dim_t load_piece(const gradient_t *g, double *dst, double *diff, const prim_dim_t *at)
{
    const prim_dim_t left = g->dst.md->dims[g->axis] - at[g->axis];
    const prim_dim_t n = left < g->piece_elems ? left : g->piece_elems;
    load(dst, &g->dst, at, g->axis, n);
    load(diff, &g->diff_dst, at, g->axis, n);
    return n;
}

static void gradient_row(const prim_dim_t *position, void *arg)
{
    const gradient_t *const g = arg;
    const prim_memory_desc_t *const md = g->diff_src_md;
    const prim_dim_t axis_elems = md->dims[g->axis];
    double dst[REF_ROW_ELEMS], diff[REF_ROW_ELEMS], sum = 0;
    prim_dims_t at;
    prim_dim_t n = 0;
    memcpy(at, position, sizeof at);
    for (at[g->axis] = 0; at[g->axis] < axis_elems; at[g->axis] += n) {
        n = load_piece(g, dst, diff, at);
        for (prim_dim_t i = 0; i < n; ++i) sum += g->is_log ? diff[i] : diff[i] * dst[i];
    }
    for (at[g->axis] = 0; at[g->axis] < axis_elems; at[g->axis] += n) {
        n = load_piece(g, dst, diff, at);
        for (prim_dim_t i = 0; i < n; ++i)
            diff[i] = g->is_log ? diff[i] - exp(dst[i]) * sum : dst[i] * (diff[i] - sum);
        prim__ref_store_at(diff, g->diff_src, md, at, g->axis, n);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    gradient_t g = {.is_log = pd->op.alg_kind == PRIM_SOFTMAX_LOG,
            .axis = pd->op.u.axis.axis,
            .dst = input_of(pd, ctx, PRIM_ARG_DST),
            .diff_dst = input_of(pd, ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SRC),
            .diff_src_md = prim__ctx_md(ctx, pd, PRIM_ARG_DIFF_SRC)};
    // A blocked dimension has no constant stride.
    const bool is_cut = prim__md_is_cut(g.dst.md, g.axis) ||
                        prim__md_is_cut(g.diff_dst.md, g.axis) ||
                        prim__md_is_cut(g.diff_src_md, g.axis);
    g.piece_elems = is_cut ? 1 : REF_ROW_ELEMS;
    prim_memory_desc_t rows = *g.diff_src_md;
    if (rows.dims[g.axis] > 0) rows.dims[g.axis] = 1;
    prim__ref_for_each(&rows, gradient_row, &g);
    prim__ref_clear_padding(g.diff_src, g.diff_src_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_softmax_backward_any = {
        .name = "ref:softmax:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
