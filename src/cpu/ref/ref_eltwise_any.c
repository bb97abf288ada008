// SPDX-License-Identifier: Apache-2.0
// Eltwise on the CPU, forward: f(x) in double for any type, layout and post-op.
#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    const op_desc_t *op;
    const void *src;
    const prim_memory_desc_t *src_md;
    int dim;
    ref_finish_t finish;
} eltwise_t;

static void eltwise_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const eltwise_t *e = arg;
    double row[REF_ROW_ELEMS];
    prim__ref_load_at(row, e->src, e->src_md, position, e->dim, n);
    for (prim_dim_t i = 0; i < n; ++i) {
        row[i] = prim__ref_eltwise(
                e->op->alg_kind, row[i], e->op->u.eltwise.alpha, e->op->u.eltwise.beta);
    }
    prim__ref_finish_store_row(&e->finish, row, position, e->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    eltwise_t e = {.op = &pd->op,
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .src_md = prim__ctx_md(ctx, pd, PRIM_ARG_SRC)};
    prim__ref_finish_init(&e.finish, pd, ctx);
    e.dim = prim__ref_row_dim((const prim_memory_desc_t *const[]){e.src_md, e.finish.dst_md}, 2);
    prim__ref_for_each_row(e.finish.dst_md, e.dim, eltwise_row, &e);
    prim__ref_clear_padding(e.finish.dst, e.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_eltwise_any = {
        .name = "ref:eltwise:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
