// SPDX-License-Identifier: Apache-2.0
// Printing of attributes in the form the parser takes.
#include "bench_attr_text.h"
#include "bench_numeric.h"
#include "bench_text.h"

const word_t scratchpad_words[] = {
        {"library", PRIM_SCRATCHPAD_LIBRARY}, {"user", PRIM_SCRATCHPAD_USER}, {NULL, 0}};

const word_t fpmath_words[] = {
        {"strict", PRIM_FPMATH_STRICT},
        {"bf16", PRIM_FPMATH_BF16},
        {"f16", PRIM_FPMATH_F16},
        {"tf32", PRIM_FPMATH_TF32},
        {"any", PRIM_FPMATH_ANY},
        {NULL, 0},
};

const word_t acc_mode_words[] = {
        {"strict", PRIM_ACCUMULATION_STRICT},
        {"relaxed", PRIM_ACCUMULATION_RELAXED},
        {"any", PRIM_ACCUMULATION_ANY},
        {"f32", PRIM_ACCUMULATION_F32},
        {"s32", PRIM_ACCUMULATION_S32},
        {"f16", PRIM_ACCUMULATION_F16},
        {NULL, 0},
};

void print_arg_name(text_t *out, int arg)
{
    switch (arg) {
    case PRIM_ARG_SRC: text_append(out, "src"); break;
    case PRIM_ARG_SRC_1: text_append(out, "src1"); break;
    case PRIM_ARG_WEIGHTS: text_append(out, "wei"); break;
    case PRIM_ARG_DST: text_append(out, "dst"); break;
    case PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS:
        text_append(out, "attr_post_op_dw_wei");
        break;
    case PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST: text_append(out, "attr_post_op_dw_dst"); break;
    default: text_printf(out, "msrc%d", arg - PRIM_ARG_MULTIPLE_SRC);
    }
}

static void print_quant(
        text_t *out, const char *option, const quant_spec_t *spec, prim_data_type_t usual_dt)
{
    text_printf(out, " --attr-%s=", option);
    for (int i = 0; i < spec->count; ++i) {
        const quant_entry_t *const entry = &spec->entries[i];
        if (i) text_append(out, "+");
        print_arg_name(out, entry->arg);
        text_printf(out, ":%s", word_name(policy_words, (int)entry->policy));
        if (entry->policy == POLICY_COMMON) text_printf(out, ":%g", entry->value);
        if (entry->dt != usual_dt || entry->ngroups) text_printf(out, ":%s", dt_name(entry->dt));
        if (entry->ngroups)
            text_printf(
                    out, ":%lldx%lld", (long long)entry->groups[0], (long long)entry->groups[1]);
    }
}

static void print_sum(text_t *out, const post_op_t *op)
{
    text_append(out, "sum");
    if (op->scale == 1.f && !op->zero_point && op->dt == PRIM_DATA_TYPE_UNDEF) return;
    text_printf(out, ":%g", (double)op->scale);
    if (op->zero_point || op->dt != PRIM_DATA_TYPE_UNDEF)
        text_printf(out, ":%d", (int)op->zero_point);
    if (op->dt != PRIM_DATA_TYPE_UNDEF) text_printf(out, ":%s", dt_name(op->dt));
}

static void print_eltwise(text_t *out, const post_op_t *op)
{
    text_append(out, word_name(eltwise_words, (int)op->alg));
    if (op->alpha != 0.f || op->beta != 0.f) text_printf(out, ":%g", (double)op->alpha);
    if (op->beta != 0.f) text_printf(out, ":%g", (double)op->beta);
}

/// Policy or mask and layout, as far as they are not the usual ones.
static void print_operand(text_t *out, const operand_spec_t *op, attr_policy_t usual, bool is_last)
{
    const bool has_tag = !is_last || op->tag[0] != 'a' || op->tag[1] != 'n'; // not "any"
    if (op->has_mask)
        text_printf(out, ":%d", op->mask);
    else if (op->policy != usual || has_tag)
        text_printf(out, ":%s", word_name(policy_words, (int)op->policy));
    if (has_tag) text_printf(out, ":%s", op->tag);
}

static bool is_usual(const operand_spec_t *op, attr_policy_t usual)
{
    return !op->has_mask && op->policy == usual && op->tag[0] == 'a' && op->tag[1] == 'n';
}

static void print_binary(text_t *out, const post_op_t *op)
{
    const bool is_last =
            op->alg != PRIM_BINARY_SELECT || is_usual(&op->condition, POLICY_PER_TENSOR);
    text_printf(out, "%s:%s", word_name(binary_words, (int)op->alg), dt_name(op->dt));
    print_operand(out, &op->operand, POLICY_COMMON, is_last);
    if (!is_last) print_operand(out, &op->condition, POLICY_PER_TENSOR, true);
}

static void print_depthwise(text_t *out, const post_op_t *op)
{
    text_printf(out, "dw:k%llds%lldp%lld", (long long)op->kernel, (long long)op->stride,
            (long long)op->padding);
    if (op->dt != PRIM_F32) text_printf(out, ":%s", dt_name(op->dt));
}

static void print_post_ops(text_t *out, const post_ops_spec_t *spec)
{
    text_append(out, " --attr-post-ops=");
    for (int i = 0; i < spec->count; ++i) {
        const post_op_t *const op = &spec->entries[i];
        if (i) text_append(out, "+");
        switch (op->kind) {
        case PRIM_SUM: print_sum(out, op); break;
        case PRIM_ELTWISE: print_eltwise(out, op); break;
        case PRIM_BINARY: print_binary(out, op); break;
        case PRIM_CONVOLUTION: print_depthwise(out, op); break;
        default:
            text_append(out, "prelu");
            if (op->operand.policy != POLICY_COMMON)
                text_printf(out, ":%s", word_name(policy_words, (int)op->operand.policy));
        }
    }
}

static void print_word(text_t *out, const char *option, const word_t *words, int value, bool wanted)
{
    if (wanted) text_printf(out, " --attr-%s=%s", option, word_name(words, value));
}

void print_attr(text_t *out, const attr_spec_t *attr, bool canonical)
{
    if (canonical || attr->scales.count) print_quant(out, "scales", &attr->scales, PRIM_F32);
    if (canonical || attr->zero_points.count)
        print_quant(out, "zero-points", &attr->zero_points, PRIM_S32);
    if (canonical || attr->post_ops.count) print_post_ops(out, &attr->post_ops);
    print_word(out, "scratchpad", scratchpad_words, (int)attr->scratchpad,
            canonical || attr->scratchpad != PRIM_SCRATCHPAD_LIBRARY);
    print_word(out, "fpmath", fpmath_words, (int)attr->fpmath,
            canonical || attr->fpmath != PRIM_FPMATH_STRICT || attr->fpmath_applies_to_int);
    if (attr->fpmath_applies_to_int) text_append(out, ":true");
    print_word(out, "acc-mode", acc_mode_words, (int)attr->acc_mode,
            canonical || attr->acc_mode != PRIM_ACCUMULATION_STRICT);
    if (attr->rounding[0]) text_printf(out, " --attr-rounding-mode=%s", attr->rounding);
    if (canonical || attr->is_deterministic)
        text_printf(out, " --attr-deterministic=%s", attr->is_deterministic ? "true" : "false");
    if (attr->dropout[0]) text_printf(out, " --attr-dropout=%s", attr->dropout);
}
