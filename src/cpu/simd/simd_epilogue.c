// SPDX-License-Identifier: Apache-2.0
// Which chains an epilogue in one pass takes.
#include "simd_epilogue.h"

#include "common/post_ops_check.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"

const simd_epilogue_code_t *prim__simd_epilogue_choose(prim_data_type_t dst)
{
#if PRIM_X64
    if (dst == PRIM_BF16 && prim__cpu_isa() >= CPU_ISA_AVX512_BF16)
        return &prim__simd_epilogue_code_bf16;
#endif
    (void)dst;
    return SIMD_CHOOSE(prim__simd_epilogue_code);
}

static bool is_addend(const post_op_t *entry, const prim_memory_desc_t *dst)
{
    if (entry->kind == PRIM_SUM)
        return entry->data_type == PRIM_DATA_TYPE_UNDEF || entry->data_type == dst->data_type;
    return entry->kind == PRIM_BINARY && entry->alg == PRIM_BINARY_ADD &&
           entry->src1_md.data_type == dst->data_type && !prim__md_has_runtime(&entry->src1_md) &&
           prim__md_same_layout_moved(&entry->src1_md, dst);
}

static simd_epilogue_function_t function_of(const post_op_t *entry)
{
    if (entry->kind != PRIM_ELTWISE) return SIMD_EPILOGUE_NOTHING;
    switch (entry->alg) {
    case PRIM_ELTWISE_RELU: return SIMD_EPILOGUE_RELU;
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2: return SIMD_EPILOGUE_CLIP;
    case PRIM_ELTWISE_LINEAR: return SIMD_EPILOGUE_LINEAR;
    default: return SIMD_EPILOGUE_NOTHING;
    }
}

bool prim__simd_epilogue_takes(const prim_desc_t *pd, bool skips_first)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    if (prim__md_has_runtime(dst) || !prim__md_is_plain(dst) ||
            !prim__simd_takes_type(dst->data_type) ||
            !prim__quant_is_common(prim__attr_scale(&pd->attr, PRIM_ARG_DST)) ||
            !prim__quant_is_common(prim__attr_zero_point(&pd->attr, PRIM_ARG_DST)))
        return false;
    int i = skips_first ? 1 : 0;
    if (i < chain->len && is_addend(&chain->entries[i], dst)) ++i;
    if (i < chain->len && function_of(&chain->entries[i]) != SIMD_EPILOGUE_NOTHING) ++i;
    return i == chain->len;
}

static void set_addend(simd_epilogue_t *e, const prim_desc_t *pd, const exec_ctx_t *ctx, int index)
{
    const post_op_t *const entry = &pd->attr.post_ops.entries[index];
    const bool is_sum = entry->kind == PRIM_SUM;
    const int arg = is_sum ? PRIM_ARG_DST : prim__post_op_operand_arg(entry, index, 0);
    e->addend = prim__simd_array(pd, ctx, arg).base;
    e->addend_scale = is_sum ? entry->scale : 1.0F;
    e->addend_zero = is_sum ? (float)entry->zero_point : 0.0F;
}

void prim__simd_epilogue_init(
        simd_epilogue_t *epilogue, const prim_desc_t *pd, const exec_ctx_t *ctx, bool skips_first)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    const simd_array_t dst = prim__simd_array(pd, ctx, PRIM_ARG_DST);
    *epilogue = (simd_epilogue_t){.dst = dst.base, .dt = dst.dt};
    for (int i = skips_first ? 1 : 0; i < chain->len; ++i) {
        const post_op_t *const entry = &chain->entries[i];
        if (entry->kind != PRIM_ELTWISE) {
            set_addend(epilogue, pd, ctx, i);
            continue;
        }
        epilogue->function = function_of(entry);
        epilogue->alpha = entry->alpha;
        epilogue->beta = entry->beta;
    }
    epilogue->scale = prim__simd_scale(pd, ctx, PRIM_ARG_DST);
    epilogue->zero_point = (float)prim__ref_zero_point(pd, ctx, PRIM_ARG_DST);
    epilogue->is_scaled = epilogue->scale != 1.0F || epilogue->zero_point != 0.0F;
}

prim_dim_t prim__simd_epilogue_offset(const prim_memory_desc_t *dst, const prim_dim_t *position)
{
    prim_dim_t at = 0;
    for (int d = 0; d < dst->ndims; ++d)
        if (dst->dims[d] > 1) at += position[d] * dst->strides[d];
    return at;
}
