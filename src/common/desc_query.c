// SPDX-License-Identifier: Apache-2.0
// Queries of primitive descriptors.
#include "impl.h"

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
    for (int i = 0; i < pd->ntensors; i++) n += pd->tensors[i].is_output == is_output;
    if (is_output) return n;
    n += pd->attr.nscales + pd->attr.nzero_points;
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    for (int i = 0; i < post_ops->len; i++)
        n += post_ops->entries[i].kind == PRIM_BINARY || post_ops->entries[i].kind == PRIM_PRELU;
    return n;
}

static prim_engine_t *engine_of(const prim_desc_t *pd, int arg)
{
    for (int i = 0; i < pd->ntensors; i++)
        if (pd->tensors[i].arg == arg && pd->tensors[i].is_on_peer) return pd->peer;
    return pd->engine;
}

static prim_status_t query_general(const prim_desc_t *pd, prim_query_t what, void *result)
{
    const bool is_reorder = pd->op.kind == PRIM_REORDER;
    switch (what) {
    case PRIM_QUERY_ENGINE:
    case PRIM_QUERY_SCRATCHPAD_ENGINE: ANSWER(true, prim_engine_t *, pd->engine);
    case PRIM_QUERY_REORDER_SRC_ENGINE:
        ANSWER(is_reorder, prim_engine_t *, engine_of(pd, PRIM_ARG_FROM));
    case PRIM_QUERY_REORDER_DST_ENGINE:
        ANSWER(is_reorder, prim_engine_t *, engine_of(pd, PRIM_ARG_TO));
    case PRIM_QUERY_PRIMITIVE_KIND: ANSWER(true, prim_primitive_kind_t, pd->op.kind);
    case PRIM_QUERY_NUM_OF_INPUTS_S32: ANSWER(true, int, count_tensors(pd, false));
    case PRIM_QUERY_NUM_OF_OUTPUTS_S32: ANSWER(true, int, count_tensors(pd, true));
    case PRIM_QUERY_TIME_ESTIMATE_F64: ANSWER(true, double, 0.0);
    case PRIM_QUERY_MEMORY_CONSUMPTION_S64: ANSWER(true, int64_t, (int64_t)pd->scratchpad_bytes);
    case PRIM_QUERY_IMPL_INFO_STR: ANSWER(true, const char *, pd->impl->name);
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
    const bool is_pooling = op->kind == PRIM_POOLING;
    const bool has_windows = is_pooling || op->kind == PRIM_CONVOLUTION;
    const bool is_norm = op->kind == PRIM_BATCH_NORMALIZATION;
    const bool is_eltwise = op->kind == PRIM_ELTWISE;
    const bool has_axis = op->kind == PRIM_SOFTMAX || op->kind == PRIM_CONCAT;
    switch (what) {
    case PRIM_QUERY_PROP_KIND:
        ANSWER(op->prop_kind != PRIM_PROP_KIND_UNDEF, prim_prop_kind_t, op->prop_kind);
    case PRIM_QUERY_ALG_KIND: ANSWER(op->alg_kind != PRIM_ALG_UNDEF, prim_alg_kind_t, op->alg_kind);
    case PRIM_QUERY_STRIDES: ANSWER(has_windows, const prim_dims_t *, &op->u.spatial.strides);
    case PRIM_QUERY_DILATIONS: ANSWER(has_windows, const prim_dims_t *, &op->u.spatial.dilates);
    case PRIM_QUERY_PADDING_L: ANSWER(has_windows, const prim_dims_t *, &op->u.spatial.pad_l);
    case PRIM_QUERY_PADDING_R: ANSWER(has_windows, const prim_dims_t *, &op->u.spatial.pad_r);
    case PRIM_QUERY_KERNEL: ANSWER(is_pooling, const prim_dims_t *, &op->u.spatial.kernel);
    case PRIM_QUERY_EPSILON_F32: ANSWER(is_norm, float, op->u.norm.epsilon);
    case PRIM_QUERY_FLAGS: ANSWER(is_norm, unsigned, op->u.norm.flags);
    case PRIM_QUERY_ALPHA_F32: ANSWER(is_eltwise, float, op->u.eltwise.alpha);
    case PRIM_QUERY_BETA_F32: ANSWER(is_eltwise, float, op->u.eltwise.beta);
    case PRIM_QUERY_AXIS_S32: ANSWER(has_axis, int, op->u.axis.axis);
    case PRIM_QUERY_FACTORS:
        ANSWER(op->kind == PRIM_RESAMPLING, const float *, op->u.resampling.factors);
    default: return query_general(pd, what, result);
    }
}

/// The argument of the index-th source, destination or weights; PRIM_ARG_UNDEF when there is none.
static int arg_of_source(const prim_desc_t *pd, int index)
{
    static const int statistics[] = {
            PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_SRC_1};
    if (pd->op.kind == PRIM_CONCAT || pd->op.kind == PRIM_SUM)
        return index < PRIM_ARG_MULTIPLE_DST - PRIM_ARG_MULTIPLE_SRC ? PRIM_ARG_MULTIPLE_SRC + index
                                                                     : PRIM_ARG_UNDEF;
    if (pd->op.kind == PRIM_BATCH_NORMALIZATION) return index < 4 ? statistics[index] : 0;
    return index < 3 ? PRIM_ARG_SRC_0 + index : PRIM_ARG_UNDEF;
}

static int arg_of_destination(const prim_desc_t *pd, int index)
{
    static const int statistics[] = {PRIM_ARG_DST, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE};
    if (pd->op.kind == PRIM_BATCH_NORMALIZATION) return index < 3 ? statistics[index] : 0;
    return index == 0 ? PRIM_ARG_DST : PRIM_ARG_UNDEF;
}

static int arg_of_weights(const prim_desc_t *pd, int index)
{
    const bool is_norm = pd->op.kind == PRIM_BATCH_NORMALIZATION;
    if (index == 0) return is_norm ? PRIM_ARG_SCALE : PRIM_ARG_WEIGHTS;
    if (index == 1) return is_norm ? PRIM_ARG_SHIFT : PRIM_ARG_BIAS;
    return PRIM_ARG_UNDEF;
}

/// The descriptor if the argument is an input (an output), else the absent tensor.
static const prim_memory_desc_t *md_of(const prim_desc_t *pd, int arg, bool is_output)
{
    for (int i = 0; i < pd->ntensors; i++)
        if (pd->tensors[i].arg == arg && pd->tensors[i].is_output == is_output)
            return &pd->tensors[i].md;
    return prim__pd_md(pd, PRIM_ARG_UNDEF);
}

const prim_memory_desc_t *prim_desc_query_md(const prim_desc_t *pd, prim_query_t what, int index)
{
    if (!pd || index < 0) return NULL;
    switch (what) {
    case PRIM_QUERY_SRC_MD: return md_of(pd, arg_of_source(pd, index), false);
    case PRIM_QUERY_DST_MD: return md_of(pd, arg_of_destination(pd, index), true);
    case PRIM_QUERY_WEIGHTS_MD: return md_of(pd, arg_of_weights(pd, index), false);
    case PRIM_QUERY_WORKSPACE_MD:
        return prim__pd_md(pd, index == 0 ? PRIM_ARG_WORKSPACE : PRIM_ARG_UNDEF);
    case PRIM_QUERY_SCRATCHPAD_MD:
        return prim__pd_md(pd, index == 0 ? PRIM_ARG_SCRATCHPAD : PRIM_ARG_UNDEF);
    case PRIM_QUERY_EXEC_ARG_MD: return prim__pd_md(pd, index);
    case PRIM_QUERY_DIFF_SRC_MD:
    case PRIM_QUERY_DIFF_WEIGHTS_MD:
    case PRIM_QUERY_DIFF_DST_MD: return prim__pd_md(pd, PRIM_ARG_UNDEF);
    default: return NULL;
    }
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
