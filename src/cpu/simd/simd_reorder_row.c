// SPDX-License-Identifier: Apache-2.0
// Rows of a reorder in pieces of f32: ((src − zero point)·scale + sum) / scale of dst + zero point.
#include "simd_reorder_row.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "cpu/ref/ref_finish.h"

enum { PIECE = 512 };

static prim_status_t require_setting(prim_desc_t *pd, int arg)
{
    const quant_t *const scale = prim__attr_scale(&pd->attr, arg);
    const quant_t *const zero_point = prim__attr_zero_point(&pd->attr, arg);
    if (scale) {
        REQUIRE(pd, scale->ngroups == 0, "groups of elements share a scale");
        REQUIRE(pd, prim__simd_takes_type(scale->data_type), "scales are %s",
                prim_data_type_name(scale->data_type));
    }
    REQUIRE(pd, prim__quant_is_common(zero_point), "there is more than one zero point");
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_reorder_require(prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_FROM)->data_type;
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_TO)->data_type;
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    REQUIRE(pd, prim__simd_takes_type(src) && prim__simd_takes_type(dst),
            "%s to %s is neither a copy nor between f32, f16, bf16, s8 and u8",
            prim_data_type_name(src), prim_data_type_name(dst));
    REQUIRE(pd, post_ops->len <= 1, "there are several sums");
    REQUIRE(pd,
            post_ops->len == 0 || post_ops->entries[0].data_type == PRIM_DATA_TYPE_UNDEF ||
                    post_ops->entries[0].data_type == dst,
            "the sum reads dst as another data type");
    TRY(require_setting(pd, PRIM_ARG_SRC));
    return require_setting(pd, PRIM_ARG_DST);
}

static void init_scale(simd_reorder_t *r, int side, const ref_quant_t *scale)
{
    const int k = side - SIMD_REORDER_SRC_SCALE;
    memcpy(r->scale_strides[k], scale->strides, sizeof scale->strides);
    // Only read: an array's base is that of outputs, too.
    memcpy(&r->arrays[side].base, &scale->values, sizeof scale->values);
    r->arrays[side].dt = scale->data_type;
}

void prim__simd_reorder_init(simd_reorder_t *reorder, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    *reorder = (simd_reorder_t){.is_plain = prim__attr_is_plain(&pd->attr),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code)};
    // Offsets of the caller's loops begin at offset0.
    reorder->arrays[SIMD_REORDER_SRC] =
            (simd_array_t){prim__ref_pointer(ctx, PRIM_ARG_FROM), src->data_type};
    reorder->arrays[SIMD_REORDER_DST] =
            (simd_array_t){prim__ref_pointer(ctx, PRIM_ARG_TO), dst->data_type};
    if (reorder->is_plain) return;
    if (pd->attr.post_ops.len > 0) reorder->sum = &pd->attr.post_ops.entries[0];
    ref_quant_t quant;
    prim__ref_scales_init(&quant, pd, ctx, PRIM_ARG_SRC, src);
    init_scale(reorder, SIMD_REORDER_SRC_SCALE, &quant);
    prim__ref_scales_init(&quant, pd, ctx, PRIM_ARG_DST, dst);
    init_scale(reorder, SIMD_REORDER_DST_SCALE, &quant);
    reorder->src_zero = (float)prim__ref_zero_point(pd, ctx, PRIM_ARG_SRC);
    reorder->dst_zero = (float)prim__ref_zero_point(pd, ctx, PRIM_ARG_DST);
}

/// The scales of n elements, one for all of them where their stride is 0.
static simd_operand_t read_scales(const simd_reorder_t *r, float *room, int side,
        const prim_dim_t *offsets, const prim_dim_t *strides, prim_dim_t n)
{
    room[0] = 1;
    if (!r->arrays[side].base) return (simd_operand_t){room, true};
    const bool is_constant = strides[side] == 0;
    const float *const values = prim__simd_read(
            r->convert, room, &r->arrays[side], offsets[side], strides[side], is_constant ? 1 : n);
    return (simd_operand_t){values, is_constant};
}

/// row = the quantised x of n ≤ PIECE elements.
static void quantise(const simd_reorder_t *r, float *row, const float *x, const prim_dim_t *offsets,
        const prim_dim_t *strides, prim_dim_t n)
{
    float src_room[PIECE], dst_room[PIECE], old_room[PIECE];
    const simd_operand_t self = {row, false};
    const simd_operand_t by = read_scales(r, src_room, SIMD_REORDER_SRC_SCALE, offsets, strides, n);
    const simd_operand_t over =
            read_scales(r, dst_room, SIMD_REORDER_DST_SCALE, offsets, strides, n);
    if (by.is_constant && over.is_constant && !r->sum) {
        r->rows->quantise(row, x, r->src_zero, by.row[0], over.row[0], r->dst_zero, n);
        return;
    }
    r->rows->quantise(row, x, r->src_zero, by.is_constant ? by.row[0] : 1, 1, 0, n);
    if (!by.is_constant) r->binary->compute(PRIM_BINARY_MUL, row, &self, &by, n);
    if (r->sum) {
        const float *const old = prim__simd_read(r->convert, old_room, &r->arrays[SIMD_REORDER_DST],
                offsets[SIMD_REORDER_DST], strides[SIMD_REORDER_DST], n);
        r->binary->add_scaled(row, old, r->sum->scale, (float)r->sum->zero_point, n);
    }
    r->binary->compute(PRIM_BINARY_DIV, row, &self, &over, n);
    const simd_operand_t zero = {&r->dst_zero, true};
    r->binary->compute(PRIM_BINARY_ADD, row, &self, &zero, n);
}

void prim__simd_reorder_row(const simd_reorder_t *reorder, const prim_dim_t *offsets,
        const prim_dim_t *strides, prim_dim_t n)
{
    const simd_array_t *const src = &reorder->arrays[SIMD_REORDER_SRC];
    const simd_array_t *const dst = &reorder->arrays[SIMD_REORDER_DST];
    for (prim_dim_t first = 0; first < n; first += PIECE) {
        const prim_dim_t count = prim__min(n - first, PIECE);
        prim_dim_t at[SIMD_REORDER_SIDES];
        for (int s = 0; s < SIMD_REORDER_SIDES; ++s) at[s] = offsets[s] + first * strides[s];
        float room[PIECE], row[PIECE];
        const float *x = prim__simd_read(reorder->convert, room, src, at[SIMD_REORDER_SRC],
                strides[SIMD_REORDER_SRC], count);
        if (!reorder->is_plain) {
            quantise(reorder, row, x, at, strides, count);
            x = row;
        }
        prim__simd_write(
                reorder->convert, dst, at[SIMD_REORDER_DST], strides[SIMD_REORDER_DST], x, count);
    }
}
