// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along one axis. doc/primitives/softmax.md has the rules in words.
#include "repro.h"
#include "schema.h"

enum { SRC, DST, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    const int axis = shapes->op->u.axis.axis, ndims = shapes->mds[SRC]->ndims;
    TRY(prim__check_same_dims(shapes, DST, SRC));
    CHECK(axis >= 0 && axis < ndims, "softmax axis %d is outside 0..%d", axis, ndims - 1);
    return PRIM_SUCCESS;
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON},
        {0},
};

static const param_rule_t params[] = {
        {"axis", PARAM_INT, offsetof(op_desc_t, u.axis.axis), PRIM_QUERY_AXIS_S32, true, "axis"},
        {0},
};

static const prim_alg_kind_t algs[] = {PRIM_SOFTMAX_ACCURATE, PRIM_SOFTMAX_LOG, PRIM_ALG_UNDEF};

static const repro_alg_t alg_words[] = {
        {PRIM_SOFTMAX_ACCURATE, "SOFTMAX"}, {PRIM_SOFTMAX_LOG, "LOGSOFTMAX"}, {0}};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_alg, .text = " --alg=", .algs = alg_words},
        {.add = prim__repro_int, .text = " --axis=", .offset = offsetof(op_desc_t, u.axis.axis)},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {0},
};

extern const impl_t *const *const prim__softmax_forward_lists[];

const op_schema_t prim__softmax_forward_schema = {
        .kind = PRIM_SOFTMAX,
        .direction = FORWARD,
        .name = "softmax",
        .driver = "softmax",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .repro = repro,
        .lists = prim__softmax_forward_lists,
};

prim_status_t prim_softmax_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_SOFTMAX, .prop_kind = prop_kind, .alg_kind = alg};
    op.u.axis.axis = axis;
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__softmax_forward_schema, &op, &request);
}
