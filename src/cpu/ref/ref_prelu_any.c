// SPDX-License-Identifier: Apache-2.0
// PReLU on the CPU, forward: in double for any type, layout and broadcast of the weights.
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    int dim; ///< of the rows
    const void *src, *wei;
    void *dst;
    const prim_memory_desc_t *src_md, *wei_md, *dst_md;
} prelu_t;

static void prelu_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const prelu_t *p = arg;
    prim_dims_t wei_position;
    for (int d = 0; d < p->wei_md->ndims; ++d)
        wei_position[d] = p->wei_md->dims[d] == 1 ? 0 : position[d];
    double row[REF_ROW_ELEMS], slopes[REF_ROW_ELEMS];
    prim__ref_load_at(row, p->src, p->src_md, position, p->dim, n);
    prim__ref_load_at(slopes, p->wei, p->wei_md, wei_position, p->dim, n);
    for (prim_dim_t i = 0; i < n; ++i) row[i] = row[i] > 0 ? row[i] : row[i] * slopes[i];
    prim__ref_store_at(row, p->dst, p->dst_md, position, p->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    prelu_t p = {.src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .wei = prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            .dst = prim__ref_pointer(ctx, PRIM_ARG_DST),
            .src_md = prim__pd_md(pd, PRIM_ARG_SRC),
            .wei_md = prim__pd_md(pd, PRIM_ARG_WEIGHTS),
            .dst_md = prim__pd_md(pd, PRIM_ARG_DST)};
    p.dim = prim__ref_row_dim((const prim_memory_desc_t *const[]){p.src_md, p.wei_md, p.dst_md}, 3);
    prim__ref_for_each_row(p.dst_md, p.dim, prelu_row, &p);
    prim__ref_clear_padding(p.dst, p.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_prelu_any = {
        .name = "ref:prelu:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
