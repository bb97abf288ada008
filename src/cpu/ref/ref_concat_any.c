// SPDX-License-Identifier: Apache-2.0
// Concat on the CPU: each source is converted into its part of dst, with an optional scale.
#include <string.h>

#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

typedef struct {
    const void *src;
    void *dst;
    const prim_memory_desc_t *src_md, *dst_md;
    double scale;
    int axis;
    prim_dim_t start; ///< of the window along the axis
    int dim;
} window_t;

static void copy_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const window_t *w = arg;
    double row[REF_ROW_ELEMS];
    prim_dims_t to;
    memcpy(to, position, sizeof(to));
    to[w->axis] += w->start;
    prim__ref_load_at(row, w->src, w->src_md, position, w->dim, n);
    for (prim_dim_t i = 0; i < n && w->scale != 1; ++i) row[i] *= w->scale;
    prim__ref_store_at(row, w->dst, w->dst_md, to, w->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    window_t w = {.dst = prim__ref_pointer(ctx, PRIM_ARG_DST),
            .dst_md = prim__pd_md(pd, PRIM_ARG_DST),
            .axis = pd->op.u.axis.axis};
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        const tensor_t *src = &pd->tensors[i];
        w.scale = prim__ref_scale(pd, ctx, src->arg);
        w.src = prim__ref_pointer(ctx, src->arg);
        w.src_md = &src->md;
        w.dim = prim__ref_row_dim((const prim_memory_desc_t *const[]){w.dst_md, w.src_md}, 2);
        prim__ref_for_each_row(w.src_md, w.dim, copy_row, &w);
        w.start += src->md.dims[w.axis];
    }
    prim__ref_clear_padding(w.dst, w.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_concat_any = {
        .name = "ref:concat:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_require_types,
        .execute = execute,
};
