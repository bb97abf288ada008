// SPDX-License-Identifier: Apache-2.0
// A function applied element by element, and its gradient. doc/primitives/eltwise.md has the rules
// in words.
#include "common/data_type.h"
#include "common/eltwise_data.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };
enum { DIFF_DST = NTENSORS, DIFF_SRC, NBACKWARD_TENSORS };

static bool takes_integers(prim_alg_kind_t alg)
{
    return alg == PRIM_ELTWISE_RELU || alg == PRIM_ELTWISE_LINEAR || alg == PRIM_ELTWISE_CLIP ||
           alg == PRIM_ELTWISE_CLIP_V2;
}

static prim_status_t check(const shapes_t *shapes)
{
    const op_desc_t *const op = shapes->op;
    const prim_data_type_t src_dt = shapes->mds[SRC]->data_type;
    TRY(prim__check_same_dims(shapes, DST, SRC));
    TRY(prim__eltwise_check(op->alg_kind, op->u.eltwise.alpha, op->u.eltwise.beta));
    CHECK(!prim__dt_is_integer(src_dt) || takes_integers(op->alg_kind),
            "%s does not take %s: integers take relu, linear and clip",
            prim_alg_kind_name(op->alg_kind), prim_data_type_name(src_dt));
    return PRIM_SUCCESS;
}

// Of the functions that are hardest to compute.
static const alg_error_t errors[] = {{PRIM_ALG_UNDEF, 4e-5, 8.0 / 8388608}};

static prim_status_t check_backward(const shapes_t *shapes)
{
    const op_desc_t *const op = shapes->op;
    const int data = prim__eltwise_data_arg(op->alg_kind) == PRIM_ARG_DST ? DST : SRC;
    TRY(prim__eltwise_check(op->alg_kind, op->u.eltwise.alpha, op->u.eltwise.beta));
    const prim_data_type_t dt = shapes->mds[data]->data_type;
    TRY(prim__check_same_dims(shapes, DIFF_DST, data));
    TRY(prim__check_same_dims(shapes, DIFF_SRC, data));
    CHECK(op->alg_kind != PRIM_ELTWISE_ROUND, "eltwise_round has no gradient");
    if (prim__dt_is_integer(dt))
        return prim__fail(PRIM_UNIMPLEMENTED, "eltwise backward takes no integers: %s is %s",
                shapes->schema->tensors[data].name, prim_data_type_name(dt));
    for (int i = DIFF_DST; i <= DIFF_SRC; ++i)
        if (shapes->mds[i]->data_type != dt)
            return prim__fail(PRIM_UNIMPLEMENTED, "eltwise backward %s is %s, %s is %s",
                    shapes->schema->tensors[i].name, prim_data_type_name(shapes->mds[i]->data_type),
                    shapes->schema->tensors[data].name, prim_data_type_name(dt));
    return PRIM_SUCCESS;
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

/// The gradients that need src, round for the sake of its sentence; and those that need dst.
static const prim_alg_kind_t src_algs[] = {PRIM_ELTWISE_RELU, PRIM_ELTWISE_TANH, PRIM_ELTWISE_ELU,
        PRIM_ELTWISE_SQUARE, PRIM_ELTWISE_ABS, PRIM_ELTWISE_SQRT, PRIM_ELTWISE_LINEAR,
        PRIM_ELTWISE_SOFT_RELU, PRIM_ELTWISE_HARDSIGMOID, PRIM_ELTWISE_LOGISTIC, PRIM_ELTWISE_EXP,
        PRIM_ELTWISE_GELU_TANH, PRIM_ELTWISE_SWISH, PRIM_ELTWISE_LOG, PRIM_ELTWISE_CLIP,
        PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_POW, PRIM_ELTWISE_GELU_ERF, PRIM_ELTWISE_ROUND,
        PRIM_ELTWISE_MISH, PRIM_ELTWISE_HARDSWISH, PRIM_ALG_UNDEF};
static const prim_alg_kind_t dst_algs[] = {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD,
        PRIM_ELTWISE_TANH_USE_DST_FOR_BWD, PRIM_ELTWISE_ELU_USE_DST_FOR_BWD,
        PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD, PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD,
        PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, PRIM_ALG_UNDEF};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .when = {.algs = src_algs},
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_INPUT,
                .when = {.algs = dst_algs},
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DST_MD},
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .or_follows = PRIM_ARG_DST,
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
        {"alpha", PARAM_FLOAT, offsetof(op_desc_t, u.eltwise.alpha), PRIM_QUERY_ALPHA_F32, true,
                NULL},
        {"beta", PARAM_FLOAT, offsetof(op_desc_t, u.eltwise.beta), PRIM_QUERY_BETA_F32, true, NULL},
        {0},
};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_alg, .text = " --alg="},
        {.add = prim__repro_float,
                .text = " --alpha=",
                .offset = offsetof(op_desc_t, u.eltwise.alpha)},
        {.add = prim__repro_float,
                .text = " --beta=",
                .offset = offsetof(op_desc_t, u.eltwise.beta)},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {0},
};

/// Of src or dst; the gradients have layouts `any`, or equal ones.
static void repro_data_tag(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    repro_word_t tag = *word;
    tag.arg = prim__eltwise_data_arg(pd->op.alg_kind);
    prim__repro_tag(out, pd, &tag);
}

static const repro_word_t backward_repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_DIFF_SRC},
        {.add = repro_data_tag, .text = " --tag="},
        {.add = prim__repro_alg, .text = " --alg="},
        {.add = prim__repro_float,
                .text = " --alpha=",
                .offset = offsetof(op_desc_t, u.eltwise.alpha)},
        {.add = prim__repro_float,
                .text = " --beta=",
                .offset = offsetof(op_desc_t, u.eltwise.beta)},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_DIFF_SRC},
        {0},
};

extern const impl_t *const *const prim__eltwise_forward_lists[];
extern const impl_t *const *const prim__eltwise_backward_lists[];

const op_schema_t prim__eltwise_forward_schema = {
        .kind = PRIM_ELTWISE,
        .direction = FORWARD,
        .name = "eltwise",
        .driver = "eltwise",
        .has_prop_kind = true,
        .errors = errors,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_BINARY,
        .check = check,
        .repro = repro,
        .lists = prim__eltwise_forward_lists,
};

const op_schema_t prim__eltwise_backward_schema = {
        .kind = PRIM_ELTWISE,
        .direction = BACKWARD,
        .name = "eltwise backward",
        .driver = "eltwise",
        .has_prop_kind = true,
        .errors = errors,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = backward_repro,
        .lists = prim__eltwise_backward_lists,
};

prim_status_t prim_eltwise_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float alpha, float beta, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_ELTWISE, .prop_kind = prop_kind, .alg_kind = alg};
    op.u.eltwise.alpha = alpha;
    op.u.eltwise.beta = beta;
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__eltwise_forward_schema, &op, &request);
}

prim_status_t prim_eltwise_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *data_md, float alpha,
        float beta, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const bool takes_dst = prim__eltwise_data_arg(alg) == PRIM_ARG_DST;
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {[SRC] = takes_dst ? NULL : data_md,
            [DST] = takes_dst ? data_md : NULL,
            [DIFF_DST] = diff_dst_md,
            [DIFF_SRC] = diff_src_md};
    op_desc_t op = {.kind = PRIM_ELTWISE, .prop_kind = PRIM_BACKWARD_DATA, .alg_kind = alg};
    op.u.eltwise.alpha = alpha;
    op.u.eltwise.beta = beta;
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__eltwise_backward_schema, &op, &request);
}
