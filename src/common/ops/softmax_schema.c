// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along one axis, and their gradients. doc/primitives/softmax.md has the
// rules in words.
#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NFORWARD };
enum { BACKWARD_DST, DIFF_DST, DIFF_SRC, NBACKWARD };

static prim_status_t check_axis(const shapes_t *shapes)
{
    const int axis = shapes->op->u.axis.axis, ndims = shapes->mds[0]->ndims;
    CHECK(axis >= 0 && axis < ndims, "softmax axis %d is outside 0..%d", axis, ndims - 1);
    return PRIM_SUCCESS;
}

static prim_status_t check_forward(const shapes_t *shapes)
{
    TRY(prim__check_same_dims(shapes, DST, SRC));
    return check_axis(shapes);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(prim__check_same_dims(shapes, DIFF_DST, BACKWARD_DST));
    TRY(prim__check_same_dims(shapes, DIFF_SRC, BACKWARD_DST));
    for (int i = 0; i < NBACKWARD; ++i)
        if (prim__dt_is_integer(shapes->mds[i]->data_type))
            return prim__fail(PRIM_UNIMPLEMENTED, "softmax backward takes no integers: %s is %s",
                    shapes->schema->tensors[i].name,
                    prim_data_type_name(shapes->mds[i]->data_type));
    return check_axis(shapes);
}

// In steps of 2^-23.
static const alg_error_t errors[] = {
        {PRIM_SOFTMAX_LOG, 50.0 / 8388608, 10.0 / 8388608},
        {PRIM_ALG_UNDEF, 10.0 / 8388608, 0},
};

static const tensor_rule_t forward_tensors[] = {
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

static const tensor_rule_t backward_tensors[] = {
        [BACKWARD_DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DST_MD},
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_DST,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_DIFF_DST,
                .hint = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_DIFF_DST,
                .query = PRIM_QUERY_DIFF_SRC_MD},
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
extern const impl_t *const *const prim__softmax_backward_lists[];

const op_schema_t prim__softmax_forward_schema = {
        .kind = PRIM_SOFTMAX,
        .direction = FORWARD,
        .name = "softmax",
        .driver = "softmax",
        .has_prop_kind = true,
        .algs = algs,
        .errors = errors,
        .tensors = forward_tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check_forward,
        .repro = repro,
        .lists = prim__softmax_forward_lists,
};

const op_schema_t prim__softmax_backward_schema = {
        .kind = PRIM_SOFTMAX,
        .direction = BACKWARD,
        .name = "softmax backward",
        .driver = "softmax",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = repro,
        .lists = prim__softmax_backward_lists,
};

prim_status_t prim_softmax_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NFORWARD] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_SOFTMAX, .prop_kind = prop_kind, .alg_kind = alg};
    op.u.axis.axis = axis;
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__softmax_forward_schema, &op, &request);
}

prim_status_t prim_softmax_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *dst_md, int axis,
        const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NBACKWARD] = {
            [BACKWARD_DST] = dst_md, [DIFF_DST] = diff_dst_md, [DIFF_SRC] = diff_src_md};
    op_desc_t op = {.kind = PRIM_SOFTMAX, .prop_kind = PRIM_BACKWARD_DATA, .alg_kind = alg};
    op.u.axis.axis = axis;
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__softmax_backward_schema, &op, &request);
}
