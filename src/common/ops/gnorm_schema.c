// SPDX-License-Identifier: Apache-2.0
// Group normalisation and its gradients: statistics are of groups of an image's channels, scale and
// shift are per channel. doc/primitives/group_normalization.md has the rules in words.
#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "norm_rules.h"
#include "schema_create.h"

// SRC to SCALE stand at the same places in both directions.
enum { SRC, MEAN_IN, VAR_IN, SCALE, SHIFT, DST, MEAN_OUT, VAR_OUT, NTENSORS };
enum { DIFF_DST = SCALE + 1, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, NBACKWARD_TENSORS };

enum { ALL_FLAGS = PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT };

static prim_status_t check_groups(const shapes_t *shapes)
{
    const prim_dim_t groups = shapes->op->u.norm.groups, channels = shapes->mds[SRC]->dims[1];
    if (prim__md_has_runtime(shapes->mds[SRC])) return PRIM_SUCCESS;
    CHECK(groups > 0 && channels % groups == 0, "%s: %lld groups do not divide %lld channels",
            shapes->schema->name, (long long)groups, (long long)channels);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(prim__norm_check(shapes, DST, ALL_FLAGS));
    return check_groups(shapes);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(prim__norm_check_backward(shapes, DIFF_DST, DIFF_SRC, ALL_FLAGS));
    TRY(check_groups(shapes));
    return prim__norm_check_floats(shapes, DIFF_DST, DIFF_SRC);
}

/// The statistics, which no caller describes: a value for each group of each image.
static prim_status_t derive(prim_memory_desc_t *md, const shapes_t *shapes)
{
    const prim_dims_t dims = {shapes->mds[SRC]->dims[0], shapes->op->u.norm.groups};
    return prim_memory_desc_init_by_tag(md, 2, dims, PRIM_F32, PRIM_ab);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [MEAN_IN] = NORM_MEAN(
                TENSOR_INPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [VAR_IN] = NORM_VARIANCE(
                TENSOR_INPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [SCALE] = NORM_SCALE(MADE_PER_CHANNEL),
        [SHIFT] = NORM_SHIFT(MADE_PER_CHANNEL),
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON},
        [MEAN_OUT] = NORM_MEAN(
                TENSOR_OUTPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_DST_MD, NORM_KEPT),
        [VAR_OUT] = NORM_VARIANCE(
                TENSOR_OUTPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_DST_MD, NORM_KEPT),
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = NORM_BACKWARD_SRC,
        [MEAN_IN] = NORM_MEAN(TENSOR_INPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, 0),
        [VAR_IN] =
                NORM_VARIANCE(TENSOR_INPUT | TENSOR_OPTIONAL, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, 0),
        [SCALE] = NORM_SCALE(MADE_PER_CHANNEL),
        [DIFF_DST] = NORM_DIFF_DST,
        [DIFF_SRC] = NORM_DIFF_SRC,
        [DIFF_SCALE] = NORM_DIFF_SCALE(MADE_PER_CHANNEL),
        [DIFF_SHIFT] = NORM_DIFF_SHIFT(MADE_PER_CHANNEL),
        {0},
};

static const param_rule_t params[] = {
        NORM_PARAMS,
        {"groups", PARAM_INT64, offsetof(op_desc_t, u.norm.groups), PRIM_QUERY_GROUP_SIZE_S64, true,
                "groups"},
        {0},
};

static void add_groups(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    prim__text_add(out, "%s%lld", word->text, (long long)pd->op.u.norm.groups);
}

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_norm_flags, .text = " --flags="},
        {.is_attr = true},
        {.add = add_groups, .text = " g"},
        {.add = prim__repro_images, .text = "", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_inputs, .arg = PRIM_ARG_SRC},
        {.add = prim__repro_float, .text = "eps", .offset = offsetof(op_desc_t, u.norm.epsilon)},
        {0},
};

extern const impl_t *const *const prim__gnorm_forward_lists[];
extern const impl_t *const *const prim__gnorm_backward_lists[];

const op_schema_t prim__gnorm_forward_schema = {
        .kind = PRIM_GROUP_NORMALIZATION,
        .direction = FORWARD,
        .name = "group normalization",
        .driver = "gnorm",
        .has_prop_kind = true,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .derive = derive,
        .repro = repro,
        .lists = prim__gnorm_forward_lists,
};

const op_schema_t prim__gnorm_backward_schema = {
        .kind = PRIM_GROUP_NORMALIZATION,
        .direction = BACKWARD,
        .name = "group normalization backward",
        .driver = "gnorm",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .derive = derive,
        .repro = repro,
        .lists = prim__gnorm_backward_lists,
};

prim_status_t prim_group_normalization_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, prim_dim_t groups, float epsilon, unsigned flags,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_GROUP_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm = (norm_params_t){epsilon, flags, groups};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__gnorm_forward_schema, &op, &request);
}

prim_status_t prim_group_normalization_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md, prim_dim_t groups,
        float epsilon, unsigned flags, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {
            [SRC] = src_md, [DIFF_DST] = diff_dst_md, [DIFF_SRC] = diff_src_md};
    op_desc_t op = {.kind = PRIM_GROUP_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm = (norm_params_t){epsilon, flags, groups};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__gnorm_backward_schema, &op, &request);
}
