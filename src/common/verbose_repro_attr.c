// SPDX-License-Identifier: Apache-2.0
// The words of benchdnn for attributes. The values of scales and zero points, known
// only at execution, are replaced by examples.
#include "common/ops/repro.h"

/// The words for masks whose output channels are the last dimension.
static const char *last_policy(int ndims, int mask)
{
    if (mask == 1 << (ndims - 1)) return "per_oc";
    return mask == 3 << (ndims - 2) ? "per_ocic" : "per_tensor";
}

/// The word for a mask over the dimensions of `arg`.
static const char *policy_of(const prim_desc_t *pd, const op_schema_t *schema, int arg, int mask)
{
    static const struct {
        int mask;
        const char *word;
    } policies[] = {{1, "per_dim_0"}, {2, "per_dim_1"}, {3, "per_dim_01"}, {4, "per_dim_2"},
            {8, "per_dim_3"}};
    const tensor_rule_t *const rule = prim__schema_rule(schema, arg);
    if (mask == 0) return "common";
    if (schema->outputs_are_last) return last_policy(prim__pd_md(pd, arg)->ndims, mask);
    if (rule && rule->scales & MASK_OUTPUTS) return "per_oc";
    for (size_t i = 0; i < sizeof policies / sizeof *policies; ++i)
        if (policies[i].mask == mask) return policies[i].word;
    return "per_tensor";
}

/// "src", "wei"; one of a repeated tensor is "msrc3".
static void add_arg_name(text_buffer_t *out, const op_schema_t *schema, int arg)
{
    const tensor_rule_t *const rule = prim__schema_rule(schema, arg);
    if (!rule)
        prim__text_add(out, "arg%d", arg);
    else if (rule->flags & TENSOR_REPEATED)
        prim__text_add(out, "m%s%d", prim__rule_log_name(rule), arg - rule->arg);
    else
        prim__text_add(out, "%s", prim__rule_log_name(rule));
}

static void add_quants(text_buffer_t *out, const prim_desc_t *pd, const op_schema_t *schema,
        const char *option, const char *common_value, const quant_t *quants, int nquants)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const quant = &quants[i];
        prim__text_add(out, "%s", i == 0 ? option : "+");
        add_arg_name(out, schema, quant->arg);
        prim__text_add(out, ":%s%s:%s", policy_of(pd, schema, quant->arg, quant->mask),
                quant->mask == 0 ? common_value : "", prim_data_type_name(quant->data_type));
        if (quant->ngroups > 0) {
            prim__text_add(out, ":");
            prim__text_add_dims(out, quant->ngroups, quant->groups);
        }
    }
}

static void add_post_op(text_buffer_t *out, const prim_desc_t *pd, const op_schema_t *schema,
        const post_op_t *entry)
{
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    const int depthwise = prim__post_ops_find_depthwise(post_ops);
    const bool is_before = entry - post_ops->entries < depthwise;
    const prim_memory_desc_t *const dst =
            is_before ? &post_ops->entries[depthwise].src1_md : prim__pd_md(pd, PRIM_ARG_DST);
    char tag[64];
    switch (entry->kind) {
    case PRIM_SUM:
        prim__text_add(out, "sum:%.9g:%d", (double)entry->scale, (int)entry->zero_point);
        if (entry->data_type != PRIM_DATA_TYPE_UNDEF)
            prim__text_add(out, ":%s", prim_data_type_name(entry->data_type));
        break;
    case PRIM_ELTWISE:
        prim__repro_add_alg(out, "", entry->alg);
        prim__text_add(out, ":%.9g:%.9g", (double)entry->alpha, (double)entry->beta);
        break;
    case PRIM_BINARY:
        prim__md_tag_text(&entry->src1_md, tag);
        prim__repro_add_alg(out, "", entry->alg);
        prim__text_add(out, ":%s:%d", prim_data_type_name(entry->src1_md.data_type),
                prim__repro_broadcast_mask(&entry->src1_md, dst));
        if (tag[0] != '\0') prim__text_add(out, ":%s", tag);
        break;
    case PRIM_CONVOLUTION:
        prim__text_add(out, "dw:k%llds%lldp%lld:%s", (long long)entry->kernel,
                (long long)entry->stride, (long long)entry->padding,
                prim_data_type_name(entry->data_type));
        break;
    default:
        prim__text_add(out, "prelu:%s", policy_of(pd, schema, PRIM_ARG_DST, entry->mask));
        break;
    }
}

void prim__repro_attr(text_buffer_t *out, const prim_desc_t *pd, const op_schema_t *schema)
{
    static const char *const fpmath[] = {"strict", "bf16", "f16", "any", "tf32"};
    static const char *const accumulation[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};
    const prim_attr_t *const attr = &pd->attr;
    add_quants(out, pd, schema, " --attr-scales=", ":0.5", attr->scales, attr->nscales);
    add_quants(
            out, pd, schema, " --attr-zero-points=", ":1", attr->zero_points, attr->nzero_points);
    for (int i = 0; i < attr->post_ops.len; ++i) {
        prim__text_add(out, i == 0 ? " --attr-post-ops=" : "+");
        add_post_op(out, pd, schema, &attr->post_ops.entries[i]);
    }
    if (attr->scratchpad_mode == PRIM_SCRATCHPAD_USER)
        prim__text_add(out, " --attr-scratchpad=user");
    if (attr->fpmath_mode != PRIM_FPMATH_STRICT)
        prim__text_add(out, " --attr-fpmath=%s%s", fpmath[attr->fpmath_mode],
                attr->fpmath_applies_to_int ? ":true" : "");
    if (attr->accumulation_mode != PRIM_ACCUMULATION_STRICT)
        prim__text_add(out, " --attr-acc-mode=%s", accumulation[attr->accumulation_mode]);
    if (attr->is_deterministic) prim__text_add(out, " --attr-deterministic=true");
}
