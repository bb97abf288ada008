// SPDX-License-Identifier: Apache-2.0
// Post-ops and quantisation of dst on rows.
#include "simd_chain.h"

#include "common/post_ops_check.h"
#include "cpu/ref/ref_finish.h"

prim_status_t prim__simd_chain_add(
        prim_desc_t *pd, const prim_memory_desc_t **tensors, int *ntensors)
{
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const entry = &post_ops->entries[i];
        if (entry->kind == PRIM_ELTWISE) continue;
        if (entry->kind == PRIM_SUM) {
            REQUIRE(pd,
                    entry->data_type == PRIM_DATA_TYPE_UNDEF ||
                            entry->data_type == tensors[0]->data_type,
                    "post-op %d adds dst as another data type", i);
            continue;
        }
        REQUIRE(pd, entry->kind == PRIM_BINARY || entry->kind == PRIM_PRELU,
                "post-op %d is no sum, eltwise, binary or prelu", i);
        REQUIRE(pd, prim__simd_takes_type(entry->src1_md.data_type),
                "the operand of post-op %d is not f32, f16, bf16, s8 or u8", i);
        const int noperands = prim__post_op_noperands(entry);
        REQUIRE(pd, *ntensors + noperands <= SIMD_NEST_TENSORS, "more than %d tensors",
                SIMD_NEST_TENSORS);
        for (int k = 0; k < noperands; ++k)
            tensors[(*ntensors)++] = prim__post_op_operand_md(entry, k);
    }
    const quant_t *const settings[] = {prim__attr_scale(&pd->attr, PRIM_ARG_DST),
            prim__attr_zero_point(&pd->attr, PRIM_ARG_DST)};
    for (int i = 0; i < 2; ++i)
        REQUIRE(pd, prim__quant_is_common(settings[i]),
                "dst has more than one scale or zero point");
    return PRIM_SUCCESS;
}

float prim__simd_scale(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    return (float)prim__ref_scale(pd, ctx, arg);
}

void prim__simd_chain_init(
        simd_chain_t *chain, const prim_desc_t *pd, const exec_ctx_t *ctx, int first)
{
    *chain = (simd_chain_t){.post_ops = &pd->attr.post_ops,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .eltwise = SIMD_CHOOSE(prim__simd_eltwise_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code),
            .dst = prim__simd_array(pd, ctx, PRIM_ARG_DST),
            .first = first};
    int place = first;
    for (int i = 0; i < chain->post_ops->len; ++i) {
        const post_op_t *const entry = &chain->post_ops->entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k)
            chain->operands[place++] =
                    prim__simd_array(pd, ctx, prim__post_op_operand_arg(entry, i, k));
    }
    chain->scale = prim__simd_scale(pd, ctx, PRIM_ARG_DST);
    chain->zero_point = (float)prim__ref_zero_point(pd, ctx, PRIM_ARG_DST);
    chain->has_scale = chain->scale != 1.0F;
    chain->has_zero_point = chain->zero_point != 0.0F;
    chain->is_empty = chain->post_ops->len == 0 && !chain->has_scale && !chain->has_zero_point;
}

/// The row of the operand at `place`, perhaps in the room.
static simd_operand_t read_operand(const simd_chain_t *chain, float *room, int place,
        const prim_dim_t *offsets, const prim_dim_t *strides, prim_dim_t n)
{
    const bool is_constant = strides[place] == 0;
    const float *const values = prim__simd_read(chain->convert, room, &chain->operands[place],
            offsets[place], strides[place], is_constant ? 1 : n);
    return (simd_operand_t){values, is_constant};
}

/// row[i] becomes the operand's element where that of the condition, the next tensor, is 0.
static void apply_select(const simd_chain_t *chain, float *row, const simd_operand_t *operand,
        int place, const prim_dim_t *offsets, const prim_dim_t *strides, prim_dim_t n)
{
    float room[SIMD_ROW];
    const simd_operand_t self = {row, false};
    const simd_operand_t condition = read_operand(chain, room, place, offsets, strides, n);
    chain->binary->select(row, &condition, &self, operand, n);
}

void prim__simd_chain_row(const simd_chain_t *chain, float *row, const prim_dim_t *offsets,
        const prim_dim_t *strides, prim_dim_t n)
{
    if (chain->is_empty) return;
    const simd_operand_t self = {row, false};
    int place = chain->first;
    for (int i = 0; i < chain->post_ops->len; ++i) {
        const post_op_t *const entry = &chain->post_ops->entries[i];
        float room[SIMD_ROW];
        if (entry->kind == PRIM_ELTWISE) {
            const simd_eltwise_t function = {entry->alg, entry->alpha, entry->beta};
            chain->eltwise->forward(&function, row, row, n);
            continue;
        }
        if (entry->kind == PRIM_SUM) {
            const float *const old =
                    prim__simd_read(chain->convert, room, &chain->dst, offsets[0], strides[0], n);
            chain->binary->add_scaled(row, old, entry->scale, (float)entry->zero_point, n);
            continue;
        }
        const simd_operand_t operand = read_operand(chain, room, place++, offsets, strides, n);
        if (entry->kind == PRIM_PRELU)
            chain->binary->prelu(row, row, &operand, n);
        else if (entry->alg == PRIM_BINARY_SELECT)
            apply_select(chain, row, &operand, place++, offsets, strides, n);
        else
            chain->binary->compute(entry->alg, row, &self, &operand, n);
    }
    if (chain->has_scale)
        chain->binary->compute(
                PRIM_BINARY_DIV, row, &self, &(simd_operand_t){&chain->scale, true}, n);
    if (chain->has_zero_point)
        chain->binary->compute(
                PRIM_BINARY_ADD, row, &self, &(simd_operand_t){&chain->zero_point, true}, n);
}
