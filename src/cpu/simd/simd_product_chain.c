// SPDX-License-Identifier: Apache-2.0
// Rows of sums on their way to dst.
#include "simd_product_chain.h"

#include "common/post_ops_check.h"

/// A tensor of dst's rank whose elements have strides that are known.
static bool is_operand(const prim_memory_desc_t *md, const prim_memory_desc_t *dst)
{
    return md->ndims == dst->ndims && !prim__md_has_runtime(md) && prim__md_is_plain(md) &&
           prim__simd_takes_type(md->data_type);
}

static bool takes_post_op(const post_op_t *entry, const prim_memory_desc_t *dst)
{
    switch (entry->kind) {
    case PRIM_ELTWISE: return true;
    case PRIM_SUM:
        return entry->data_type == PRIM_DATA_TYPE_UNDEF || entry->data_type == dst->data_type;
    case PRIM_BINARY:
    case PRIM_PRELU: break;
    default: return false;
    }
    for (int k = 0; k < prim__post_op_noperands(entry); ++k)
        if (!is_operand(prim__post_op_operand_md(entry, k), dst)) return false;
    return true;
}

bool prim__simd_product_chain_takes(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    if (!is_operand(dst, dst)) return false;
    int ntensors = 1;
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *const entry = &pd->attr.post_ops.entries[i];
        if (!takes_post_op(entry, dst)) return false;
        ntensors += prim__post_op_noperands(entry);
    }
    return ntensors <= SIMD_NEST_TENSORS &&
           prim__quant_is_common(prim__attr_scale(&pd->attr, PRIM_ARG_DST)) &&
           prim__quant_is_common(prim__attr_zero_point(&pd->attr, PRIM_ARG_DST));
}

void prim__simd_product_chain_init(
        simd_product_chain_t *chain, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__simd_chain_init(&chain->chain, pd, ctx, 1);
    chain->ntensors = 1;
    chain->mds[0] = prim__pd_md(pd, PRIM_ARG_DST);
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *const entry = &pd->attr.post_ops.entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k)
            chain->mds[chain->ntensors++] = prim__post_op_operand_md(entry, k);
    }
}

void prim__simd_product_chain_store(const simd_product_chain_t *chain, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    prim_dim_t offsets[SIMD_NEST_TENSORS], strides[SIMD_NEST_TENSORS];
    for (int t = 0; t < chain->ntensors; ++t) {
        const prim_memory_desc_t *const md = chain->mds[t];
        offsets[t] = 0;
        for (int d = 0; d < md->ndims; ++d)
            if (md->dims[d] > 1) offsets[t] += position[d] * md->strides[d];
        strides[t] = md->dims[dim] > 1 ? md->strides[dim] : 0;
    }
    prim__simd_chain_row(&chain->chain, row, offsets, strides, n);
    prim__simd_write(chain->chain.convert, &chain->chain.dst, offsets[0], strides[0], row, n);
}

void prim__simd_product_chain_store_contiguous(
        const simd_product_chain_t *chain, float *row, const prim_dim_t *position, prim_dim_t n)
{
    const prim_memory_desc_t *const md = chain->mds[0];
    static const prim_dim_t stride = 1;
    prim_dim_t offset = 0;
    for (int d = 0; d < md->ndims; ++d) offset += position[d] * md->strides[d];
    prim__simd_chain_row(&chain->chain, row, &offset, &stride, n);
    prim__simd_write(chain->chain.convert, &chain->chain.dst, offset, stride, row, n);
}
