// SPDX-License-Identifier: Apache-2.0
// Queries of primitive descriptors.
#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "desc_key.h"
#include "post_ops_check.h"

static prim_status_t fail_no_property(const prim_desc_t *pd, prim_query_t what)
{
    return prim__fail(PRIM_UNIMPLEMENTED, "%s has no property %d",
            prim_primitive_kind_name(pd->op.kind), (int)what);
}

/// Answers the query if `applies`; `type` is that of the result.
#define ANSWER(applies, type, value)                       \
    do {                                                   \
        if (!(applies)) return fail_no_property(pd, what); \
        *(type *)result = (value);                         \
        return PRIM_SUCCESS;                               \
    } while (0)

/// Inputs are all that an execution reads: tensors, operands of post-ops, scales, zero points.
static int count_tensors(const prim_desc_t *pd, bool is_output)
{
    int n = 0;
    for (int i = 0; i < pd->ntensors; ++i) n += pd->tensors[i].is_output == is_output;
    if (is_output) return n;
    n += pd->attr.nscales + pd->attr.nzero_points;
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    for (int i = 0; i < post_ops->len; ++i) n += prim__post_op_noperands(&post_ops->entries[i]);
    return n;
}

/// The engine of the tensor whose rule names the query.
static prim_status_t query_side(const prim_desc_t *pd, prim_query_t what, void *result)
{
    const tensor_rule_t *rule = prim__schema_of(&pd->op)->tensors;
    while (rule->arg != PRIM_ARG_UNDEF && rule->engine_query != what) ++rule;
    if (rule->arg == PRIM_ARG_UNDEF) return fail_no_property(pd, what);
    prim_engine_t *engine = pd->engine;
    for (int i = 0; i < pd->ntensors; ++i)
        if (pd->tensors[i].arg == rule->arg && pd->tensors[i].is_on_peer) engine = pd->peer;
    *(prim_engine_t **)result = engine;
    return PRIM_SUCCESS;
}

static prim_status_t query_general(const prim_desc_t *pd, prim_query_t what, void *result)
{
    switch (what) {
    case PRIM_QUERY_ENGINE:
    case PRIM_QUERY_SCRATCHPAD_ENGINE: ANSWER(true, prim_engine_t *, pd->engine);
    case PRIM_QUERY_REORDER_SRC_ENGINE:
    case PRIM_QUERY_REORDER_DST_ENGINE: return query_side(pd, what, result);
    case PRIM_QUERY_PRIMITIVE_KIND: ANSWER(true, prim_primitive_kind_t, pd->op.kind);
    case PRIM_QUERY_NUM_OF_INPUTS_S32: ANSWER(true, int, count_tensors(pd, false));
    case PRIM_QUERY_NUM_OF_OUTPUTS_S32: ANSWER(true, int, count_tensors(pd, true));
    case PRIM_QUERY_TIME_ESTIMATE_F64: ANSWER(true, double, 0.0);
    case PRIM_QUERY_MEMORY_CONSUMPTION_S64: ANSWER(true, int64_t, (int64_t)pd->scratchpad_bytes);
    case PRIM_QUERY_IMPL_INFO_STR: ANSWER(true, const char *, prim__pd_name(pd));
    case PRIM_QUERY_DECLINED_STR: ANSWER(true, const char *, pd->declined ? pd->declined : "");
    case PRIM_QUERY_CACHE_BLOB_ID_SIZE_S64:
        ANSWER(prim__desc_has_blob_id(pd), int64_t, (int64_t)sizeof pd->blob_id);
    case PRIM_QUERY_CACHE_BLOB_ID:
        ANSWER(prim__desc_has_blob_id(pd), const uint8_t *, (const uint8_t *)pd->blob_id);
    default: return fail_no_property(pd, what);
    }
}

static prim_status_t query_parameter(const prim_desc_t *pd, prim_query_t what, void *result)
{
    const op_desc_t *const op = &pd->op;
    const op_schema_t *const schema = prim__schema_of(op);
    if (what == PRIM_QUERY_PROP_KIND)
        ANSWER(schema->has_prop_kind, prim_prop_kind_t, op->prop_kind);
    if (what == PRIM_QUERY_ALG_KIND)
        ANSWER(op->alg_kind != PRIM_ALG_UNDEF, prim_alg_kind_t, op->alg_kind);
    const param_rule_t *const param = prim__schema_param(schema, what);
    if (!param) return query_general(pd, what, result);

    const void *const value = (const char *)op + param->offset;
    switch (param->type) {
    case PARAM_INT: *(int *)result = *(const int *)value; break;
    case PARAM_INT64: *(int64_t *)result = *(const int64_t *)value; break;
    case PARAM_FLAGS: *(unsigned *)result = *(const unsigned *)value; break;
    case PARAM_FLOAT: *(float *)result = *(const float *)value; break;
    case PARAM_DIMS: *(const prim_dim_t **)result = value; break;
    case PARAM_FLOATS: *(const float **)result = value; break;
    }
    return PRIM_SUCCESS;
}

/// The rule that answers for the index-th tensor of a query; NULL when none does. An index may have
/// several, for problems that have one of them.
static bool answers(const tensor_rule_t *rule, prim_query_t what, int index)
{
    if (rule->query != what) return false;
    const int last = rule->query_index + (rule->flags & TENSOR_REPEATED ? MAX_REPEATED - 1 : 0);
    return index >= rule->query_index && index <= last;
}

/// The descriptor of a tensor that the problem has in the rule's role.
static const prim_memory_desc_t *md_of(const prim_desc_t *pd, const tensor_rule_t *rule, int index)
{
    const int arg = rule->arg + index - rule->query_index;
    const bool is_output = rule->flags & TENSOR_OUTPUT;
    for (int i = 0; i < pd->ntensors; ++i)
        if (pd->tensors[i].arg == arg && pd->tensors[i].is_output == is_output)
            return &pd->tensors[i].md;
    return NULL;
}

static const prim_memory_desc_t *query_tensor(const prim_desc_t *pd, prim_query_t what, int index)
{
    const tensor_rule_t *rule = prim__schema_of(&pd->op)->tensors;
    for (; rule->arg != PRIM_ARG_UNDEF; ++rule) {
        const prim_memory_desc_t *const md =
                answers(rule, what, index) ? md_of(pd, rule, index) : NULL;
        if (md) return md;
    }
    return prim__pd_md(pd, PRIM_ARG_UNDEF);
}

const prim_memory_desc_t *prim_desc_query_md(const prim_desc_t *pd, prim_query_t what, int index)
{
    if (!pd || index < 0) return NULL;
    if (what == PRIM_QUERY_EXEC_ARG_MD) return prim__pd_md(pd, index);
    if (what == PRIM_QUERY_SCRATCHPAD_MD)
        return prim__pd_md(pd, index == 0 ? PRIM_ARG_SCRATCHPAD : PRIM_ARG_UNDEF);
    const bool is_known = what >= PRIM_QUERY_SRC_MD && what <= PRIM_QUERY_WORKSPACE_MD;
    return is_known ? query_tensor(pd, what, index) : NULL;
}

prim_status_t prim_desc_query(const prim_desc_t *pd, prim_query_t what, int index, void *result)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(result);
    CHECK(index >= 0, "index %d is negative", index);
    if (what < PRIM_QUERY_SRC_MD) return query_parameter(pd, what, result);
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, what, index);
    CHECK(md, "query %d is unknown", (int)what);
    *(const prim_memory_desc_t **)result = md;
    return PRIM_SUCCESS;
}
