// SPDX-License-Identifier: Apache-2.0
// Post-op chains: the checks when a primitive descriptor is created.
#include "post_ops_check.h"

#include <math.h>

#include "attr_post_ops.h"
#include "data_type.h"
#include "memory_desc.h"

/// What the checks know of a kind of post-op.
typedef struct {
    unsigned allowance; ///< ALLOW_…
    int operand;        ///< its role, as if the step were a primitive of its own; 0: it has none.
                        ///< A select has the condition of the primitive as well
    /// Whether f(0) = 0 for certain. NULL: never, for 0·x is not 0 for all operands x.
    bool (*keeps_zero)(const post_op_t *entry);
    /// Compares with dst, and fills what depends on it. NULL: nothing does.
    prim_status_t (*resolve)(post_op_t *entry, int index, const prim_memory_desc_t *dst_md);
} kind_rule_t;

bool prim__eltwise_keeps_zero(prim_alg_kind_t alg, float alpha, float beta)
{
    switch (alg) {
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SQUARE:
    case PRIM_ELTWISE_ABS:
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_GELU_TANH:
    case PRIM_ELTWISE_GELU_ERF:
    case PRIM_ELTWISE_ROUND:
    case PRIM_ELTWISE_MISH: return true;
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SWISH: return isfinite(alpha);
    case PRIM_ELTWISE_LINEAR: return isfinite(alpha) && beta == 0;
    case PRIM_ELTWISE_HARDSIGMOID: return isfinite(alpha) && beta <= 0;
    case PRIM_ELTWISE_HARDSWISH: return isfinite(alpha) && !isnan(beta);
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return alpha <= 0 && beta >= 0;
    case PRIM_ELTWISE_POW: return isfinite(alpha) && beta > 0;
    default: return false;
    }
}

static bool sum_keeps_zero(const post_op_t *entry)
{
    return isfinite(entry->scale) && (entry->zero_point == 0 || entry->scale == 0);
}

static bool eltwise_keeps_zero(const post_op_t *entry)
{
    return prim__eltwise_keeps_zero(entry->alg, entry->alpha, entry->beta);
}

static prim_status_t resolve_sum(post_op_t *entry, int index, const prim_memory_desc_t *dst_md)
{
    (void)index;
    const size_t dst_bytes = prim__dt_bytes(dst_md->data_type);
    CHECK(entry->data_type == PRIM_DATA_TYPE_UNDEF || prim__dt_bytes(entry->data_type) == dst_bytes,
            "sum reads dst (%s) as %s, a type of another size",
            prim_data_type_name(dst_md->data_type), prim_data_type_name(entry->data_type));
    return PRIM_SUCCESS;
}

/// A run-time dimension matches any: execution compares again.
static bool is_broadcast(prim_dim_t dim, prim_dim_t dst_dim)
{
    return dim == 1 || dim == dst_dim || dim == PRIM_RUNTIME_DIM_VAL ||
           dst_dim == PRIM_RUNTIME_DIM_VAL;
}

static prim_status_t resolve_operand(
        prim_memory_desc_t *md, const char *name, int index, const prim_memory_desc_t *dst_md)
{
    CHECK(md->ndims == dst_md->ndims, "binary post-op %d: %s has %d dimensions, dst %d", index,
            name, md->ndims, dst_md->ndims);
    for (int d = 0; d < md->ndims; ++d) {
        CHECK(is_broadcast(md->dims[d], dst_md->dims[d]),
                "binary post-op %d: dimension %d of %s is %lld, neither 1 nor dst's %lld", index, d,
                name, (long long)md->dims[d], (long long)dst_md->dims[d]);
    }
    return prim__md_set_row_major_if_any(md);
}

static prim_status_t resolve_binary(post_op_t *entry, int index, const prim_memory_desc_t *dst_md)
{
    TRY(resolve_operand(&entry->src1_md, "src1", index, dst_md));
    if (entry->alg != PRIM_BINARY_SELECT) return PRIM_SUCCESS;
    return resolve_operand(&entry->src2_md, "src2", index, dst_md);
}

static prim_status_t resolve_prelu(post_op_t *entry, int index, const prim_memory_desc_t *dst_md)
{
    CHECK(entry->mask >> dst_md->ndims == 0, "prelu post-op %d: mask %d for %d dimensions", index,
            entry->mask, dst_md->ndims);
    prim_dims_t dims = {0};
    for (int d = 0; d < dst_md->ndims; ++d) dims[d] = entry->mask >> d & 1 ? dst_md->dims[d] : 1;
    return prim_memory_desc_init_by_strides(&entry->src1_md, dst_md->ndims, dims, PRIM_F32, NULL);
}

static const kind_rule_t kinds[] = {
        [PRIM_SUM] = {ALLOW_SUM, 0, sum_keeps_zero, resolve_sum},
        [PRIM_ELTWISE] = {ALLOW_ELTWISE, 0, eltwise_keeps_zero, NULL},
        [PRIM_BINARY] = {ALLOW_BINARY, PRIM_ARG_SRC_1, NULL, resolve_binary},
        [PRIM_PRELU] = {ALLOW_PRELU, PRIM_ARG_WEIGHTS, NULL, resolve_prelu},
        [PRIM_CONVOLUTION] = {ALLOW_DEPTHWISE, 0, NULL, NULL},
};

static const kind_rule_t *rule_of(const post_op_t *entry)
{
    return &kinds[entry->kind];
}

int prim__post_op_noperands(const post_op_t *entry)
{
    const bool is_select = entry->kind == PRIM_BINARY && entry->alg == PRIM_BINARY_SELECT;
    return is_select ? 2 : rule_of(entry)->operand != 0;
}

int prim__post_op_operand_arg(const post_op_t *entry, int index, int k)
{
    if (k >= prim__post_op_noperands(entry)) return PRIM_ARG_UNDEF;
    const int role = k == 0 ? rule_of(entry)->operand : PRIM_ARG_SRC_2;
    return PRIM_ARG_ATTR_MULTIPLE_POST_OP(index) | role;
}

const prim_memory_desc_t *prim__post_op_operand_md(const post_op_t *entry, int k)
{
    return k == 0 ? &entry->src1_md : &entry->src2_md;
}

bool prim__post_ops_any_md(
        const prim_post_ops_t *post_ops, bool (*test)(const prim_memory_desc_t *md))
{
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const entry = &post_ops->entries[i];
        if (!prim__md_is_zero(&entry->src1_md) && test(&entry->src1_md)) return true;
        if (!prim__md_is_zero(&entry->src2_md) && test(&entry->src2_md)) return true;
    }
    return false;
}

bool prim__post_ops_have_operand(const prim_post_ops_t *post_ops)
{
    for (int i = 0; i < post_ops->len; ++i) {
        if (prim__post_op_noperands(&post_ops->entries[i]) > 0) return true;
    }
    return false;
}

int prim__post_ops_find_depthwise(const prim_post_ops_t *post_ops)
{
    for (int i = 0; i < post_ops->len; ++i) {
        if (post_ops->entries[i].kind == PRIM_CONVOLUTION) return i;
    }
    return -1;
}

const post_op_t *prim__post_ops_find_sum(const prim_post_ops_t *post_ops)
{
    for (int i = 0; i < post_ops->len; ++i) {
        if (post_ops->entries[i].kind == PRIM_SUM) return &post_ops->entries[i];
    }
    return NULL;
}

bool prim__post_ops_move_zero(const prim_post_ops_t *post_ops)
{
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const entry = &post_ops->entries[i];
        const kind_rule_t *const rule = rule_of(entry);
        if (!rule->keeps_zero || !rule->keeps_zero(entry)) return true;
    }
    return false;
}

prim_status_t prim__post_ops_check_kinds(
        const prim_post_ops_t *post_ops, const char *op, unsigned allowed)
{
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const entry = &post_ops->entries[i];
        if (!(allowed & rule_of(entry)->allowance)) {
            return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no post-op %s (entry %d)", op,
                    prim_primitive_kind_name(entry->kind), i);
        }
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__post_ops_resolve(prim_post_ops_t *post_ops, const prim_memory_desc_t *dst_md)
{
    const int depthwise = prim__post_ops_find_depthwise(post_ops);
    for (int i = 0; i < post_ops->len; ++i) {
        post_op_t *const entry = &post_ops->entries[i];
        const prim_memory_desc_t *const md =
                i < depthwise ? &post_ops->entries[depthwise].src1_md : dst_md;
        const kind_rule_t *const rule = rule_of(entry);
        if (rule->resolve) TRY(rule->resolve(entry, i, md));
    }
    return PRIM_SUCCESS;
}
