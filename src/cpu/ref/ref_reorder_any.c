// SPDX-License-Identifier: Apache-2.0
// Reorder on the CPU: any layout to any layout and any type to any type, in double (which holds
// every value of the other types exactly), with all attributes and run-time dimensions.
#include <string.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_row.h"

typedef struct {
    const void *src;
    const prim_memory_desc_t *src_md;
    ref_quant_t src_scales, src_zero_points;
    int dim;
    ref_finish_t finish;
} reorder_t;

static void dequantize_row(
        const reorder_t *r, double *row, const prim_dim_t *position, prim_dim_t n)
{
    if (!r->src_scales.values && !r->src_zero_points.values) return;
    prim_dims_t at;
    memcpy(at, position, sizeof(at));
    for (prim_dim_t i = 0; i < n; ++i) {
        row[i] -= prim__ref_quant_at(&r->src_zero_points, at, 0);
        row[i] *= prim__ref_quant_at(&r->src_scales, at, 1);
        if (r->dim >= 0) ++at[r->dim];
    }
}

static void reorder_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const reorder_t *r = arg;
    const prim_memory_desc_t *src_md = r->src_md;
    double row[REF_ROW_ELEMS];
    prim__ref_load_at(row, r->src, src_md, position, r->dim, n);
    dequantize_row(r, row, position, n);
    prim__ref_finish_store_row(&r->finish, row, position, r->dim, n);
}

typedef struct {
    const char *src;
    char *dst;
    size_t bytes;
} copy_t;

static void copy_share(int ithr, int nthr, void *arg)
{
    const copy_t *copy = arg;
    prim_dim_t start, end;
    prim__balance211((prim_dim_t)copy->bytes, nthr, ithr, &start, &end);
    memcpy(copy->dst + start, copy->src + start, (size_t)(end - start));
}

static bool is_copy(const reorder_t *r)
{
    const prim_memory_desc_t *src_md = r->src_md, *dst_md = r->finish.dst_md;
    return r->finish.is_plain && !r->src_scales.values && !r->src_zero_points.values &&
           src_md->data_type == dst_md->data_type && prim__md_same_layout(src_md, dst_md) &&
           prim__md_is_dense(src_md) && !prim__md_is_padded(src_md);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    enum { MIN_PARALLEL_BYTES = 1 << 16 };
    const prim_desc_t *pd = primitive->pd;
    reorder_t r = {.src = prim__ref_pointer(ctx, PRIM_ARG_FROM),
            .src_md = prim__ctx_md(ctx, pd, PRIM_ARG_FROM)};
    prim__ref_scales_init(&r.src_scales, pd, ctx, PRIM_ARG_SRC, r.src_md);
    prim__ref_zero_points_init(&r.src_zero_points, pd, ctx, PRIM_ARG_SRC, r.src_md);
    prim__ref_finish_init(&r.finish, pd, ctx);
    const prim_memory_desc_t *dst_md = r.finish.dst_md;
    if (is_copy(&r)) {
        const size_t elem_bytes = prim__dt_bytes(dst_md->data_type);
        const size_t first = (size_t)dst_md->offset0 * elem_bytes;
        copy_t copy = {(const char *)r.src + first, (char *)r.finish.dst + first,
                (size_t)prim__md_nelems(dst_md) * elem_bytes};
        prim__parallel(copy.bytes < MIN_PARALLEL_BYTES ? 1 : 0, copy_share, &copy);
        return PRIM_SUCCESS;
    }
    r.dim = prim__ref_row_dim((const prim_memory_desc_t *const[]){dst_md, r.src_md}, 2);
    prim__ref_for_each_row(dst_md, r.dim, reorder_row, &r);
    prim__ref_clear_padding(r.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_reorder_any = {
        .name = "ref:reorder:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_require_types,
        .execute = execute,
};
