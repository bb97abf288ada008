// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the last dimension, and its gradient. Flags decide which tensors there
// are and whether the statistics of the forward pass are inputs or outputs.
// doc/primitives/layer_normalization.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "norm_rules.h"
#include "schema_create.h"

// SRC to SCALE stand at the same places in both directions.
enum { SRC, MEAN_IN, VAR_IN, SCALE, SHIFT, DST, MEAN_OUT, VAR_OUT, NTENSORS };
enum { DIFF_DST = SCALE + 1, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, NBACKWARD_TENSORS };

/// Mean and variance: f32, the dimensions of src without the last.
static prim_status_t check_statistics(const shapes_t *shapes, int rule)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const md = shapes->mds[rule];
    if (!md) return PRIM_SUCCESS;
    CHECK(md->ndims == src->ndims - 1, "layer normalization statistics have %d dimensions, not %d",
            md->ndims, src->ndims - 1);
    for (int d = 0; d < md->ndims; ++d)
        CHECK(md->dims[d] == src->dims[d],
                "layer normalization statistics have %lld in dimension %d, src has %lld",
                (long long)md->dims[d], d, (long long)src->dims[d]);
    if (md->data_type != PRIM_F32)
        return prim__fail(PRIM_UNIMPLEMENTED,
                "layer normalization statistics have type %s, not f32",
                prim_data_type_name(md->data_type));
    return PRIM_SUCCESS;
}

/// Scale or shift: its shape is right by construction.
static prim_status_t check_parameter(const shapes_t *shapes, int rule)
{
    const prim_memory_desc_t *const md = shapes->mds[rule];
    if (!md || md->data_type == PRIM_F32 || md->data_type == PRIM_BF16 || md->data_type == PRIM_F16)
        return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED,
            "layer normalization %s has type %s, not f32, bf16 or f16",
            shapes->schema->tensors[rule].name, prim_data_type_name(md->data_type));
}

enum { ALL_FLAGS = PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT };

/// Of both directions.
static prim_status_t check_both(const shapes_t *shapes)
{
    TRY(check_statistics(shapes, MEAN_IN));
    return check_parameter(shapes, SCALE);
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(prim__norm_check(shapes, DST, ALL_FLAGS));
    TRY(check_both(shapes));
    TRY(check_statistics(shapes, MEAN_OUT));
    return check_parameter(shapes, SHIFT);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(prim__norm_check_backward(shapes, DIFF_DST, DIFF_SRC, ALL_FLAGS));
    TRY(check_both(shapes));
    TRY(check_parameter(shapes, DIFF_SCALE));
    return check_parameter(shapes, DIFF_SHIFT);
}

/// Statistics that the caller did not describe, or whose layout is open, are dense row-major.
static prim_status_t derive(prim_memory_desc_t *md, const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC];
    if (prim__md_is_zero(md))
        TRY(prim_memory_desc_init_by_tag(md, src->ndims - 1, src->dims, PRIM_F32, PRIM_FORMAT_ANY));
    return prim__md_set_row_major_if_any(md);
}

enum {
    STATISTIC_IN = TENSOR_INPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY,
    STATISTIC_OUT = TENSOR_OUTPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY,
};

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [MEAN_IN] = NORM_MEAN(STATISTIC_IN, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [VAR_IN] = NORM_VARIANCE(STATISTIC_IN, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, NORM_GIVEN),
        [SCALE] = NORM_SCALE(MADE_BY_CALLER),
        [SHIFT] = NORM_SHIFT(MADE_BY_CALLER),
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON},
        [MEAN_OUT] = NORM_MEAN(STATISTIC_OUT, MADE_BY_CALLER, PRIM_QUERY_DST_MD, NORM_KEPT),
        [VAR_OUT] = NORM_VARIANCE(STATISTIC_OUT, MADE_BY_CALLER, PRIM_QUERY_DST_MD, NORM_KEPT),
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = NORM_BACKWARD_SRC,
        [MEAN_IN] = NORM_MEAN(STATISTIC_IN, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, 0),
        [VAR_IN] = NORM_VARIANCE(STATISTIC_IN, MADE_BY_CALLER, PRIM_QUERY_SRC_MD, 0),
        [SCALE] = NORM_SCALE(MADE_BY_CALLER),
        [DIFF_DST] = NORM_DIFF_DST,
        [DIFF_SRC] = NORM_DIFF_SRC,
        [DIFF_SCALE] = NORM_DIFF_SCALE(MADE_BY_CALLER),
        [DIFF_SHIFT] = NORM_DIFF_SHIFT(MADE_BY_CALLER),
        {0},
};

static const param_rule_t params[] = {
        NORM_PARAMS,
        {0},
};

/// The type that scale and shift, or their gradients, share, if there is one of them.
static void add_parameter_type(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    static const int args[] = {
            PRIM_ARG_SCALE, PRIM_ARG_SHIFT, PRIM_ARG_DIFF_SCALE, PRIM_ARG_DIFF_SHIFT};
    repro_word_t type = *word;
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i) {
        type.arg = args[i];
        if (!prim__pd_has(pd, type.arg)) continue;
        prim__repro_type(out, pd, &type);
        return;
    }
}

/// Nothing of problems without statistics.
static void add_statistics_tag(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    if (prim__pd_has(pd, word->arg)) prim__repro_tag(out, pd, word);
}

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tag, .text = " --tag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = ":", .arg = PRIM_ARG_DST},
        {.add = add_statistics_tag, .text = " --stat_tag=", .arg = PRIM_ARG_MEAN},
        {.add = add_parameter_type, .text = " --ss_dt="},
        {.add = prim__repro_norm_flags, .text = " --flags="},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {0},
};

extern const impl_t *const *const prim__lnorm_forward_lists[];
extern const impl_t *const *const prim__lnorm_backward_lists[];

const op_schema_t prim__lnorm_forward_schema = {
        .kind = PRIM_LAYER_NORMALIZATION,
        .direction = FORWARD,
        .name = "layer normalization",
        .driver = "lnorm",
        .has_prop_kind = true,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .derive = derive,
        .repro = repro,
        .lists = prim__lnorm_forward_lists,
};

const op_schema_t prim__lnorm_backward_schema = {
        .kind = PRIM_LAYER_NORMALIZATION,
        .direction = BACKWARD,
        .name = "layer normalization backward",
        .driver = "lnorm",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .derive = derive,
        .repro = repro,
        .lists = prim__lnorm_backward_lists,
};

/// Scale, shift or their gradients: one value for each place in a row of src.
static prim_status_t init_parameter(
        prim_memory_desc_t *md, const prim_memory_desc_t *src_md, prim_data_type_t data_type)
{
    return prim_memory_desc_init_by_tag(md, 1, &src_md->dims[src_md->ndims - 1], data_type, PRIM_a);
}

/// Whether there are parameters, and a src that determines how many.
static bool has_parameters(const prim_memory_desc_t *src_md, unsigned flags)
{
    return src_md && src_md->ndims >= 1 && src_md->ndims <= PRIM_MAX_NDIMS &&
           flags & (PRIM_USE_SCALE | PRIM_USE_SHIFT);
}

prim_status_t prim_layer_normalization_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, const prim_memory_desc_t *stat_md,
        prim_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const prim_attr_t *attr)
{
    op_desc_t op = {.kind = PRIM_LAYER_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm.epsilon = epsilon;
    op.u.norm.flags = flags;
    const prim_memory_desc_t *mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    prim_memory_desc_t parameter;
    if (has_parameters(src_md, flags)) {
        TRY(init_parameter(&parameter, src_md, scale_shift_data_type));
        if (flags & PRIM_USE_SCALE) mds[SCALE] = &parameter;
        if (flags & PRIM_USE_SHIFT) mds[SHIFT] = &parameter;
    }
    for (int i = 0; i < NTENSORS; ++i)
        if (tensors[i].flags & TENSOR_OPTIONAL && prim__rule_applies(&tensors[i], &op))
            mds[i] = stat_md;
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__lnorm_forward_schema, &op, &request);
}

prim_status_t prim_layer_normalization_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *stat_md, prim_data_type_t diff_scale_shift_data_type,
        prim_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    op_desc_t op = {.kind = PRIM_LAYER_NORMALIZATION, .prop_kind = prop_kind};
    op.u.norm.epsilon = epsilon;
    op.u.norm.flags = flags;
    const prim_memory_desc_t *mds[NBACKWARD_TENSORS] = {[SRC] = src_md,
            [MEAN_IN] = stat_md,
            [VAR_IN] = stat_md,
            [DIFF_DST] = diff_dst_md,
            [DIFF_SRC] = diff_src_md};
    prim_memory_desc_t parameter, gradient;
    if (has_parameters(src_md, flags)) {
        if (flags & PRIM_USE_SCALE) {
            TRY(init_parameter(&parameter, src_md, scale_shift_data_type));
            mds[SCALE] = &parameter;
        }
        if (prop_kind == PRIM_BACKWARD) {
            TRY(init_parameter(&gradient, src_md, diff_scale_shift_data_type));
            if (flags & PRIM_USE_SCALE) mds[DIFF_SCALE] = &gradient;
            if (flags & PRIM_USE_SHIFT) mds[DIFF_SHIFT] = &gradient;
        }
    }
    const request_t request = {.engine = engine, .mds = mds, .hint = hint, .attr = attr};
    return prim__op_create(pd, &prim__lnorm_backward_schema, &op, &request);
}
