// SPDX-License-Identifier: Apache-2.0
// The columns of a log line: engine, operation, implementation, tensors, attributes, parameters,
// command.
#include "verbose.h"

#include "common/ops/schema.h"
#include "dispatch.h"
#include "text_buffer.h"

/// "src", "wei"; "src3" of a repeated tensor.
static void add_tensor_name(text_buffer_t *out, const prim_desc_t *pd, int arg)
{
    const tensor_rule_t *const rule = prim__schema_rule(prim__schema_of(&pd->op), arg);
    if (!rule)
        prim__text_add(out, "arg%d", arg);
    else if (rule->flags & TENSOR_REPEATED)
        prim__text_add(out, "%s%d", prim__rule_log_name(rule), arg - rule->arg);
    else
        prim__text_add(out, "%s", prim__rule_log_name(rule));
}

/// Whether the user left the tensor's layout open.
static bool was_any(const prim_desc_t *pd, int arg)
{
    const desc_origin_t *const origin = pd->origin;
    for (int i = 0; i < origin->ntensors; ++i)
        if (origin->tensors[i].arg == arg) return prim__md_is_any(&origin->tensors[i].md);
    return false;
}

/// name_dt:properties:format kind:tag:strides:flags, with properties a = the user said `any`,
/// p = padded, o = offset.
static void add_tensor(text_buffer_t *out, const prim_desc_t *pd, const tensor_t *tensor)
{
    const prim_memory_desc_t *const md = &tensor->md;
    char tag[64];
    prim__md_tag_text(md, tag);
    add_tensor_name(out, pd, tensor->arg);
    prim__text_add(out, "_%s:%s%s%s:%s:%s:", prim_data_type_name(md->data_type),
            was_any(pd, tensor->arg) ? "a" : "", prim__md_is_padded(md) ? "p" : "",
            md->offset0 != 0 ? "o" : "",
            md->format_kind == PRIM_FORMAT_KIND_BLOCKED   ? "blocked"
            : md->format_kind == PRIM_FORMAT_KIND_IMAGE2D ? "image2d"
                                                          : "opaque",
            tag);
    if (tag[0] == '\0') prim__text_add_dims(out, md->ndims, md->strides);
    prim__text_add(out, ":f0");
}

static void add_quants(text_buffer_t *out, const prim_desc_t *pd, const char *name,
        const quant_t *quants, int nquants)
{
    if (nquants > 0) prim__text_add(out, "%s:", name);
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const quant = &quants[i];
        if (i > 0) prim__text_add(out, "+");
        add_tensor_name(out, pd, quant->arg);
        prim__text_add(out, ":%d:%s", quant->mask, prim_data_type_name(quant->data_type));
        if (quant->ngroups > 0) {
            prim__text_add(out, ":");
            prim__text_add_dims(out, quant->ngroups, quant->groups);
        }
    }
    if (nquants > 0) prim__text_add(out, " ");
}

static void add_post_op(text_buffer_t *out, const post_op_t *entry)
{
    char tag[64];
    switch (entry->kind) {
    case PRIM_SUM:
        prim__text_add(out, "sum:%g:%d:%s", (double)entry->scale, (int)entry->zero_point,
                prim_data_type_name(entry->data_type));
        break;
    case PRIM_ELTWISE:
        prim__text_add(out, "%s:%g:%g", prim_alg_kind_name(entry->alg), (double)entry->alpha,
                (double)entry->beta);
        break;
    case PRIM_BINARY:
        prim__md_tag_text(&entry->src1_md, tag);
        prim__text_add(out, "%s:%s:", prim_alg_kind_name(entry->alg),
                prim_data_type_name(entry->src1_md.data_type));
        prim__text_add_dims(out, entry->src1_md.ndims, entry->src1_md.dims);
        prim__text_add(out, ":%s", tag);
        break;
    case PRIM_CONVOLUTION:
        prim__text_add(out, "dw:k%llds%lldp%lld:%s", (long long)entry->kernel,
                (long long)entry->stride, (long long)entry->padding,
                prim_data_type_name(entry->data_type));
        break;
    default: prim__text_add(out, "prelu:%d", entry->mask); break;
    }
}

static void add_attr(text_buffer_t *out, const prim_desc_t *pd)
{
    static const char *const fpmath[] = {"strict", "bf16", "f16", "any", "tf32"};
    static const char *const accumulation[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};
    const prim_attr_t *const attr = &pd->attr;
    const size_t start = out->len;
    if (attr->scratchpad_mode == PRIM_SCRATCHPAD_USER) prim__text_add(out, "attr-scratchpad:user ");
    if (attr->fpmath_mode != PRIM_FPMATH_STRICT)
        prim__text_add(out, "attr-fpmath:%s%s ", fpmath[attr->fpmath_mode],
                attr->fpmath_applies_to_int ? ":true" : "");
    if (attr->accumulation_mode != PRIM_ACCUMULATION_STRICT)
        prim__text_add(out, "attr-acc-mode:%s ", accumulation[attr->accumulation_mode]);
    if (attr->is_deterministic) prim__text_add(out, "attr-deterministic:true ");
    add_quants(out, pd, "attr-scales", attr->scales, attr->nscales);
    add_quants(out, pd, "attr-zero-points", attr->zero_points, attr->nzero_points);
    for (int i = 0; i < attr->post_ops.len; ++i) {
        prim__text_add(out, i == 0 ? "attr-post-ops:" : "+");
        add_post_op(out, &attr->post_ops.entries[i]);
    }
    if (out->len > start && out->text[out->len - 1] == ' ') out->text[--out->len] = '\0';
}

/// "alpha:0.5"; parameters with several values appear in the command alone.
static void add_parameter(text_buffer_t *out, const op_desc_t *op, const param_rule_t *param)
{
    const void *const value = (const char *)op + param->offset;
    if (param->type == PARAM_INT)
        prim__text_add(out, "%s:%d", param->name, *(const int *)value);
    else if (param->type == PARAM_INT64)
        prim__text_add(out, "%s:%lld", param->name, (long long)*(const int64_t *)value);
    else if (param->type == PARAM_FLAGS)
        prim__text_add(out, "%s:%u", param->name, *(const unsigned *)value);
    else if (param->type == PARAM_FLOAT)
        prim__text_add(out, "%s:%g", param->name, (double)*(const float *)value);
}

static void add_parameters(text_buffer_t *out, const op_desc_t *op)
{
    const size_t start = out->len;
    if (op->alg_kind != PRIM_ALG_UNDEF)
        prim__text_add(out, "alg:%s", prim_alg_kind_name(op->alg_kind));
    const param_rule_t *param = prim__schema_of(op)->params;
    for (; param && param->name; ++param) {
        if (!param->is_logged) continue;
        if (out->len > start) prim__text_add(out, " ");
        add_parameter(out, op, param);
    }
}

void prim__verbose_describe(const prim_desc_t *pd, char *text, size_t text_bytes)
{
    text_buffer_t out = prim__text_buffer(text, text_bytes);
    prim__text_add(&out, "%s%s%s,%s,%s,%s,", prim_engine_kind_name(pd->engine->ops->kind),
            pd->peer ? "+" : "", pd->peer ? prim_engine_kind_name(pd->peer->ops->kind) : "",
            prim_primitive_kind_name(pd->op.kind), prim__pd_name(pd),
            prim_prop_kind_name(pd->op.prop_kind));
    for (int i = 0; i < pd->ntensors; ++i) {
        if (i > 0) prim__text_add(&out, " ");
        add_tensor(&out, pd, &pd->tensors[i]);
    }
    prim__text_add(&out, ",");
    add_attr(&out, pd);
    prim__text_add(&out, ",");
    add_parameters(&out, &pd->op);
    prim__text_add(&out, ",");
    prim__verbose_repro(pd, out.text + out.len, out.bytes - out.len);
}
