// SPDX-License-Identifier: Apache-2.0
// Group normalisation and its gradients: statistics are of groups of an image's channels, scale and
// shift are per channel. doc/primitives/group_normalization.md has the rules in words.
#include <math.h>

#include "common/data_type.h"
#include "repro.h"
#include "schema.h"

// SRC to SCALE stand at the same places in both directions.
enum { SRC, MEAN_IN, VAR_IN, SCALE, SHIFT, DST, MEAN_OUT, VAR_OUT, NTENSORS };
enum { DIFF_DST = SCALE + 1, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, NBACKWARD_TENSORS };

/// What both directions have in common; the tensor of rule `other` has src's shape, too.
static prim_status_t check_both(const shapes_t *shapes, int other)
{
    const unsigned all = PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT;
    const norm_params_t *const norm = &shapes->op->u.norm;
    const prim_memory_desc_t *const src = shapes->mds[SRC];
    CHECK(src->ndims >= 2, "group normalization src has %d dimensions; 2 are the least",
            src->ndims);
    TRY(prim__check_same_dims(shapes, other, SRC));
    CHECK((norm->flags & ~all) == 0, "group normalization flags %#x hold others than %#x",
            norm->flags, all);
    CHECK(isfinite(norm->epsilon) && norm->epsilon >= 0.F,
            "group normalization epsilon %g is not in 0..FLT_MAX", (double)norm->epsilon);
    if (!prim__md_has_runtime(src))
        CHECK(norm->groups > 0 && src->dims[1] % norm->groups == 0,
                "group normalization: %lld groups do not divide %lld channels",
                (long long)norm->groups, (long long)src->dims[1]);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    return check_both(shapes, DST);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    static const int rules[] = {SRC, DIFF_DST, DIFF_SRC};
    TRY(check_both(shapes, DIFF_DST));
    TRY(prim__check_same_dims(shapes, DIFF_SRC, SRC));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        const prim_data_type_t dt = shapes->mds[rules[i]]->data_type;
        if (prim__dt_is_integer(dt))
            return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no integers: %s is %s",
                    shapes->schema->name, shapes->schema->tensors[rules[i]].name,
                    prim_data_type_name(dt));
    }
    return PRIM_SUCCESS;
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
        [MEAN_IN] = {.arg = PRIM_ARG_MEAN,
                .name = "mean",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL,
                .when = {.any_flag = PRIM_USE_GLOBAL_STATS},
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 1},
        [VAR_IN] = {.arg = PRIM_ARG_VARIANCE,
                .name = "variance",
                .log_name = "var",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL,
                .when = {.any_flag = PRIM_USE_GLOBAL_STATS},
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 2},
        [SCALE] = {.arg = PRIM_ARG_SCALE,
                .name = "scale",
                .flags = TENSOR_INPUT,
                .maker = MADE_PER_CHANNEL,
                .when = {.any_flag = PRIM_USE_SCALE},
                .query = PRIM_QUERY_WEIGHTS_MD},
        [SHIFT] = {.arg = PRIM_ARG_SHIFT,
                .name = "shift",
                .flags = TENSOR_INPUT,
                .maker = MADE_PER_CHANNEL,
                .when = {.any_flag = PRIM_USE_SHIFT},
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 1},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON},
        [MEAN_OUT] = {.arg = PRIM_ARG_MEAN,
                .name = "mean",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL,
                .when = {.no_flag = PRIM_USE_GLOBAL_STATS, .prop_kind = PRIM_FORWARD_TRAINING},
                .query = PRIM_QUERY_DST_MD,
                .query_index = 1},
        [VAR_OUT] = {.arg = PRIM_ARG_VARIANCE,
                .name = "variance",
                .log_name = "var",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL,
                .when = {.no_flag = PRIM_USE_GLOBAL_STATS, .prop_kind = PRIM_FORWARD_TRAINING},
                .query = PRIM_QUERY_DST_MD,
                .query_index = 2},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_SRC_MD},
        [MEAN_IN] = {.arg = PRIM_ARG_MEAN,
                .name = "mean",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL,
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 1},
        [VAR_IN] = {.arg = PRIM_ARG_VARIANCE,
                .name = "variance",
                .log_name = "var",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL,
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 2},
        [SCALE] = {.arg = PRIM_ARG_SCALE,
                .name = "scale",
                .flags = TENSOR_INPUT,
                .maker = MADE_PER_CHANNEL,
                .when = {.any_flag = PRIM_USE_SCALE},
                .query = PRIM_QUERY_WEIGHTS_MD},
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_DIFF_DST,
                .hint = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_DIFF_DST,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        [DIFF_SCALE] = {.arg = PRIM_ARG_DIFF_SCALE,
                .name = "diff_scale",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_PER_CHANNEL,
                .when = {.any_flag = PRIM_USE_SCALE, .prop_kind = PRIM_BACKWARD},
                .query = PRIM_QUERY_DIFF_WEIGHTS_MD},
        [DIFF_SHIFT] = {.arg = PRIM_ARG_DIFF_SHIFT,
                .name = "diff_shift",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_PER_CHANNEL,
                .when = {.any_flag = PRIM_USE_SHIFT, .prop_kind = PRIM_BACKWARD},
                .query = PRIM_QUERY_DIFF_WEIGHTS_MD,
                .query_index = 1},
        {0},
};

static const param_rule_t params[] = {
        {"flags", PARAM_FLAGS, offsetof(op_desc_t, u.norm.flags), PRIM_QUERY_FLAGS, true, NULL},
        {"epsilon", PARAM_FLOAT, offsetof(op_desc_t, u.norm.epsilon), PRIM_QUERY_EPSILON_F32, true,
                NULL},
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

static const repro_word_t backward_repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DIFF_DST},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = ":", .arg = PRIM_ARG_DIFF_DST},
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
        .repro = backward_repro,
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
