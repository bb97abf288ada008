// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient. doc/primitives/lrn.md has the rules in words.
#include <math.h>

#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, WORKSPACE, NTENSORS };
enum { BACKWARD_SRC, DIFF_DST, BACKWARD_WORKSPACE, DIFF_SRC, NBACKWARD_TENSORS };

/// Windows beyond this do not exist in practice; sizes below it cannot overflow.
enum { MAX_LOCAL_SIZE = 1 << 20 };

/// One type of floats in all tensors but the workspace.
static prim_status_t check_type(const shapes_t *shapes, int rule)
{
    const prim_data_type_t first = shapes->mds[0]->data_type, dt = shapes->mds[rule]->data_type;
    const tensor_rule_t *const rules = shapes->schema->tensors;
    if (!prim__dt_is_float(dt))
        return prim__fail(PRIM_UNIMPLEMENTED, "lrn takes no integers: %s is %s", rules[rule].name,
                prim_data_type_name(dt));
    if (dt != first)
        return prim__fail(PRIM_UNIMPLEMENTED, "lrn %s is %s, %s is %s", rules[0].name,
                prim_data_type_name(first), rules[rule].name, prim_data_type_name(dt));
    return PRIM_SUCCESS;
}

static prim_status_t check_params(const shapes_t *shapes)
{
    const lrn_params_t *const p = &shapes->op->u.lrn;
    const int ndims = shapes->mds[0]->ndims;
    CHECK(ndims >= 2 && ndims <= 5, "lrn src has %d dimensions, not 2 to 5", ndims);
    CHECK(p->local_size >= 1 && p->local_size <= MAX_LOCAL_SIZE,
            "lrn local_size %lld is outside 1..2^20", (long long)p->local_size);
    CHECK(isfinite(p->alpha) && isfinite(p->beta) && isfinite(p->k),
            "lrn alpha %g, beta %g or k %g is not finite", (double)p->alpha, (double)p->beta,
            (double)p->k);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(check_params(shapes));
    TRY(prim__check_same_dims(shapes, DST, SRC));
    TRY(check_type(shapes, SRC));
    return check_type(shapes, DST);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(check_params(shapes));
    TRY(prim__check_same_dims(shapes, DIFF_DST, BACKWARD_SRC));
    TRY(prim__check_same_dims(shapes, DIFF_SRC, BACKWARD_SRC));
    TRY(check_type(shapes, BACKWARD_SRC));
    TRY(check_type(shapes, DIFF_DST));
    return check_type(shapes, DIFF_SRC);
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
                .query = PRIM_QUERY_DST_MD},
        [WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_BY_IMPLEMENTATION,
                .when = {.prop_kind = PRIM_FORWARD_TRAINING},
                .follows = PRIM_ARG_DST,
                .query = PRIM_QUERY_WORKSPACE_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [BACKWARD_SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_SRC_MD},
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [BACKWARD_WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_HINT,
                .hint = PRIM_ARG_WORKSPACE,
                .query = PRIM_QUERY_WORKSPACE_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        {0},
};

static const param_rule_t params[] = {
        {"ls", PARAM_INT64, offsetof(op_desc_t, u.lrn.local_size), PRIM_QUERY_LOCAL_SIZE_S64, true,
                NULL},
        {"alpha", PARAM_FLOAT, offsetof(op_desc_t, u.lrn.alpha), PRIM_QUERY_ALPHA_F32, true, NULL},
        {"beta", PARAM_FLOAT, offsetof(op_desc_t, u.lrn.beta), PRIM_QUERY_BETA_F32, true, NULL},
        {"k", PARAM_FLOAT, offsetof(op_desc_t, u.lrn.k), PRIM_QUERY_K_F32, true, NULL},
        {0},
};

static const prim_alg_kind_t algs[] = {
        PRIM_LRN_ACROSS_CHANNELS, PRIM_LRN_WITHIN_CHANNEL, PRIM_ALG_UNDEF};

static const repro_alg_t alg_words[] = {
        {PRIM_LRN_ACROSS_CHANNELS, "ACROSS"}, {PRIM_LRN_WITHIN_CHANNEL, "WITHIN"}, {0}};

static void add_window(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const lrn_params_t *const p = &pd->op.u.lrn;
    (void)word;
    prim__text_add(out, "ls%lldalpha%.9gbeta%.9gk%.9g", (long long)p->local_size, (double)p->alpha,
            (double)p->beta, (double)p->k);
}

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_alg, .text = " --alg=", .algs = alg_words},
        {.is_attr = true},
        {.add = prim__repro_images, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_inputs, .arg = PRIM_ARG_SRC},
        {.add = add_window},
        {0},
};

extern const impl_t *const *const prim__lrn_forward_lists[];
extern const impl_t *const *const prim__lrn_backward_lists[];

const op_schema_t prim__lrn_forward_schema = {
        .kind = PRIM_LRN,
        .direction = FORWARD,
        .name = "lrn",
        .driver = "lrn",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .check = check,
        .repro = repro,
        .lists = prim__lrn_forward_lists,
};

const op_schema_t prim__lrn_backward_schema = {
        .kind = PRIM_LRN,
        .direction = BACKWARD,
        .name = "lrn backward",
        .driver = "lrn",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = repro,
        .lists = prim__lrn_backward_lists,
};

static op_desc_t problem(
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const lrn_params_t *window)
{
    op_desc_t op = {.kind = PRIM_LRN, .prop_kind = prop_kind, .alg_kind = alg};
    op.u.lrn = *window;
    return op;
}

prim_status_t prim_lrn_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, prim_dim_t local_size, float alpha, float beta, float k,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    const lrn_params_t window = {.local_size = local_size, .alpha = alpha, .beta = beta, .k = k};
    const op_desc_t op = problem(prop_kind, alg, &window);
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__lrn_forward_schema, &op, &request);
}

prim_status_t prim_lrn_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md,
        prim_dim_t local_size, float alpha, float beta, float k, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {
            [BACKWARD_SRC] = src_md, [DIFF_DST] = diff_dst_md, [DIFF_SRC] = diff_src_md};
    const lrn_params_t window = {.local_size = local_size, .alpha = alpha, .beta = beta, .k = k};
    const op_desc_t op = problem(PRIM_BACKWARD_DATA, alg, &window);
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__lrn_backward_schema, &op, &request);
}
