// SPDX-License-Identifier: Apache-2.0
// Sum on the CPU: Σ scales[i]·src_i in double, any number of inputs, types and layouts.
#include <assert.h>

#include "common/alloc.h"
#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

typedef struct {
    prim_desc_t base;
    int dim; ///< of the rows
} sum_pd_t;

static_assert(offsetof(sum_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    const size_t bytes = (size_t)pd->ntensors * sizeof(prim_memory_desc_t *);
    const prim_memory_desc_t **mds = prim__calloc(bytes);
    if (!mds) return prim__fail_memory(bytes);
    for (int i = 0; i < pd->ntensors; ++i) mds[i] = &pd->tensors[i].md;
    ((sum_pd_t *)pd)->dim = prim__ref_row_dim(mds, pd->ntensors);
    prim__free(mds);
    (void)prim__pd_book_scratchpad(pd, (size_t)pd->ntensors * sizeof(void *));
    return PRIM_SUCCESS;
}

typedef struct {
    const prim_desc_t *pd;
    const void **bases; ///< of the inputs, in the scratchpad
    int dim;
    ref_finish_t finish;
} sum_t;

static void sum_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const sum_t *s = arg;
    const prim_memory_desc_t *dst_md = s->finish.dst_md;
    double row[REF_ROW_ELEMS], sum[REF_ROW_ELEMS] = {0};
    for (int input = 0; input < s->pd->ntensors - 1; ++input) {
        const tensor_t *src = &s->pd->tensors[input];
        prim__ref_load_at(row, s->bases[input], &src->md, position, s->dim, n);
        for (prim_dim_t i = 0; i < n; ++i) sum[i] += (double)src->scale * row[i];
    }
    prim__ref_store_at(sum, s->finish.dst, dst_md, position, s->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    sum_t s = {.pd = pd, .dim = ((const sum_pd_t *)pd)->dim};
    void *scratch = NULL;
    TRY(ctx->scratchpad->engine->ops->memory_get_handle(ctx->scratchpad, &scratch));
    s.bases = scratch;
    for (int i = 0; i < pd->ntensors - 1; ++i)
        s.bases[i] = prim__ref_pointer(ctx, pd->tensors[i].arg);
    prim__ref_finish_init(&s.finish, pd, ctx);
    prim__ref_for_each_row(s.finish.dst_md, s.dim, sum_row, &s);
    prim__ref_clear_padding(s.finish.dst, s.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_sum_any = {
        .name = "ref:sum:any",
        .pd_size = sizeof(sum_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
