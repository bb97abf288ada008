// SPDX-License-Identifier: Apache-2.0
// The columns of a log line: engine, operation, implementation, tensors, attributes, parameters,
// command.
#include "verbose.h"

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "desc_storage.h"
#include "verbose_attr.h"
#include "verbose_repro.h"

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
    prim__verbose_add_arg_name(out, pd, tensor->arg, "");
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
    prim__verbose_attr(&out, pd);
    prim__text_add(&out, ",");
    add_parameters(&out, &pd->op);
    prim__text_add(&out, ",");
    prim__verbose_repro(pd, out.text + out.len, out.bytes - out.len);
}
