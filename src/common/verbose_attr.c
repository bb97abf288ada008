// SPDX-License-Identifier: Apache-2.0
// Attributes in the log: as its own column, and in the words of benchdnn, where the values of
// scales and zero points, known only at execution, are replaced by examples.
#include "verbose_attr.h"

#include "common/ops/schema_table.h"
#include "post_ops_check.h"
#include "verbose.h"
#include "verbose_repro_words.h"

/// The words for masks whose output channels are the last dimension.
static const char *last_policy(int ndims, int mask)
{
    if (mask == 1 << (ndims - 1)) return "per_oc";
    return mask == 3 << (ndims - 2) ? "per_ocic" : "per_tensor";
}

/// The word for a mask over the dimensions of `arg`.
static const char *policy_of(const prim_desc_t *pd, int arg, int mask)
{
    static const struct {
        int mask;
        const char *word;
    } policies[] = {{1, "per_dim_0"}, {2, "per_dim_1"}, {3, "per_dim_01"}, {4, "per_dim_2"},
            {8, "per_dim_3"}};
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    const tensor_rule_t *const rule = prim__schema_rule(schema, arg);
    if (mask == 0) return "common";
    if (schema->outputs_are_last) return last_policy(prim__pd_md(pd, arg)->ndims, mask);
    if (rule && rule->scales & MASK_OUTPUTS) return "per_oc";
    for (size_t i = 0; i < sizeof policies / sizeof *policies; ++i)
        if (policies[i].mask == mask) return policies[i].word;
    return "per_tensor";
}

void prim__verbose_add_arg_name(
        text_buffer_t *out, const prim_desc_t *pd, int arg, const char *repeated)
{
    const tensor_rule_t *const rule = prim__schema_rule(prim__schema_of(&pd->op), arg);
    if (!rule)
        prim__text_add(out, "arg%d", arg);
    else if (rule->flags & TENSOR_REPEATED)
        prim__text_add(out, "%s%s%d", repeated, prim__rule_log_name(rule), arg - rule->arg);
    else
        prim__text_add(out, "%s", prim__rule_log_name(rule));
}

static void add_type(text_buffer_t *out, prim_data_type_t data_type)
{
    prim__text_add(out, ":%s", prim_data_type_name(data_type));
}

static void add_groups(text_buffer_t *out, const quant_t *quant)
{
    if (quant->ngroups == 0) return;
    prim__text_add(out, ":");
    prim__text_add_dims(out, quant->ngroups, quant->groups);
}

static void log_quants(text_buffer_t *out, const prim_desc_t *pd, const char *name,
        const quant_t *quants, int nquants)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const quant = &quants[i];
        prim__text_add(out, "%s", i == 0 ? name : "+");
        prim__verbose_add_arg_name(out, pd, quant->arg, "");
        prim__text_add(out, ":%d", quant->mask);
        add_type(out, quant->data_type);
        add_groups(out, quant);
    }
    if (nquants > 0) prim__text_add(out, " ");
}

static void repro_quants(text_buffer_t *out, const prim_desc_t *pd, const char *option,
        const char *common_value, const quant_t *quants, int nquants)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const quant = &quants[i];
        prim__text_add(out, "%s", i == 0 ? option : "+");
        prim__verbose_add_arg_name(out, pd, quant->arg, "m");
        prim__text_add(out, ":%s%s", policy_of(pd, quant->arg, quant->mask),
                quant->mask == 0 ? common_value : "");
        add_type(out, quant->data_type);
        add_groups(out, quant);
    }
}

static void log_sum(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "sum:%g:%d", (double)entry->scale, (int)entry->zero_point);
    add_type(out, entry->data_type);
}

static void repro_sum(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "sum:%.9g:%d", (double)entry->scale, (int)entry->zero_point);
    if (entry->data_type != PRIM_DATA_TYPE_UNDEF) add_type(out, entry->data_type);
}

static void log_eltwise(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "%s:%g:%g", prim_alg_kind_name(entry->alg), (double)entry->alpha,
            (double)entry->beta);
}

static void repro_eltwise(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__repro_add_alg(out, "", entry->alg);
    prim__text_add(out, ":%.9g:%.9g", (double)entry->alpha, (double)entry->beta);
}

static void log_binary(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "%s", prim_alg_kind_name(entry->alg));
    add_type(out, entry->src1_md.data_type);
    for (int k = 0; k < prim__post_op_noperands(entry); ++k) {
        const prim_memory_desc_t *const md = prim__post_op_operand_md(entry, k);
        char tag[64];
        prim__md_tag_text(md, tag);
        prim__text_add(out, ":");
        prim__text_add_dims(out, md->ndims, md->dims);
        prim__text_add(out, ":%s", tag);
    }
}

static void repro_binary(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    const int depthwise = prim__post_ops_find_depthwise(post_ops);
    const bool is_before = entry - post_ops->entries < depthwise;
    const prim_memory_desc_t *const dst =
            is_before ? &post_ops->entries[depthwise].src1_md : prim__pd_md(pd, PRIM_ARG_DST);
    const int noperands = prim__post_op_noperands(entry);
    prim__repro_add_alg(out, "", entry->alg);
    add_type(out, entry->src1_md.data_type);
    for (int k = 0; k < noperands; ++k) {
        const prim_memory_desc_t *const md = prim__post_op_operand_md(entry, k);
        char tag[64];
        prim__md_tag_text(md, tag);
        prim__text_add(out, ":%d", prim__repro_broadcast_mask(md, dst));
        if (tag[0] != '\0')
            prim__text_add(out, ":%s", tag);
        else if (k + 1 < noperands)
            prim__text_add(out, ":any"); // the next one's mask follows
    }
}

static void log_prelu(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "prelu:%d", entry->mask);
}

static void repro_prelu(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    prim__text_add(out, "prelu:%s", policy_of(pd, PRIM_ARG_DST, entry->mask));
}

static void add_depthwise(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    (void)pd;
    prim__text_add(out, "dw:k%llds%lldp%lld", (long long)entry->kernel, (long long)entry->stride,
            (long long)entry->padding);
    add_type(out, entry->data_type);
}

typedef void add_post_op_t(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry);

/// How a kind of post-op is written: in the log's column, and as benchdnn reads it.
static const struct {
    add_post_op_t *log, *repro;
} kinds[] = {
        [PRIM_SUM] = {log_sum, repro_sum},
        [PRIM_ELTWISE] = {log_eltwise, repro_eltwise},
        [PRIM_BINARY] = {log_binary, repro_binary},
        [PRIM_PRELU] = {log_prelu, repro_prelu},
        [PRIM_CONVOLUTION] = {add_depthwise, add_depthwise},
};

/// All other settings, each as "<before><name><is><value><behind>".
static void add_settings(text_buffer_t *out, const prim_attr_t *attr, const char *before,
        const char *is, const char *behind)
{
    static const char *const fpmath[] = {"strict", "bf16", "f16", "any", "tf32"};
    static const char *const accumulation[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};
    if (attr->scratchpad_mode == PRIM_SCRATCHPAD_USER)
        prim__text_add(out, "%sscratchpad%suser%s", before, is, behind);
    if (attr->fpmath_mode != PRIM_FPMATH_STRICT)
        prim__text_add(out, "%sfpmath%s%s%s%s", before, is, fpmath[attr->fpmath_mode],
                attr->fpmath_applies_to_int ? ":true" : "", behind);
    if (attr->accumulation_mode != PRIM_ACCUMULATION_STRICT)
        prim__text_add(
                out, "%sacc-mode%s%s%s", before, is, accumulation[attr->accumulation_mode], behind);
    if (attr->is_deterministic) prim__text_add(out, "%sdeterministic%strue%s", before, is, behind);
}

void prim__verbose_attr(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_attr_t *const attr = &pd->attr;
    const size_t start = out->len;
    add_settings(out, attr, "attr-", ":", " ");
    log_quants(out, pd, "attr-scales:", attr->scales, attr->nscales);
    log_quants(out, pd, "attr-zero-points:", attr->zero_points, attr->nzero_points);
    for (int i = 0; i < attr->post_ops.len; ++i) {
        prim__text_add(out, i == 0 ? "attr-post-ops:" : "+");
        kinds[attr->post_ops.entries[i].kind].log(out, pd, &attr->post_ops.entries[i]);
    }
    if (out->len > start && out->text[out->len - 1] == ' ') out->text[--out->len] = '\0';
}

void prim__repro_attr(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_attr_t *const attr = &pd->attr;
    repro_quants(out, pd, " --attr-scales=", ":0.5", attr->scales, attr->nscales);
    repro_quants(out, pd, " --attr-zero-points=", ":1", attr->zero_points, attr->nzero_points);
    for (int i = 0; i < attr->post_ops.len; ++i) {
        prim__text_add(out, i == 0 ? " --attr-post-ops=" : "+");
        kinds[attr->post_ops.entries[i].kind].repro(out, pd, &attr->post_ops.entries[i]);
    }
    add_settings(out, attr, " --attr-", "=", "");
}
