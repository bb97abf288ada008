// SPDX-License-Identifier: Apache-2.0
// The words of benchdnn for algorithms and attributes. The values of scales and zero points, known
// at execution only, are replaced by ones that do something.
#include <string.h>

#include "verbose_repro.h"

int prim__repro_broadcast_mask(const prim_memory_desc_t *md, const prim_memory_desc_t *full)
{
    int mask = 0;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1 && md->dims[d] == full->dims[d]) mask |= 1 << d;
    return mask;
}

void prim__repro_add_alg(text_buffer_t *out, const char *option, prim_alg_kind_t alg)
{
    static const char *const prefixes[] = {"eltwise_", "binary_", "resampling_"};
    static const char ending[] = "_use_dst_for_bwd";
    const char *name = prim_alg_kind_name(alg);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0) name += len;
    }
    const char *const end = strstr(name, ending);
    if (end)
        prim__text_add(out, "%s%.*s_dst", option, (int)(end - name), name);
    else
        prim__text_add(out, "%s%s", option, name);
}

/// The word for a mask over the dimensions of `arg`.
static const char *policy_of(const prim_desc_t *pd, int arg, int mask)
{
    const prim_primitive_kind_t kind = pd->op.kind;
    const int ndims = prim__pd_md(pd, arg)->ndims;
    if (mask == 0) return "common";
    if (kind == PRIM_MATMUL) {
        if (mask == 1 << (ndims - 1)) return "per_oc";
        return mask == 3 << (ndims - 2) ? "per_ocic" : "per_tensor";
    }
    if (arg == PRIM_ARG_WEIGHTS && (kind == PRIM_CONVOLUTION || kind == PRIM_INNER_PRODUCT))
        return "per_oc";
    switch (mask) {
    case 1: return "per_dim_0";
    case 2: return "per_dim_1";
    case 3: return "per_dim_01";
    case 4: return "per_dim_2";
    case 8: return "per_dim_3";
    default: return "per_tensor";
    }
}

static void add_arg_name(text_buffer_t *out, const prim_desc_t *pd, int arg)
{
    if (arg == PRIM_ARG_SRC_0)
        prim__text_add(out, pd->op.kind == PRIM_BINARY ? "src0" : "src");
    else if (arg == PRIM_ARG_SRC_1)
        prim__text_add(out, "src1");
    else if (arg == PRIM_ARG_WEIGHTS)
        prim__text_add(out, "wei");
    else if (arg == PRIM_ARG_DST)
        prim__text_add(out, "dst");
    else
        prim__text_add(out, "msrc%d", arg - PRIM_ARG_MULTIPLE_SRC);
}

static void add_quants(text_buffer_t *out, const prim_desc_t *pd, const char *option,
        const char *common_value, const quant_t *quants, int nquants)
{
    for (int i = 0; i < nquants; i++) {
        const quant_t *const quant = &quants[i];
        prim__text_add(out, "%s", i == 0 ? option : "+");
        add_arg_name(out, pd, quant->arg);
        prim__text_add(out, ":%s%s:%s", policy_of(pd, quant->arg, quant->mask),
                quant->mask == 0 ? common_value : "", prim_data_type_name(quant->data_type));
        if (quant->ngroups > 0) {
            prim__text_add(out, ":");
            prim__text_add_dims(out, quant->ngroups, quant->groups);
        }
    }
}

static void add_post_op(text_buffer_t *out, const prim_desc_t *pd, const post_op_t *entry)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
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
    default: prim__text_add(out, "prelu:%s", policy_of(pd, PRIM_ARG_DST, entry->mask)); break;
    }
}

void prim__repro_add_attr(text_buffer_t *out, const prim_desc_t *pd)
{
    static const char *const fpmath[] = {"strict", "bf16", "f16", "any", "tf32"};
    static const char *const accumulation[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};
    const prim_attr_t *const attr = &pd->attr;
    add_quants(out, pd, " --attr-scales=", ":0.5", attr->scales, attr->nscales);
    add_quants(out, pd, " --attr-zero-points=", ":1", attr->zero_points, attr->nzero_points);
    for (int i = 0; i < attr->post_ops.len; i++) {
        prim__text_add(out, i == 0 ? " --attr-post-ops=" : "+");
        add_post_op(out, pd, &attr->post_ops.entries[i]);
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
