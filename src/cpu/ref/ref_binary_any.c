// SPDX-License-Identifier: Apache-2.0
// Binary on the CPU: any types and layouts, either source broadcasts, in double (exact for s32).
#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    const void *base;
    const prim_memory_desc_t *md; ///< NULL: not there
    double scale;
} operand_t;

typedef struct {
    prim_alg_kind_t alg;
    operand_t src0, src1, condition;
    int dim;
    ref_finish_t finish;
} binary_t;

static operand_t get_operand(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg)
{
    if (!prim__pd_has(pd, arg)) return (operand_t){0};
    return (operand_t){
            prim__ref_pointer(ctx, arg), prim__ctx_md(ctx, pd, arg), prim__ref_scale(pd, ctx, arg)};
}

/// The row of an operand at a position of dst; an extent of 1 serves all indices.
static void load_operand(
        double *row, const operand_t *operand, const prim_dim_t *position, int dim, prim_dim_t n)
{
    const prim_memory_desc_t *md = operand->md;
    if (!md) return;
    prim_dims_t at;
    for (int d = 0; d < md->ndims; ++d) at[d] = md->dims[d] == 1 ? 0 : position[d];
    prim__ref_load_at(row, operand->base, md, at, dim, n);
    for (prim_dim_t i = 0; i < n && operand->scale != 1; ++i) row[i] *= operand->scale;
}

static void binary_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const binary_t *b = arg;
    double x[REF_ROW_ELEMS], y[REF_ROW_ELEMS], condition[REF_ROW_ELEMS] = {0};
    load_operand(x, &b->src0, position, b->dim, n);
    load_operand(y, &b->src1, position, b->dim, n);
    load_operand(condition, &b->condition, position, b->dim, n);
    for (prim_dim_t i = 0; i < n; ++i) x[i] = prim__ref_binary(b->alg, x[i], y[i], condition[i]);
    prim__ref_finish_store_row(&b->finish, x, position, b->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    binary_t b = {.alg = pd->op.alg_kind,
            .src0 = get_operand(ctx, pd, PRIM_ARG_SRC_0),
            .src1 = get_operand(ctx, pd, PRIM_ARG_SRC_1),
            .condition = get_operand(ctx, pd, PRIM_ARG_SRC_2)};
    prim__ref_finish_init(&b.finish, pd, ctx);
    const prim_memory_desc_t *dst_md = b.finish.dst_md;
    const prim_memory_desc_t *const mds[] = {dst_md, b.src0.md, b.src1.md, b.condition.md};
    b.dim = prim__ref_row_dim(mds, b.condition.md ? 4 : 3);
    prim__ref_for_each_row(dst_md, b.dim, binary_row, &b);
    prim__ref_clear_padding(b.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_binary_any = {
        .name = "ref:binary:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
