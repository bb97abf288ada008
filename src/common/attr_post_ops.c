// SPDX-License-Identifier: Apache-2.0
// Post-op chains: the public functions that build and read them.

#include "attr_post_ops.h"

#include <string.h>

#include "alloc.h"
#include "data_type.h"
#include "memory_desc.h"

prim_status_t prim__post_ops_copy(prim_post_ops_t *post_ops, const prim_post_ops_t *from)
{
    prim_post_ops_t copy = {.len = from->len};
    if (from->len > 0) {
        const size_t bytes = (size_t)from->len * sizeof *from->entries;
        copy.entries = prim__calloc(bytes);
        if (!copy.entries) return prim__fail_memory(bytes);
        memcpy(copy.entries, from->entries, bytes);
    }
    *post_ops = copy;
    return PRIM_SUCCESS;
}

void prim__post_ops_fini(prim_post_ops_t *post_ops)
{
    prim__free(post_ops->entries);
    *post_ops = (prim_post_ops_t){0};
}

prim_status_t prim_post_ops_create(prim_post_ops_t **post_ops)
{
    CHECK_NOT_NULL(post_ops);
    prim_post_ops_t *const created = prim__calloc(sizeof *created);
    if (!created) return prim__fail_memory(sizeof *created);
    *post_ops = created;
    return PRIM_SUCCESS;
}

prim_status_t prim_post_ops_clone(prim_post_ops_t **post_ops, const prim_post_ops_t *from)
{
    CHECK_NOT_NULL(post_ops);
    CHECK_NOT_NULL(from);
    prim_post_ops_t *clone = NULL;
    TRY(prim_post_ops_create(&clone));
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, prim__post_ops_copy(clone, from));
    *post_ops = clone;
    return PRIM_SUCCESS;

fail:
    prim_post_ops_destroy(clone);
    return st;
}

void prim_post_ops_destroy(prim_post_ops_t *post_ops)
{
    if (!post_ops) return;
    prim__post_ops_fini(post_ops);
    prim__free(post_ops);
}

int prim_post_ops_len(const prim_post_ops_t *post_ops)
{
    return post_ops ? post_ops->len : 0;
}

prim_primitive_kind_t prim_post_ops_get_kind(const prim_post_ops_t *post_ops, int index)
{
    const bool is_there = index >= 0 && index < prim_post_ops_len(post_ops);
    return is_there ? post_ops->entries[index].kind : PRIM_PRIMITIVE_UNDEF;
}

/// Lengthens the chain by a copy of `entry`. The chain is unchanged on failure.
static prim_status_t append(prim_post_ops_t *post_ops, const post_op_t *entry)
{
    if (post_ops->len == PRIM_MAX_POST_OPS) {
        return prim__fail(
                PRIM_OUT_OF_MEMORY, "a chain holds at most %d post-ops", PRIM_MAX_POST_OPS);
    }
    const size_t bytes = (size_t)post_ops->len * sizeof *entry;
    post_op_t *const longer = prim__calloc(bytes + sizeof *entry);
    if (!longer) return prim__fail_memory(bytes + sizeof *entry);
    if (bytes > 0) memcpy(longer, post_ops->entries, bytes);
    memcpy(longer + post_ops->len, entry, sizeof *entry);
    prim__free(post_ops->entries);
    post_ops->entries = longer;
    ++post_ops->len;
    return PRIM_SUCCESS;
}

/// The entry of `kind` at `index`.
static prim_status_t find_entry(const post_op_t **entry, const prim_post_ops_t *post_ops, int index,
        prim_primitive_kind_t kind)
{
    CHECK_NOT_NULL(post_ops);
    CHECK(index >= 0 && index < post_ops->len, "post-op %d is outside a chain of %d", index,
            post_ops->len);
    const post_op_t *const found = &post_ops->entries[index];
    CHECK(found->kind == kind, "post-op %d is %s, not %s", index,
            prim_primitive_kind_name(found->kind), prim_primitive_kind_name(kind));
    *entry = found;
    return PRIM_SUCCESS;
}

prim_status_t prim_post_ops_append_sum(
        prim_post_ops_t *post_ops, float scale, int32_t zero_point, prim_data_type_t data_type)
{
    CHECK_NOT_NULL(post_ops);
    CHECK(data_type == PRIM_DATA_TYPE_UNDEF || prim__dt_bytes(data_type) > 0,
            "%d is not a data type", (int)data_type);
    const post_op_t entry = {
            .kind = PRIM_SUM, .scale = scale, .zero_point = zero_point, .data_type = data_type};
    return append(post_ops, &entry);
}

prim_status_t prim_post_ops_get_params_sum(const prim_post_ops_t *post_ops, int index, float *scale,
        int32_t *zero_point, prim_data_type_t *data_type)
{
    CHECK_NOT_NULL(scale);
    CHECK_NOT_NULL(zero_point);
    CHECK_NOT_NULL(data_type);
    const post_op_t *entry;
    TRY(find_entry(&entry, post_ops, index, PRIM_SUM));
    *scale = entry->scale;
    *zero_point = entry->zero_point;
    *data_type = entry->data_type;
    return PRIM_SUCCESS;
}

static bool is_eltwise(prim_alg_kind_t alg)
{
    return (alg >= PRIM_ELTWISE_RELU && alg <= PRIM_ELTWISE_HARDSWISH) ||
           (alg >= PRIM_ELTWISE_RELU_USE_DST_FOR_BWD &&
                   alg <= PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD);
}

prim_status_t prim__eltwise_check(prim_alg_kind_t alg, float alpha, float beta)
{
    CHECK(is_eltwise(alg), "%#x is not an eltwise algorithm", (unsigned)alg);
    const bool is_clip = alg == PRIM_ELTWISE_CLIP || alg == PRIM_ELTWISE_CLIP_V2 ||
                         alg == PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD;
    CHECK(!is_clip || alpha <= beta, "clip from %g to %g is empty", (double)alpha, (double)beta);
    const bool is_inverted =
            alg == PRIM_ELTWISE_RELU_USE_DST_FOR_BWD || alg == PRIM_ELTWISE_ELU_USE_DST_FOR_BWD;
    CHECK(!is_inverted || alpha >= 0, "%s cannot be undone from dst for a negative alpha %g",
            prim_alg_kind_name(alg), (double)alpha);
    return PRIM_SUCCESS;
}

prim_status_t prim_post_ops_append_eltwise(
        prim_post_ops_t *post_ops, prim_alg_kind_t alg, float alpha, float beta)
{
    CHECK_NOT_NULL(post_ops);
    TRY(prim__eltwise_check(alg, alpha, beta));
    const post_op_t entry = {.kind = PRIM_ELTWISE, .alg = alg, .alpha = alpha, .beta = beta};
    return append(post_ops, &entry);
}

prim_status_t prim_post_ops_get_params_eltwise(
        const prim_post_ops_t *post_ops, int index, prim_alg_kind_t *alg, float *alpha, float *beta)
{
    CHECK_NOT_NULL(alg);
    CHECK_NOT_NULL(alpha);
    CHECK_NOT_NULL(beta);
    const post_op_t *entry;
    TRY(find_entry(&entry, post_ops, index, PRIM_ELTWISE));
    *alg = entry->alg;
    *alpha = entry->alpha;
    *beta = entry->beta;
    return PRIM_SUCCESS;
}

/// The condition is there for a select alone.
static prim_status_t check_condition(prim_alg_kind_t alg, const prim_memory_desc_t *src2_md)
{
    const bool is_there = src2_md && !prim__md_is_zero(src2_md);
    if (alg != PRIM_BINARY_SELECT) {
        CHECK(!is_there, "%s reads no src2", prim_alg_kind_name(alg));
        return PRIM_SUCCESS;
    }
    CHECK(is_there, "src2, the condition of binary_select, is absent");
    TRY(prim__md_check(src2_md, "src2"));
    CHECK(src2_md->data_type == PRIM_S8, "src2, the condition of binary_select, is %s, not s8",
            prim_data_type_name(src2_md->data_type));
    return PRIM_SUCCESS;
}

prim_status_t prim_post_ops_append_binary_v2(prim_post_ops_t *post_ops, prim_alg_kind_t alg,
        const prim_memory_desc_t *src1_md, const prim_memory_desc_t *src2_md)
{
    CHECK_NOT_NULL(post_ops);
    CHECK(alg >= PRIM_BINARY_ADD && alg <= PRIM_BINARY_SELECT, "%#x is not a binary post-op",
            (unsigned)alg);
    TRY(prim__md_check(src1_md, "src1"));
    CHECK(!prim__md_is_zero(src1_md), "src1 is absent");
    TRY(check_condition(alg, src2_md));
    post_op_t entry = {.kind = PRIM_BINARY, .alg = alg, .src1_md = *src1_md};
    prim__md_normalize(&entry.src1_md);
    if (alg == PRIM_BINARY_SELECT) {
        entry.src2_md = *src2_md;
        prim__md_normalize(&entry.src2_md);
    }
    return append(post_ops, &entry);
}

prim_status_t prim_post_ops_append_binary(
        prim_post_ops_t *post_ops, prim_alg_kind_t alg, const prim_memory_desc_t *src1_md)
{
    CHECK(alg != PRIM_BINARY_SELECT,
            "binary_select reads a third tensor: prim_post_ops_append_binary_v2() takes it");
    return prim_post_ops_append_binary_v2(post_ops, alg, src1_md, NULL);
}

prim_status_t prim_post_ops_get_params_binary_v2(const prim_post_ops_t *post_ops, int index,
        prim_alg_kind_t *alg, const prim_memory_desc_t **src1_md,
        const prim_memory_desc_t **src2_md)
{
    CHECK_NOT_NULL(alg);
    CHECK_NOT_NULL(src1_md);
    CHECK_NOT_NULL(src2_md);
    const post_op_t *entry;
    TRY(find_entry(&entry, post_ops, index, PRIM_BINARY));
    *alg = entry->alg;
    *src1_md = &entry->src1_md;
    *src2_md = entry->alg == PRIM_BINARY_SELECT ? &entry->src2_md : NULL;
    return PRIM_SUCCESS;
}

prim_status_t prim_post_ops_get_params_binary(const prim_post_ops_t *post_ops, int index,
        prim_alg_kind_t *alg, const prim_memory_desc_t **src1_md)
{
    const prim_memory_desc_t *src2_md;
    return prim_post_ops_get_params_binary_v2(post_ops, index, alg, src1_md, &src2_md);
}

prim_status_t prim_post_ops_append_prelu(prim_post_ops_t *post_ops, int mask)
{
    CHECK_NOT_NULL(post_ops);
    CHECK(mask >= 0 && mask < 1 << PRIM_MAX_NDIMS, "mask %d is outside 0..%d", mask,
            (1 << PRIM_MAX_NDIMS) - 1);
    const post_op_t entry = {.kind = PRIM_PRELU, .mask = mask};
    return append(post_ops, &entry);
}

prim_status_t prim_post_ops_get_params_prelu(const prim_post_ops_t *post_ops, int index, int *mask)
{
    CHECK_NOT_NULL(mask);
    const post_op_t *entry;
    TRY(find_entry(&entry, post_ops, index, PRIM_PRELU));
    *mask = entry->mask;
    return PRIM_SUCCESS;
}

static bool is_type(prim_data_type_t data_type)
{
    return prim__dt_bytes(data_type) > 0;
}

prim_status_t prim_post_ops_append_dw(prim_post_ops_t *post_ops, prim_data_type_t weights_type,
        prim_data_type_t bias_type, prim_data_type_t dst_type, prim_dim_t kernel, prim_dim_t stride,
        prim_dim_t padding)
{
    CHECK_NOT_NULL(post_ops);
    CHECK(is_type(weights_type), "depthwise weights: %d is not a data type", (int)weights_type);
    CHECK(bias_type == PRIM_DATA_TYPE_UNDEF || is_type(bias_type),
            "depthwise bias: %d is not a data type", (int)bias_type);
    CHECK(is_type(dst_type), "depthwise dst: %d is not a data type", (int)dst_type);
    CHECK(kernel >= 1 && stride >= 1, "depthwise kernel %lld and stride %lld; at least 1 each",
            (long long)kernel, (long long)stride);
    CHECK(padding >= 0 && padding < kernel, "depthwise padding %lld is outside 0..%lld",
            (long long)padding, (long long)kernel - 1);
    const post_op_t entry = {.kind = PRIM_CONVOLUTION,
            .data_type = dst_type,
            .weights_type = weights_type,
            .bias_type = bias_type,
            .kernel = kernel,
            .stride = stride,
            .padding = padding};
    return append(post_ops, &entry);
}

prim_status_t prim_post_ops_get_params_dw(const prim_post_ops_t *post_ops, int index,
        prim_data_type_t *weights_type, prim_data_type_t *bias_type, prim_data_type_t *dst_type,
        prim_dim_t *kernel, prim_dim_t *stride, prim_dim_t *padding)
{
    CHECK_NOT_NULL(weights_type);
    CHECK_NOT_NULL(bias_type);
    CHECK_NOT_NULL(dst_type);
    CHECK_NOT_NULL(kernel);
    CHECK_NOT_NULL(stride);
    CHECK_NOT_NULL(padding);
    const post_op_t *entry;
    TRY(find_entry(&entry, post_ops, index, PRIM_CONVOLUTION));
    *weights_type = entry->weights_type;
    *bias_type = entry->bias_type;
    *dst_type = entry->data_type;
    *kernel = entry->kernel;
    *stride = entry->stride;
    *padding = entry->padding;
    return PRIM_SUCCESS;
}
