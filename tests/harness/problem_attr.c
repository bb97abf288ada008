// SPDX-License-Identifier: Apache-2.0
// Draws of attributes: chains of post-ops, scales, zero points, modes.
#include <stdio.h>
#include <string.h>

#include "common/ops/schema.h"
#include "problem_draw.h"

/// Sums may read dst as another type of its size.
static const char *other_type(const char *ddt)
{
    static const char *const pairs[][2] = {{"f32", "s32"}, {"s32", "f32"}, {"f16", "bf16"},
            {"bf16", "f16"}, {"s8", "u8"}, {"u8", "s8"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        if (strcmp(ddt, pairs[i][0]) == 0) return pairs[i][1];
    return NULL;
}

static void put_sum(draw_t *d, const char *ddt)
{
    note(d, "sum");
    put(d, "sum");
    const uint32_t kind = pick(d, 4);
    if (kind == 0) return;
    static const char *const scales[] = {"0.5", "2", "0.25"};
    note(d, "sum=scale");
    put(d, ":%s", PICK(d, scales));
    if (kind == 1) return;
    // Zero points are of integers.
    const bool has_zero_point = is_integer_type(ddt);
    if (has_zero_point) note(d, "sum=zero_point");
    put(d, ":%s", has_zero_point ? "3" : "0");
    const char *const type = other_type(ddt);
    if (kind == 2 || !type) return;
    note(d, "sum=dt:%s", type);
    put(d, ":%s", type);
}

/// With parameters under which results are neither all equal nor beyond the types.
static void put_eltwise(draw_t *d, bool has_exact_source)
{
    static const char *const steps[] = {"relu", "relu:0.5", "tanh", "elu:0.5", "square", "abs",
            "linear:2:1", "soft_relu:1", "hardsigmoid:0.0078125:0.5", "logistic", "clip:-8:8+exp",
            "gelu_tanh", "gelu_erf", "swish:0.5", "clip:-2:3", "clip_v2:-2:3", "mish",
            "hardswish:0.0078125:0.5", "relu_dst:0.5", "tanh_dst", "elu_dst:0.5", "logistic_dst",
            "clip:-8:8+exp_dst", "clip_v2_dst:-2:3", "sqrt", "log", "pow:0.5:2", "sqrt_dst"};
    // The last ones jump where a rounding error may decide on which side of 0 they are asked.
    enum { NBORDERS = 4 };
    const uint32_t n = sizeof steps / sizeof *steps - (has_exact_source ? 0 : NBORDERS);
    const char *const step = steps[pick(d, n)], *const plus = strchr(step, '+');
    const char *const name = plus ? plus + 1 : step; // powers of e stay far from the largest float
    note(d, "eltwise=%.*s", (int)strcspn(name, ":"), name);
    put(d, "%s", step);
}

/// Behind one binary step in four a select follows. A generator of its own draws it, so that all
/// else is drawn as if there were none.
static void put_select(draw_t *d, int ndims)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "s8", "u8", "s32"};
    static const char *const policies[] = {
            "common", "per_oc", "per_tensor", "per_dim_0", "per_dim_01", "per_dim_2"};
    draw_t own = *d;
    own.style = ~d->style;
    if (!once_in(&own, 4)) return;
    const uint32_t npolicies = ndims > 2 ? 6 : ndims == 2 ? 5 : 1;
    const char *const type = PICK(&own, types), *const policy = policies[pick(&own, npolicies)];
    const char *const condition = policies[pick(&own, npolicies)];
    note(d, "binary=select");
    note(d, "condition=%s", condition);
    put(d, "+select:%s:%s:any:%s", type, policy, condition);
    if (ndims >= 3 && once_in(&own, 4)) put(d, ":axb");
}

static void put_binary(draw_t *d, bool may_compare, int ndims)
{
    static const char *const algs[] = {
            "add", "sub", "mul", "div", "max", "min", "ge", "gt", "le", "lt", "eq", "ne"};
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "s8", "u8", "s32"};
    static const char *const policies[] = {
            "common", "per_oc", "per_tensor", "per_dim_0", "per_dim_01", "per_dim_2"};
    // A comparison of what is rounded may come out either way: only of the operation's own result.
    const char *const alg = algs[pick(d, may_compare ? 12 : 6)], *const type = PICK(d, types);
    const char *const policy = policies[pick(d, ndims > 2 ? 6 : ndims == 2 ? 5 : 1)];
    note(d, "binary=%s", alg);
    note(d, "operand-dt=%s", type);
    note(d, "operand=%s", policy);
    put(d, "%s:%s:%s", alg, type, policy);
    if (ndims < 3 || !once_in(d, 4)) return;
    static const char *const tags[] = {"axb", "aBx8b"};
    const char *const tag = PICK(d, tags);
    note(d, "operand-tag=%s", tag);
    put(d, ":%s", tag);
}

unsigned allowed_steps(const draw_t *d)
{
    static const struct {
        unsigned allowed, step;
    } kinds[] = {{ALLOW_ELTWISE, CHAIN_ELTWISE}, {ALLOW_BINARY, CHAIN_BINARY},
            {ALLOW_SUM, CHAIN_SUM}, {ALLOW_PRELU, CHAIN_PRELU}};
    unsigned steps = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (d->schema->post_ops & kinds[i].allowed) steps |= kinds[i].step;
    return steps;
}

void draw_chain(draw_t *d, unsigned kinds, const char *ddt, int ndims)
{
    put(d, " --attr-post-ops=");
    const bool is_empty = once_in(d, 4) || !(kinds & CHAIN_STEPS);
    const int n = is_empty ? 0 : 1 + (int)pick(d, 3);
    note(d, "steps=%d", n);
    bool has_sum = false, is_smooth = false;
    for (int i = 0; i < n; ++i) {
        unsigned kind = 0;
        while (!(kind & kinds)) kind = 1u << pick(d, 4);
        // One function that is not exact is enough to find a wrong order or argument, and keeps the
        // error of the whole within what one step explains.
        if ((kind == CHAIN_SUM && has_sum) || (kind == CHAIN_ELTWISE && is_smooth)) {
            if (!(kinds & CHAIN_BINARY)) break;
            kind = CHAIN_BINARY;
        }
        put(d, "%s", i ? "+" : "");
        if (kind == CHAIN_SUM) put_sum(d, ddt);
        if (kind == CHAIN_ELTWISE) put_eltwise(d, kinds & CHAIN_ORDER);
        if (kind == CHAIN_BINARY) {
            put_binary(d, i == 0 && (kinds & CHAIN_ORDER), ndims);
            put_select(d, ndims);
        }
        if (kind == CHAIN_PRELU) {
            static const char *const policies[] = {"common", "per_oc", "per_tensor"};
            const char *const policy = policies[pick(d, ndims > 1 ? 3 : 1)];
            note(d, "prelu=%s", policy);
            put(d, "prelu:%s", policy);
        }
        has_sum = has_sum || kind == CHAIN_SUM;
        is_smooth = is_smooth || kind == CHAIN_ELTWISE;
    }
}

/// arg:policy[:value]:dt[:groups]
static void put_quant(draw_t *d, const char *what, const char *const *policies, const char *arg,
        const char *value, const char *type)
{
    int n = 0;
    while (n < 6 && policies[n]) ++n;
    const char *const policy = policies[pick(d, (uint32_t)n)];
    const char *const groups = strchr(policy, '/');
    const int length = (int)strcspn(policy, "/");
    note(d, "%s=%s:%s", what, arg, policy);
    note(d, "%s-dt=%s:%s", what, arg, type);
    put(d, "%s:%.*s", arg, length, policy);
    if (strncmp(policy, "common", 6) == 0) put(d, ":%s", value);
    put(d, ":%s", type);
    if (groups) put(d, ":%s", groups + 1);
}

/// The policies of a tensor's masks; of channels, `per_channel`. Masks of any dimensions and groups
/// are drawn by families that know the shape.
static void add_policies(quant_choice_t *choice, unsigned masks, const char *per_channel)
{
    int n = 0;
    if (masks & MASK_COMMON) choice->policies[n++] = "common";
    if (masks & MASK_OUTPUTS) choice->policies[n++] = "per_oc";
    if (masks & MASK_CHANNELS) choice->policies[n++] = per_channel;
}

/// What the schema says of scales or zero points, but those of a depthwise post-op.
static void read_schema(quant_choice_t *choices, const draw_t *d, bool is_scale)
{
    for (const tensor_rule_t *rule = d->schema->tensors; rule->arg != PRIM_ARG_UNDEF; ++rule) {
        const unsigned masks = is_scale ? rule->scales : rule->zero_points;
        if (masks == 0 || rule->flags & TENSOR_REPEATED || rule->maker == MADE_BY_POST_OP) continue;
        *choices = (quant_choice_t){.arg = prim__rule_log_name(rule)};
        add_policies(choices++, masks, is_scale ? "per_oc" : "per_dim_1");
    }
    *choices = (quant_choice_t){.arg = NULL};
}

void draw_scales(draw_t *d, const quant_choice_t *choices)
{
    quant_choice_t allowed[MAX_RULES + 1];
    if (!choices) read_schema(allowed, d, true);
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const values[] = {"0.5", "2", "0.25"};
    const char *separator = " --attr-scales=";
    for (const quant_choice_t *c = choices ? choices : allowed; c->arg; ++c) {
        if (once_in(d, 2)) continue;
        put(d, "%s", separator);
        separator = "+";
        const char *const value = PICK(d, values);
        put_quant(d, "scale", c->policies, c->arg, value, PICK(d, types));
    }
}

void draw_zero_points(draw_t *d, const quant_choice_t *choices)
{
    quant_choice_t allowed[MAX_RULES + 1];
    if (!choices) read_schema(allowed, d, false);
    static const char *const types[] = {"s32", "s32", "s8", "u8"};
    const char *separator = " --attr-zero-points=";
    for (const quant_choice_t *c = choices ? choices : allowed; c->arg; ++c) {
        if (once_in(d, 2)) continue;
        put(d, "%s", separator);
        separator = "+";
        put_quant(d, "zero_point", c->policies, c->arg, "3", PICK(d, types));
    }
}

void draw_modes(draw_t *d)
{
    static const char *const fpmath[] = {"bf16", "f16", "tf32", "any"};
    static const char *const accumulation[] = {"relaxed", "any", "f32"};
    if (once_in(d, 6)) set(d, "attr-fpmath", PICK(d, fpmath));
    if (once_in(d, 6)) set(d, "attr-acc-mode", PICK(d, accumulation));
    if (once_in(d, 4)) set(d, "attr-scratchpad", "user");
}
