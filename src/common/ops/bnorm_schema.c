// SPDX-License-Identifier: Apache-2.0
// Batch normalisation and its gradients. Flags decide which tensors there are and whether the
// statistics are inputs or outputs. doc/primitives/batch_normalization.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "norm_rules.h"
#include "schema_create.h"

enum { SRC, SRC1, MEAN_IN, VAR_IN, SCALE, SHIFT, DST, MEAN_OUT, VAR_OUT, WORKSPACE, NTENSORS };
enum {
    BACK_MEAN = SRC + 1,
    BACK_VAR,
    BACK_SCALE,
    BACK_DIFF_DST,
    BACK_WORKSPACE,
    BACK_DIFF_SRC,
    BACK_DIFF_SRC1,
    BACK_DIFF_SCALE,
    BACK_DIFF_SHIFT,
    NBACKWARD_TENSORS
};

enum { FUSED_RELUS = PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU };

enum { ALL_FLAGS = PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT | FUSED_RELUS };

static prim_status_t check_relus(const shapes_t *shapes)
{
    CHECK((shapes->op->u.norm.flags & FUSED_RELUS) != FUSED_RELUS,
            "%s cannot fuse relu and add-relu at once", shapes->schema->name);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(prim__norm_check(shapes, DST, ALL_FLAGS));
    return check_relus(shapes);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(prim__norm_check_backward(shapes, BACK_DIFF_DST, BACK_DIFF_SRC, ALL_FLAGS));
    TRY(check_relus(shapes));
    return prim__norm_check_floats(shapes, BACK_DIFF_DST, BACK_DIFF_SRC);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [SRC1] = {.arg = PRIM_ARG_SRC_1,
                .name = "src1",
                .flags = TENSOR_INPUT,
                .maker = MADE_LIKE_FIRST,
                .when = {.any_flag = PRIM_FUSE_NORM_ADD_RELU},
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 3},
        [MEAN_IN] = NORM_MEAN(TENSOR_INPUT, MADE_PER_CHANNEL, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [VAR_IN] = NORM_VARIANCE(TENSOR_INPUT, MADE_PER_CHANNEL, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [SCALE] = NORM_SCALE(MADE_PER_CHANNEL),
        [SHIFT] = NORM_SHIFT(MADE_PER_CHANNEL),
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        [MEAN_OUT] = NORM_MEAN(TENSOR_OUTPUT, MADE_PER_CHANNEL, PRIM_QUERY_DST_MD, NORM_KEPT),
        [VAR_OUT] = NORM_VARIANCE(TENSOR_OUTPUT, MADE_PER_CHANNEL, PRIM_QUERY_DST_MD, NORM_KEPT),
        [WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_BY_IMPLEMENTATION,
                .when = {.any_flag = FUSED_RELUS, .prop_kind = PRIM_FORWARD_TRAINING},
                .follows = PRIM_ARG_DST,
                .query = PRIM_QUERY_WORKSPACE_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = NORM_BACKWARD_SRC,
        [BACK_MEAN] = NORM_MEAN(TENSOR_INPUT, MADE_PER_CHANNEL, PRIM_QUERY_SRC_MD, 0),
        [BACK_VAR] = NORM_VARIANCE(TENSOR_INPUT, MADE_PER_CHANNEL, PRIM_QUERY_SRC_MD, 0),
        [BACK_SCALE] = NORM_SCALE(MADE_PER_CHANNEL),
        [BACK_DIFF_DST] = NORM_DIFF_DST,
        [BACK_WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_HINT,
                .when = {.any_flag = FUSED_RELUS},
                .hint = PRIM_ARG_WORKSPACE,
                .query = PRIM_QUERY_WORKSPACE_MD},
        [BACK_DIFF_SRC] = NORM_DIFF_SRC,
        [BACK_DIFF_SRC1] = {.arg = PRIM_ARG_DIFF_SRC_1,
                .name = "diff_src1",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_LIKE_FIRST,
                .when = {.any_flag = PRIM_FUSE_NORM_ADD_RELU},
                .query = PRIM_QUERY_DIFF_SRC_MD,
                .query_index = 1},
        [BACK_DIFF_SCALE] = NORM_DIFF_SCALE(MADE_PER_CHANNEL),
        [BACK_DIFF_SHIFT] = NORM_DIFF_SHIFT(MADE_PER_CHANNEL),
        {0},
};

static const param_rule_t params[] = {
        NORM_PARAMS,
        {0},
};

static const int strided[] = {PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_strides, .args = strided},
        {.add = prim__repro_norm_flags, .text = " --flags="},
        {.is_attr = true},
        {.add = prim__repro_images, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_inputs, .arg = PRIM_ARG_SRC},
        {.add = prim__repro_float, .text = "eps", .offset = offsetof(op_desc_t, u.norm.epsilon)},
        {0},
};

/// Relu is the only step that it knows.
static const prim_alg_kind_t relu_alone[] = {PRIM_ELTWISE_RELU, PRIM_ALG_UNDEF};

extern const impl_t *const *const prim__bnorm_forward_lists[];
extern const impl_t *const *const prim__bnorm_backward_lists[];

const op_schema_t prim__bnorm_forward_schema = {
        .kind = PRIM_BATCH_NORMALIZATION,
        .direction = FORWARD,
        .name = "batch normalization",
        .driver = "bnorm",
        .has_prop_kind = true,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE,
        .eltwise_algs = relu_alone,
        .check = check,
        .repro = repro,
        .lists = prim__bnorm_forward_lists,
};

const op_schema_t prim__bnorm_backward_schema = {
        .kind = PRIM_BATCH_NORMALIZATION,
        .direction = BACKWARD,
        .name = "batch normalization backward",
        .driver = "bnorm",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = repro,
        .lists = prim__bnorm_backward_lists,
};

prim_status_t prim_batch_normalization_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float epsilon, unsigned flags, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_BATCH_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm.epsilon = epsilon;
    op.u.norm.flags = flags;
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__bnorm_forward_schema, &op, &request);
}

prim_status_t prim_batch_normalization_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md, float epsilon,
        unsigned flags, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {
            [SRC] = src_md, [BACK_DIFF_DST] = diff_dst_md, [BACK_DIFF_SRC] = diff_src_md};
    op_desc_t op = {.kind = PRIM_BATCH_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm.epsilon = epsilon;
    op.u.norm.flags = flags;
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__bnorm_backward_schema, &op, &request);
}
