// SPDX-License-Identifier: Apache-2.0
// Attributes against a schema: which kinds an operation takes, and the masks of scales and zero
// points in terms of each tensor's own dimensions.
#include "schema_attr.h"

#include "common/post_ops_check.h"
#include "schema.h"

/// Scales or zero points: what the rules say of them, and the word for them.
typedef struct {
    const char *what;
    size_t masks_offset; ///< in tensor_rule_t
} quant_sort_t;

static const quant_sort_t scales = {"scales", offsetof(tensor_rule_t, scales)};
static const quant_sort_t zero_points = {"zero points", offsetof(tensor_rule_t, zero_points)};

static unsigned masks_of(const tensor_rule_t *rule, const quant_sort_t *sort)
{
    return *(const unsigned *)(const void *)((const char *)rule + sort->masks_offset);
}

/// The bits of the output channels in the mask of weights.
static int output_bits(const shapes_t *shapes, const prim_memory_desc_t *wei)
{
    return wei->ndims > shapes->mds[0]->ndims ? 3 : 1;
}

static bool takes_mask(
        unsigned masks, const quant_t *quant, const shapes_t *shapes, const prim_memory_desc_t *md)
{
    if (quant->mask == 0) return masks & (MASK_COMMON | MASK_ANY);
    if (masks & MASK_CHANNELS && quant->mask == 2) return true;
    if (masks & MASK_OUTPUTS && quant->mask == output_bits(shapes, md)) return true;
    return masks & MASK_ANY && quant->mask >> md->ndims == 0;
}

/// Groups divide the last two dimensions as far as these are known.
static prim_status_t check_groups(const shapes_t *shapes, const quant_sort_t *sort,
        const quant_t *quant, const prim_memory_desc_t *md)
{
    const char *const op = shapes->schema->name;
    if (md->ndims < quant->ngroups)
        return prim__fail(PRIM_UNIMPLEMENTED,
                "%s: %s of argument %d have groups in %d dimensions, the tensor has %d", op,
                sort->what, quant->arg, quant->ngroups, md->ndims);
    for (int i = 0; i < quant->ngroups; ++i) {
        const int d = md->ndims - quant->ngroups + i;
        const prim_dim_t group = quant->groups[i], dim = md->dims[d];
        CHECK(dim == PRIM_RUNTIME_DIM_VAL || dim % group == 0,
                "%s %s of argument %d: a group of %lld does not divide dimension %d of %lld", op,
                sort->what, quant->arg, (long long)group, d, (long long)dim);
    }
    return PRIM_SUCCESS;
}

/// dst behind a depthwise post-op; NULL: there is none.
static const prim_memory_desc_t *depthwise_dst_of(const shapes_t *shapes)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const prim_memory_desc_t *dst = NULL;
    bool has_weights = false;
    for (int i = 0; rules[i].arg != PRIM_ARG_UNDEF; ++i) {
        if (rules[i].arg == PRIM_ARG_DST) dst = shapes->mds[i];
        has_weights = has_weights || (rules[i].maker == MADE_BY_POST_OP && shapes->mds[i]);
    }
    return has_weights ? dst : NULL;
}

/// The tensor of the argument; NULL when the problem has none such.
static const prim_memory_desc_t *md_of(const shapes_t *shapes, const tensor_rule_t *rule, int arg)
{
    if (arg == (PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST)) return depthwise_dst_of(shapes);
    if (!(rule->flags & TENSOR_REPEATED)) return shapes->mds[rule - shapes->schema->tensors];
    return arg - rule->arg < shapes->nrepeated ? shapes->repeated[arg - rule->arg] : NULL;
}

static prim_status_t check_quant(
        const shapes_t *shapes, const quant_sort_t *sort, const quant_t *quant)
{
    const char *const op = shapes->schema->name;
    const tensor_rule_t *const rule = prim__schema_rule(shapes->schema, quant->arg);
    const prim_memory_desc_t *const md = rule ? md_of(shapes, rule, quant->arg) : NULL;
    const unsigned masks = rule ? masks_of(rule, sort) : 0;
    if (!md || masks == 0)
        return prim__fail(
                PRIM_UNIMPLEMENTED, "%s takes no %s for argument %d", op, sort->what, quant->arg);
    if (quant->ngroups > 0 && !(masks & MASK_GROUPS))
        return prim__fail(PRIM_UNIMPLEMENTED, "%s: %s of argument %d take no groups", op,
                sort->what, quant->arg);
    if (!takes_mask(masks, quant, shapes, md))
        return prim__fail(PRIM_UNIMPLEMENTED, "%s: %s of argument %d cannot have mask %d", op,
                sort->what, quant->arg, quant->mask);
    return check_groups(shapes, sort, quant, md);
}

static prim_status_t check_quants(
        const shapes_t *shapes, const quant_sort_t *sort, const quant_t *quants, int nquants)
{
    bool takes_any = false;
    for (const tensor_rule_t *rule = shapes->schema->tensors; rule->arg != PRIM_ARG_UNDEF; ++rule)
        takes_any = takes_any || masks_of(rule, sort) != 0;
    if (nquants > 0 && !takes_any)
        return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no %s", shapes->schema->name, sort->what);
    for (int i = 0; i < nquants; ++i) TRY(check_quant(shapes, sort, &quants[i]));
    return PRIM_SUCCESS;
}

prim_status_t prim__schema_check_attr(const shapes_t *shapes, const prim_attr_t *attr)
{
    const op_schema_t *const schema = shapes->schema;
    if (!attr) return PRIM_SUCCESS;
    TRY(check_quants(shapes, &scales, attr->scales, attr->nscales));
    TRY(check_quants(shapes, &zero_points, attr->zero_points, attr->nzero_points));
    TRY(prim__post_ops_check_kinds(&attr->post_ops, schema->name, schema->post_ops));
    for (int i = 0; i < attr->post_ops.len; ++i) {
        const post_op_t *const entry = &attr->post_ops.entries[i];
        if (entry->kind == PRIM_ELTWISE &&
                !prim__schema_takes_alg(schema->eltwise_algs, entry->alg))
            return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no %s post-op (entry %d)", schema->name,
                    prim_alg_kind_name(entry->alg), i);
    }
    return PRIM_SUCCESS;
}
