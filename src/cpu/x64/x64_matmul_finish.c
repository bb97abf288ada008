// SPDX-License-Identifier: Apache-2.0
// Epilogue of matmul and inner product: on rows of f32 where the post-ops allow it, else element by
// element as in the reference.
#include "x64_matmul_finish.h"

#include "cpu/ref/ref_row.h"
#include "x64_eltwise_row.h"

static bool is_row_step(const post_op_t *step, int index)
{
    if (step->kind == PRIM_ELTWISE) return true;
    if (step->kind != PRIM_SUM || index != 0) return false;
    return step->data_type == PRIM_F32 || step->data_type == PRIM_DATA_TYPE_UNDEF;
}

bool prim__x64_matmul_is_row_chain(const prim_attr_t *attr)
{
    if (prim__attr_scale(attr, PRIM_ARG_DST) || prim__attr_zero_point(attr, PRIM_ARG_DST))
        return false;
    for (int i = 0; i < attr->post_ops.len; ++i) {
        if (!is_row_step(&attr->post_ops.entries[i], i)) return false;
    }
    return true;
}

void prim__x64_matmul_finish_init(x64_matmul_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, bool is_row_chain, bool skips_first)
{
    const prim_memory_desc_t *const bia = prim__ctx_md(ctx, pd, PRIM_ARG_BIAS);
    *finish = (x64_matmul_finish_t){
            .chain = &pd->attr.post_ops,
            .first_step = skips_first ? 1 : 0,
            .is_row_chain = is_row_chain,
            .bia_m = shape->bia_m,
            .bia_n = shape->bia_n,
    };
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) {
        finish->bia = prim__ref_pointer(ctx, PRIM_ARG_BIAS);
        finish->bia_dt = bia->data_type;
        finish->bia_offset0 = bia->offset0;
    }
    finish->is_empty = is_row_chain && !finish->bia && finish->chain->len == finish->first_step;
    prim__ref_finish_init(&finish->ref, pd, ctx);
}

static void add_bias(const x64_matmul_finish_t *finish, float *row, prim_dim_t offset, prim_dim_t n)
{
    if (finish->bia_dt == PRIM_F32 && finish->bia_n == 1) {
        const float *const bia = (const float *)finish->bia + offset;
        for (prim_dim_t j = 0; j < n; ++j) row[j] += bia[j];
        return;
    }
    double bia[REF_ROW_ELEMS];
    prim__ref_load_row(bia, finish->bia, finish->bia_dt, offset, finish->bia_n, n);
    for (prim_dim_t j = 0; j < n; ++j) row[j] = (float)((double)row[j] + bia[j]);
}

static void finish_like_ref(const x64_matmul_finish_t *finish, const float *row, prim_dim_t number,
        prim_dim_t j0, prim_dim_t n)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const int last = md->ndims - 1;
    double wide[REF_ROW_ELEMS];
    prim_dims_t position;
    prim__position(position, last, md->dims, number);
    position[last] = j0;
    for (prim_dim_t j = 0; j < n; ++j) wide[j] = (double)row[j];
    prim__ref_finish_row(&finish->ref, wide, position, last, n);
    prim__ref_store_row(wide, finish->ref.dst, md->data_type, prim__md_offset(md, position),
            prim__ref_row_stride(md, last), n);
}

void prim__x64_matmul_finish(const x64_matmul_finish_t *finish, const x64_matmul_tile_t *tile,
        float *sums, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    for (prim_dim_t i = i0; i < i0 + ni; ++i, sums += tile->row_elems) {
        const prim_dim_t bias = finish->bia_offset0 + tile->bias + i * finish->bia_m;
        for (prim_dim_t j = 0; j < nj; j += REF_ROW_ELEMS) {
            const prim_dim_t n = nj - j < REF_ROW_ELEMS ? nj - j : REF_ROW_ELEMS;
            float *const row = sums + j;
            if (finish->bia) add_bias(finish, row, bias + (j0 + j) * finish->bia_n, n);
            if (!finish->is_row_chain) {
                finish_like_ref(finish, row, tile->first_row + i, j0 + j, n);
                continue;
            }
            for (int s = finish->first_step; s < finish->chain->len; ++s)
                prim__x64_eltwise_row(&finish->chain->entries[s], row, n);
        }
    }
}
