// SPDX-License-Identifier: Apache-2.0
// A function applied element by element. doc/primitives/eltwise.md has the rules in words.
#include "common/attr_post_ops.h"
#include "common/data_type.h"
#include "repro.h"
#include "schema.h"

enum { SRC, DST, NTENSORS };

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

extern const impl_t *const *const prim__eltwise_forward_lists[];

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
