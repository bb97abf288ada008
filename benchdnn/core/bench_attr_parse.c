// SPDX-License-Identifier: Apache-2.0
// Parsing of scales, zero points and post-op chains.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench_attr_text.h"
#include "bench_globals.h"
#include "bench_list.h"
#include "bench_numeric.h"
#include "bench_problem.h"
#include "bench_tag.h"
#include "bench_text.h"

const word_t policy_words[] = {
        {"common", POLICY_COMMON},
        {"per_oc", POLICY_PER_OC},
        {"per_ocic", POLICY_PER_OCIC},
        {"per_dim_0", POLICY_PER_DIM_0},
        {"per_dim_1", POLICY_PER_DIM_1},
        {"per_dim_01", POLICY_PER_DIM_01},
        {"per_dim_2", POLICY_PER_DIM_2},
        {"per_dim_3", POLICY_PER_DIM_3},
        {"per_tensor", POLICY_PER_TENSOR},
        {NULL, 0},
};

const word_t eltwise_words[] = {
        {"abs", PRIM_ELTWISE_ABS},
        {"clip", PRIM_ELTWISE_CLIP},
        {"clip_v2", PRIM_ELTWISE_CLIP_V2},
        {"clip_v2_dst", PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD},
        {"elu", PRIM_ELTWISE_ELU},
        {"elu_dst", PRIM_ELTWISE_ELU_USE_DST_FOR_BWD},
        {"exp", PRIM_ELTWISE_EXP},
        {"exp_dst", PRIM_ELTWISE_EXP_USE_DST_FOR_BWD},
        {"gelu_erf", PRIM_ELTWISE_GELU_ERF},
        {"gelu_tanh", PRIM_ELTWISE_GELU_TANH},
        {"hardsigmoid", PRIM_ELTWISE_HARDSIGMOID},
        {"hardswish", PRIM_ELTWISE_HARDSWISH},
        {"linear", PRIM_ELTWISE_LINEAR},
        {"log", PRIM_ELTWISE_LOG},
        {"logistic", PRIM_ELTWISE_LOGISTIC},
        {"logistic_dst", PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD},
        {"mish", PRIM_ELTWISE_MISH},
        {"pow", PRIM_ELTWISE_POW},
        {"relu", PRIM_ELTWISE_RELU},
        {"relu_dst", PRIM_ELTWISE_RELU_USE_DST_FOR_BWD},
        {"round", PRIM_ELTWISE_ROUND},
        {"sqrt", PRIM_ELTWISE_SQRT},
        {"sqrt_dst", PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD},
        {"square", PRIM_ELTWISE_SQUARE},
        {"soft_relu", PRIM_ELTWISE_SOFT_RELU},
        {"srelu", PRIM_ELTWISE_SOFT_RELU},
        {"swish", PRIM_ELTWISE_SWISH},
        {"tanh", PRIM_ELTWISE_TANH},
        {"tanh_dst", PRIM_ELTWISE_TANH_USE_DST_FOR_BWD},
        // The long forms, as they stand in logs.
        {"eltwise_abs", PRIM_ELTWISE_ABS},
        {"eltwise_clip", PRIM_ELTWISE_CLIP},
        {"eltwise_clip_v2", PRIM_ELTWISE_CLIP_V2},
        {"eltwise_clip_v2_use_dst_for_bwd", PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD},
        {"eltwise_elu", PRIM_ELTWISE_ELU},
        {"eltwise_elu_use_dst_for_bwd", PRIM_ELTWISE_ELU_USE_DST_FOR_BWD},
        {"eltwise_exp", PRIM_ELTWISE_EXP},
        {"eltwise_exp_use_dst_for_bwd", PRIM_ELTWISE_EXP_USE_DST_FOR_BWD},
        {"eltwise_gelu_erf", PRIM_ELTWISE_GELU_ERF},
        {"eltwise_gelu_tanh", PRIM_ELTWISE_GELU_TANH},
        {"eltwise_hardsigmoid", PRIM_ELTWISE_HARDSIGMOID},
        {"eltwise_hardswish", PRIM_ELTWISE_HARDSWISH},
        {"eltwise_linear", PRIM_ELTWISE_LINEAR},
        {"eltwise_log", PRIM_ELTWISE_LOG},
        {"eltwise_logistic", PRIM_ELTWISE_LOGISTIC},
        {"eltwise_logistic_use_dst_for_bwd", PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD},
        {"eltwise_mish", PRIM_ELTWISE_MISH},
        {"eltwise_pow", PRIM_ELTWISE_POW},
        {"eltwise_relu", PRIM_ELTWISE_RELU},
        {"eltwise_relu_use_dst_for_bwd", PRIM_ELTWISE_RELU_USE_DST_FOR_BWD},
        {"eltwise_round", PRIM_ELTWISE_ROUND},
        {"eltwise_sqrt", PRIM_ELTWISE_SQRT},
        {"eltwise_sqrt_use_dst_for_bwd", PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD},
        {"eltwise_square", PRIM_ELTWISE_SQUARE},
        {"eltwise_soft_relu", PRIM_ELTWISE_SOFT_RELU},
        {"eltwise_swish", PRIM_ELTWISE_SWISH},
        {"eltwise_tanh", PRIM_ELTWISE_TANH},
        {"eltwise_tanh_use_dst_for_bwd", PRIM_ELTWISE_TANH_USE_DST_FOR_BWD},
        {NULL, 0},
};

const word_t binary_words[] = {
        {"add", PRIM_BINARY_ADD},
        {"div", PRIM_BINARY_DIV},
        {"eq", PRIM_BINARY_EQ},
        {"ge", PRIM_BINARY_GE},
        {"gt", PRIM_BINARY_GT},
        {"le", PRIM_BINARY_LE},
        {"lt", PRIM_BINARY_LT},
        {"max", PRIM_BINARY_MAX},
        {"min", PRIM_BINARY_MIN},
        {"mul", PRIM_BINARY_MUL},
        {"ne", PRIM_BINARY_NE},
        {"select", PRIM_BINARY_SELECT},
        {"sub", PRIM_BINARY_SUB},
        {"binary_add", PRIM_BINARY_ADD},
        {"binary_div", PRIM_BINARY_DIV},
        {"binary_eq", PRIM_BINARY_EQ},
        {"binary_ge", PRIM_BINARY_GE},
        {"binary_gt", PRIM_BINARY_GT},
        {"binary_le", PRIM_BINARY_LE},
        {"binary_lt", PRIM_BINARY_LT},
        {"binary_max", PRIM_BINARY_MAX},
        {"binary_min", PRIM_BINARY_MIN},
        {"binary_mul", PRIM_BINARY_MUL},
        {"binary_ne", PRIM_BINARY_NE},
        {"binary_select", PRIM_BINARY_SELECT},
        {"binary_sub", PRIM_BINARY_SUB},
        {NULL, 0},
};

static const word_t arg_words[] = {
        {"src", PRIM_ARG_SRC},
        {"src0", PRIM_ARG_SRC_0},
        {"src1", PRIM_ARG_SRC_1},
        {"wei", PRIM_ARG_WEIGHTS},
        {"dst", PRIM_ARG_DST},
        {"attr_post_op_dw_wei", PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS},
        {"attr_post_op_dw_dst", PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST},
        {NULL, 0},
};

#define MAX_PARTS 8
#define MAX_PART 64

/// The pieces of one entry between colons.
typedef struct {
    int count;
    char texts[MAX_PARTS][MAX_PART];
} parts_t;

static bool split_parts(parts_t *parts, const char *entry)
{
    parts->count = 0;
    for (const char *rest = entry; rest;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ':', &length);
        if (parts->count == MAX_PARTS || length == 0) return false;
        if (!copy_string(parts->texts[parts->count++], MAX_PART, piece, length)) return false;
    }
    return true;
}

/// Whether a + behind this text belongs to a number such as 1e+3.
static bool ends_in_exponent(const char *text, size_t length)
{
    return length >= 2 && (text[length - 1] == 'e' || text[length - 1] == 'E') &&
           (isdigit((unsigned char)text[length - 2]) || text[length - 2] == '.');
}

/// Cuts `text` at + and hands every entry's parts to `take`.
static bool for_each_entry(const char *option, const char *text,
        bool (*take)(void *target, const parts_t *parts), void *target)
{
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, "+");
        while (p[length] == '+' && ends_in_exponent(p, length))
            length += 1 + strcspn(p + length + 1, "+");
        char entry[256];
        parts_t parts;
        if (!copy_string(entry, sizeof entry, p, length) || !split_parts(&parts, entry))
            return problem_error("--%s: cannot make sense of `%.*s`", option, (int)length, p);
        if (!take(target, &parts)) return false;
        p += length;
        if (*p == '+' && !*++p) return problem_error("--%s: nothing follows the last +", option);
    }
    return true;
}

bool parse_arg_name(const char *text, int *arg)
{
    const word_t *const word = word_find(arg_words, text, strlen(text));
    int64_t index = 0;
    if (word && strcmp(word->word, text) == 0) {
        *arg = word->value;
        return true;
    }
    if (strncmp(text, "msrc", 4) != 0 || !parse_int(text + 4, strlen(text + 4), &index))
        return false;
    if (index < 0 || index >= BENCH_MAX_TUPLE) return false;
    *arg = PRIM_ARG_MULTIPLE_SRC + (int)index;
    return true;
}

/// [:dt[:groups]] from part `i` on.
static bool parse_quant_tail(quant_entry_t *entry, const parts_t *parts, int i)
{
    if (i < parts->count) {
        entry->dt = dt_from_name(parts->texts[i], strlen(parts->texts[i]));
        if (entry->dt == PRIM_DATA_TYPE_UNDEF)
            return problem_error("attributes: `%s` is not a data type", parts->texts[i]);
        ++i;
    }
    if (i < parts->count) {
        prim_dims_t groups;
        const bool is_grouped = entry->policy == POLICY_PER_OC ||
                                entry->policy == POLICY_PER_OCIC ||
                                entry->policy == POLICY_PER_TENSOR;
        if (!is_grouped ||
                !parse_dims(parts->texts[i], strlen(parts->texts[i]), groups, &entry->ngroups) ||
                entry->ngroups != 2 || groups[0] < 1 || groups[1] < 1)
            return problem_error("attributes: bad groups `%s`", parts->texts[i]);
        memcpy(entry->groups, groups, sizeof entry->groups);
        ++i;
    }
    return i == parts->count || problem_error("attributes: `%s` is too much", parts->texts[i]);
}

/// arg:policy[:value][:dt[:groups]]; the value is mandatory nowhere but exists for common alone.
static bool parse_quant(quant_entry_t *entry, const parts_t *parts)
{
    if (!parse_arg_name(parts->texts[0], &entry->arg))
        return problem_error("attributes: `%s` is not an argument", parts->texts[0]);
    if (parts->count < 2) return problem_error("attributes: `%s` lacks a policy", parts->texts[0]);
    const word_t *const policy = word_find(policy_words, parts->texts[1], strlen(parts->texts[1]));
    if (!policy) return problem_error("attributes: `%s` is not a policy", parts->texts[1]);
    entry->policy = (attr_policy_t)policy->value;
    int next = 2;
    if (entry->policy == POLICY_COMMON && next < parts->count) {
        if (!parse_float(parts->texts[next], strlen(parts->texts[next]), &entry->value))
            return problem_error("attributes: `%s` is not a number", parts->texts[next]);
        ++next;
    }
    return parse_quant_tail(entry, parts, next);
}

static bool append_quant(quant_spec_t *spec, const quant_entry_t *entry)
{
    for (int i = 0; i < spec->count; ++i)
        if (spec->entries[i].arg == entry->arg)
            return problem_error("attributes: an argument is named twice");
    if (spec->count == BENCH_MAX_QUANT) return problem_error("attributes: too many arguments");
    spec->entries[spec->count++] = *entry;
    return true;
}

static bool take_scale(void *target, const parts_t *parts)
{
    quant_entry_t entry = {.value = 1., .dt = PRIM_F32};
    if (!parse_quant(&entry, parts)) return false;
    if (!(entry.value >= 0.)) return problem_error("--attr-scales: a scale is not negative");
    // A scale of one multiplies nothing: as if it were not there.
    if (entry.policy == POLICY_COMMON && entry.value == 1. && entry.dt == PRIM_F32) return true;
    return append_quant(target, &entry);
}

static bool parse_s32(const char *text, int64_t *value)
{
    return parse_int(text, strlen(text), value) && *value >= INT32_MIN && *value <= INT32_MAX;
}

static bool take_zero_point(void *target, const parts_t *parts)
{
    quant_entry_t entry = {.value = 0., .dt = PRIM_S32};
    if (!parse_quant(&entry, parts)) return false;
    int64_t value = 0;
    if (entry.policy == POLICY_COMMON && parts->count > 2 && !parse_s32(parts->texts[2], &value))
        return problem_error("--attr-zero-points: `%s` is not an integer", parts->texts[2]);
    if (entry.policy == POLICY_COMMON && entry.value == 0. && entry.dt == PRIM_S32) return true;
    return append_quant(target, &entry);
}

bool parse_scales(const char *text, quant_spec_t *scales)
{
    *scales = (quant_spec_t){0};
    return for_each_entry("attr-scales", text, take_scale, scales);
}

bool parse_zero_points(const char *text, quant_spec_t *zero_points)
{
    *zero_points = (quant_spec_t){0};
    return for_each_entry("attr-zero-points", text, take_zero_point, zero_points);
}

static bool part_as_float(const parts_t *parts, int i, float *value)
{
    double parsed = 0.;
    if (i >= parts->count) return true;
    if (!parse_float(parts->texts[i], strlen(parts->texts[i]), &parsed))
        return problem_error("--attr-post-ops: `%s` is not a number", parts->texts[i]);
    *value = (float)parsed;
    return true;
}

static bool part_as_dt(const parts_t *parts, int i, prim_data_type_t *dt)
{
    if (i >= parts->count) return true;
    *dt = dt_from_name(parts->texts[i], strlen(parts->texts[i]));
    if (*dt != PRIM_DATA_TYPE_UNDEF) return true;
    return problem_error("--attr-post-ops: `%s` is not a data type", parts->texts[i]);
}

static bool ends_at(const parts_t *parts, int count)
{
    return parts->count <= count ||
           problem_error("--attr-post-ops: `%s` is too much", parts->texts[count]);
}

static bool parse_sum(post_op_t *op, const parts_t *parts)
{
    int64_t zero_point = 0;
    op->kind = PRIM_SUM;
    op->scale = 1.f;
    if (!part_as_float(parts, 1, &op->scale)) return false;
    if (parts->count > 2 && !parse_s32(parts->texts[2], &zero_point))
        return problem_error("--attr-post-ops: `%s` is not a zero point", parts->texts[2]);
    op->zero_point = (int32_t)zero_point;
    return part_as_dt(parts, 3, &op->dt) && ends_at(parts, 4);
}

static bool parse_policy(operand_spec_t *op, const char *text)
{
    int64_t mask = 0;
    const word_t *const word = word_find(policy_words, text, strlen(text));
    if (word) {
        op->policy = (attr_policy_t)word->value;
        return true;
    }
    op->has_mask = parse_int(text, strlen(text), &mask) && mask >= 0 && mask < 1 << PRIM_MAX_NDIMS;
    op->mask = (int)mask;
    return op->has_mask || problem_error("--attr-post-ops: `%s` is neither mask nor policy", text);
}

/// [:policy or mask[:layout]] from part `i` on.
static bool parse_operand(operand_spec_t *op, const parts_t *parts, int i)
{
    if (parts->count > i && !parse_policy(op, parts->texts[i])) return false;
    const char *const tag = parts->count > i + 1 ? parts->texts[i + 1] : "any";
    if (!copy_string(op->tag, sizeof op->tag, tag, strlen(tag)) ||
            !tag_is_valid(tag, bench.only_numbered_tags))
        return usage_error("--attr-post-ops: `%s` is not a layout", tag);
    return true;
}

static bool parse_binary(post_op_t *op, const parts_t *parts)
{
    op->kind = PRIM_BINARY;
    if (parts->count < 2) return problem_error("--attr-post-ops: a binary step needs a data type");
    if (!part_as_dt(parts, 1, &op->dt) || !parse_operand(&op->operand, parts, 2)) return false;
    if (op->alg != PRIM_BINARY_SELECT) return ends_at(parts, 4);
    op->condition.policy = POLICY_PER_TENSOR;
    return parse_operand(&op->condition, parts, 4) && ends_at(parts, 6);
}

static bool parse_prelu(post_op_t *op, const parts_t *parts)
{
    op->kind = PRIM_PRELU;
    op->dt = PRIM_F32;
    if (parts->count > 1 && !parse_policy(&op->operand, parts->texts[1])) return false;
    if (op->operand.has_mask)
        return problem_error("--attr-post-ops: prelu takes a policy, no mask");
    return ends_at(parts, 2);
}

/// dw:k3s1p1[:dt]
static bool parse_depthwise(post_op_t *op, const parts_t *parts)
{
    int64_t *const values[] = {&op->kernel, &op->stride, &op->padding};
    op->kind = PRIM_CONVOLUTION;
    op->dt = PRIM_F32;
    const char *p = parts->count > 1 ? parts->texts[1] : "";
    for (int i = 0; i < 3; ++i) {
        const size_t length = *p == "ksp"[i] ? strspn(p + 1, "0123456789") : 0;
        if (!length || !parse_int(p + 1, length, values[i]))
            return problem_error("--attr-post-ops: dw needs k<n>s<n>p<n>");
        p += length + 1;
    }
    if (*p || op->kernel < 1 || op->stride < 1)
        return problem_error("--attr-post-ops: dw needs k<n>s<n>p<n>, k and s positive");
    return part_as_dt(parts, 2, &op->dt) && ends_at(parts, 3);
}

static bool parse_step(post_op_t *op, const parts_t *parts)
{
    const char *const kind = parts->texts[0];
    const size_t length = strlen(kind);
    if (same_word(kind, length, "sum")) return parse_sum(op, parts);
    if (same_word(kind, length, "prelu")) return parse_prelu(op, parts);
    if (same_word(kind, length, "dw")) return parse_depthwise(op, parts);
    const word_t *word = word_find(binary_words, kind, length);
    if (word) {
        op->alg = (prim_alg_kind_t)word->value;
        return parse_binary(op, parts);
    }
    word = word_find(eltwise_words, kind, length);
    if (!word) return problem_error("--attr-post-ops: `%s` is not a post-op", kind);
    op->kind = PRIM_ELTWISE;
    op->alg = (prim_alg_kind_t)word->value;
    return part_as_float(parts, 1, &op->alpha) && part_as_float(parts, 2, &op->beta);
}

static bool take_post_op(void *target, const parts_t *parts)
{
    post_ops_spec_t *const spec = target;
    if (spec->count == PRIM_MAX_POST_OPS)
        return problem_error("--attr-post-ops: more than %d steps", PRIM_MAX_POST_OPS);
    post_op_t op = {0};
    if (!parse_step(&op, parts)) return false;
    spec->entries[spec->count++] = op;
    return true;
}

bool parse_post_ops(const char *text, post_ops_spec_t *post_ops)
{
    *post_ops = (post_ops_spec_t){0};
    return for_each_entry("attr-post-ops", text, take_post_op, post_ops);
}
