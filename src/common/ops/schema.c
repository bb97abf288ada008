// SPDX-License-Identifier: Apache-2.0
// Look-ups in a schema.
#include "schema.h"

direction_t prim__direction_of(prim_prop_kind_t prop_kind)
{
    if (prop_kind == PRIM_BACKWARD_WEIGHTS || prop_kind == PRIM_BACKWARD_BIAS)
        return BACKWARD_WEIGHTS;
    return prop_kind == PRIM_BACKWARD || prop_kind == PRIM_BACKWARD_DATA ? BACKWARD : FORWARD;
}

static bool contains(const prim_alg_kind_t *algs, prim_alg_kind_t alg)
{
    while (*algs != PRIM_ALG_UNDEF && *algs != alg) ++algs;
    return *algs != PRIM_ALG_UNDEF;
}

bool prim__rule_applies(const tensor_rule_t *rule, const op_desc_t *op)
{
    const presence_t *const when = &rule->when;
    if (when->any_flag != 0 && !(op->u.norm.flags & when->any_flag)) return false;
    if (when->no_flag != 0 && (op->u.norm.flags & when->no_flag)) return false;
    if (when->algs && !contains(when->algs, op->alg_kind)) return false;
    return when->prop_kind == PRIM_PROP_KIND_UNDEF || when->prop_kind == op->prop_kind;
}

static bool is_of(const tensor_rule_t *rule, int arg)
{
    if (!(rule->flags & TENSOR_REPEATED)) return rule->arg == arg;
    return arg >= rule->arg && arg - rule->arg < MAX_REPEATED;
}

/// No tensor of its own: the name of dst in scales and zero points where a depthwise post-op stands
/// between it and what PRIM_ARG_DST names there.
static const tensor_rule_t depthwise_dst = {.arg = PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST,
        .name = "depthwise dst",
        .log_name = "attr_post_op_dw_dst",
        .maker = MADE_BY_POST_OP,
        .scales = MASK_COMMON,
        .zero_points = MASK_COMMON};

const tensor_rule_t *prim__schema_rule(const op_schema_t *schema, int arg)
{
    if (schema->fuse && arg == depthwise_dst.arg) return &depthwise_dst;
    for (const tensor_rule_t *rule = schema->tensors; rule->arg != PRIM_ARG_UNDEF; ++rule)
        if (is_of(rule, arg)) return rule;
    return NULL;
}

const char *prim__rule_log_name(const tensor_rule_t *rule)
{
    return rule->log_name ? rule->log_name : rule->name;
}

int prim__schema_nrules(const op_schema_t *schema)
{
    int n = 0;
    while (schema->tensors[n].arg != PRIM_ARG_UNDEF) ++n;
    return n;
}

const param_rule_t *prim__schema_param(const op_schema_t *schema, prim_query_t query)
{
    for (const param_rule_t *param = schema->params; param && param->name; ++param)
        if (param->query == query) return param;
    return NULL;
}

bool prim__schema_takes_alg(const prim_alg_kind_t *algs, prim_alg_kind_t alg)
{
    return !algs || contains(algs, alg);
}

const impl_t *const *prim__schema_list(const op_schema_t *schema, prim_engine_kind_t engine)
{
    static const impl_t *const none[] = {NULL};
    return schema && schema->lists[engine] ? schema->lists[engine] : none;
}
