// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax on the CPU: any axis, type and layout, three passes over each row in
// double.
#include <math.h>
#include <string.h>

#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    bool is_log;
    int axis;
    prim_dim_t piece_elems; ///< what is converted at once
    const void *src;
    const prim_memory_desc_t *src_md;
    double src_scale;
    ref_finish_t finish;
} softmax_t;

/// Up to piece_elems elements along the axis from at[axis] on; at is what it was afterwards.
static prim_dim_t load_piece(const softmax_t *s, double *piece, const prim_dim_t *at)
{
    const prim_dim_t left = s->src_md->dims[s->axis] - at[s->axis];
    const prim_dim_t n = left < s->piece_elems ? left : s->piece_elems;
    prim__ref_load_at(piece, s->src, s->src_md, at, s->axis, n);
    return n;
}

static void softmax_row(const prim_dim_t *position, void *arg)
{
    const softmax_t *s = arg;
    const prim_dim_t axis_elems = s->src_md->dims[s->axis];
    double piece[REF_ROW_ELEMS];
    prim_dims_t at;
    memcpy(at, position, sizeof(at));
    prim_dim_t n = 0;
    double max = (double)-INFINITY, sum = 0;
    for (at[s->axis] = 0; at[s->axis] < axis_elems; at[s->axis] += n) {
        n = load_piece(s, piece, at);
        for (prim_dim_t i = 0; i < n; ++i) {
            if (piece[i] > max || isnan(piece[i])) max = piece[i];
        }
    }
    for (at[s->axis] = 0; at[s->axis] < axis_elems; at[s->axis] += n) {
        n = load_piece(s, piece, at);
        for (prim_dim_t i = 0; i < n; ++i) sum += exp(piece[i] - max);
    }
    const double log_sum = log(sum);
    for (at[s->axis] = 0; at[s->axis] < axis_elems; at[s->axis] += n) {
        n = load_piece(s, piece, at);
        for (prim_dim_t i = 0; i < n; ++i) {
            const double x = piece[i] - max;
            piece[i] = s->src_scale * (s->is_log ? x - log_sum : exp(x) / sum);
        }
        prim__ref_finish_store_row(&s->finish, piece, at, s->axis, n);
    }
}

static bool cuts_axis(const prim_memory_desc_t *md, int axis)
{
    for (int b = 0; b < md->inner_nblks; ++b) {
        if (md->inner_idxs[b] == axis) return true;
    }
    return false;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    softmax_t s = {.is_log = pd->op.alg_kind == PRIM_SOFTMAX_LOG,
            .axis = pd->op.u.axis.axis,
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .src_md = prim__ctx_md(ctx, pd, PRIM_ARG_SRC),
            .src_scale = prim__ref_scale(pd, ctx, PRIM_ARG_SRC)};
    prim__ref_finish_init(&s.finish, pd, ctx);
    const prim_memory_desc_t *dst_md = s.finish.dst_md;
    // A blocked axis has no constant stride.
    const bool is_cut = cuts_axis(s.src_md, s.axis) || cuts_axis(dst_md, s.axis);
    s.piece_elems = is_cut ? 1 : REF_ROW_ELEMS;
    prim_memory_desc_t rows = *dst_md;
    if (rows.dims[s.axis] > 0) rows.dims[s.axis] = 1;
    prim__ref_for_each(&rows, softmax_row, &s);
    prim__ref_clear_padding(s.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_softmax_any = {
        .name = "ref:softmax:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
