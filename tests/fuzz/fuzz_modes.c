// SPDX-License-Identifier: Apache-2.0
// Attributes and chains of post-ops beside what they must hold: getters return what was set last,
// refused settings change nothing, and copies are independent.
#include <string.h>

#include "fuzz_world.h"

enum { NARGS = 3, MOST_ENTRIES = 5 };

static const int quant_args[NARGS] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};

typedef struct {
    int mask, ngroups;
    prim_dim_t groups[2];
    prim_data_type_t dt;
} quant_t;

typedef struct {
    int scratchpad, fpmath, accumulation, tune;
    bool applies_to_int, is_deterministic;
    quant_t quants[2][NARGS]; ///< scales, zero points
} modes_t;

/// A mode, or now and then a number that is none.
static int draw_mode(fuzz_input_t *in, int n)
{
    const int any = (int)fuzz_number(in), mode = fuzz_below(in, n);
    return fuzz_seldom(in, 4) ? any : mode;
}

/// Keeps a mode that was taken; of n modes from 0 on.
static void keep(int *kept, prim_status_t status, int mode, int n)
{
    const bool is_right = mode >= 0 && mode < n;
    fuzz_expect(__func__, status, is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    if (is_right) *kept = mode;
}

static void set_quant(prim_attr_t *attr, modes_t *modes, fuzz_input_t *in)
{
    static const prim_data_type_t types[2][3] = {
            {PRIM_F32, PRIM_F16, PRIM_BF16}, {PRIM_S32, PRIM_S8, PRIM_U8}};
    const int kind = fuzz_below(in, 2), i = fuzz_below(in, NARGS);
    quant_t q = {.mask = fuzz_below(in, 8), .ngroups = fuzz_seldom(in, 3) ? 2 : 0};
    if (fuzz_seldom(in, 8)) q.mask = (int)fuzz_number(in);
    if (fuzz_seldom(in, 8)) q.ngroups = fuzz_below(in, 5) - 1;
    q.dt = fuzz_seldom(in, 8) ? fuzz_type(in) : types[kind][fuzz_below(in, 3)];
    prim_dim_t given[2] = {1 + fuzz_below(in, 9), 1 + fuzz_below(in, 9)};
    if (fuzz_seldom(in, 8)) given[0] = fuzz_number(in);
    const prim_dim_t *const groups = q.ngroups > 0 ? given : NULL;
    const prim_status_t status =
            kind ? prim_attr_set_zero_points(attr, quant_args[i], q.mask, q.ngroups, groups, q.dt)
                 : prim_attr_set_scales(attr, quant_args[i], q.mask, q.ngroups, groups, q.dt);
    fuzz_check_status(status);
    if (status != PRIM_SUCCESS) return;
    FUZZ_PROMISE((q.ngroups == 0 || q.ngroups == 2) && q.mask >= 0,
            "groups have two dimensions, masks no sign");
    if (groups) memcpy(q.groups, groups, sizeof q.groups);
    modes->quants[kind][i] = q;
}

static void set_mode(prim_attr_t *attr, modes_t *modes, fuzz_input_t *in)
{
    const int what = fuzz_below(in, 6);
    const bool is_on = fuzz_seldom(in, 2);
    static const int nmodes[] = {2, 5, 6, 3};
    const int mode = what < 4 ? draw_mode(in, nmodes[what]) : 0;
    if (what == 0)
        keep(&modes->scratchpad, prim_attr_set_scratchpad_mode(attr, (prim_scratchpad_mode_t)mode),
                mode, 2);
    else if (what == 1) {
        keep(&modes->fpmath, prim_attr_set_fpmath_mode(attr, (prim_fpmath_mode_t)mode, is_on), mode,
                5);
        if (mode >= 0 && mode < 5) modes->applies_to_int = is_on;
    } else if (what == 2)
        keep(&modes->accumulation,
                prim_attr_set_accumulation_mode(attr, (prim_accumulation_mode_t)mode), mode, 6);
    else if (what == 3)
        keep(&modes->tune, prim_attr_set_tune(attr, (prim_tune_mode_t)mode), mode, 3);
    else if (what == 4) {
        fuzz_expect(__func__, prim_attr_set_deterministic(attr, is_on), PRIM_SUCCESS);
        modes->is_deterministic = is_on;
    } else
        set_quant(attr, modes, in);
}

static bool has_modes(const prim_attr_t *attr, const modes_t *modes)
{
    prim_scratchpad_mode_t scratchpad;
    prim_fpmath_mode_t fpmath;
    prim_accumulation_mode_t accumulation;
    prim_tune_mode_t tune;
    bool applies_to_int, is_deterministic;
    fuzz_expect(__func__, prim_attr_get_scratchpad_mode(attr, &scratchpad), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_get_fpmath_mode(attr, &fpmath, &applies_to_int), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_get_accumulation_mode(attr, &accumulation), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_get_tune(attr, &tune), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_get_deterministic(attr, &is_deterministic), PRIM_SUCCESS);
    return (int)scratchpad == modes->scratchpad && (int)fpmath == modes->fpmath &&
           (int)accumulation == modes->accumulation && (int)tune == modes->tune &&
           applies_to_int == modes->applies_to_int && is_deterministic == modes->is_deterministic;
}

static bool has_quants(const prim_attr_t *attr, const modes_t *modes)
{
    bool is_same = true;
    for (int i = 0; i < 2 * NARGS; ++i) {
        const quant_t *const q = &modes->quants[i % 2][i / 2];
        const int arg = quant_args[i / 2];
        quant_t got = {.mask = -1, .groups = {-1, -1}};
        fuzz_expect(__func__,
                i % 2 ? prim_attr_get_zero_points(
                                attr, arg, &got.mask, &got.ngroups, got.groups, &got.dt)
                      : prim_attr_get_scales(
                                attr, arg, &got.mask, &got.ngroups, got.groups, &got.dt),
                PRIM_SUCCESS);
        is_same = is_same && got.mask == q->mask && got.ngroups == q->ngroups && got.dt == q->dt &&
                  got.groups[0] == q->groups[0] && got.groups[1] == q->groups[1];
    }
    return is_same;
}

void fuzz_call_attr(fuzz_input_t *in)
{
    prim_attr_t *attr = NULL, *copy = NULL;
    prim_fpmath_mode_t fpmath;
    prim_tune_mode_t tune;
    modes_t modes = {0};
    fuzz_expect(__func__, prim_get_default_fpmath_mode(&fpmath), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_get_default_tune(&tune), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_create(&attr), PRIM_SUCCESS);
    modes.fpmath = (int)fpmath;
    modes.tune = (int)tune;
    for (int n = fuzz_below(in, 8); n > 0; --n) set_mode(attr, &modes, in);
    fuzz_expect(__func__, prim_attr_clone(&copy, attr), PRIM_SUCCESS);
    const modes_t copied = modes;
    for (int n = fuzz_below(in, 4); n > 0; --n) set_mode(attr, &modes, in);
    FUZZ_PROMISE(
            has_modes(attr, &modes) && has_quants(attr, &modes), "getters return what was set");
    prim_attr_destroy(attr);
    FUZZ_PROMISE(has_modes(copy, &copied) && has_quants(copy, &copied), "copies are independent");
    prim_attr_destroy(copy);
}

typedef struct {
    prim_primitive_kind_t kind;
    prim_alg_kind_t alg;
    float a, b;
    int32_t number; ///< zero point of a sum, mask of a prelu
    prim_data_type_t types[3];
    prim_dim_t window[3];
    prim_memory_desc_t md;
    prim_memory_desc_t condition; ///< of a select
} entry_t;

typedef struct {
    int n;
    entry_t entries[MOST_ENTRIES];
} chain_t;

static prim_status_t append(prim_post_ops_t *chain, const entry_t *e)
{
    switch (e->kind) {
    case PRIM_SUM: return prim_post_ops_append_sum(chain, e->a, e->number, e->types[0]);
    case PRIM_ELTWISE: return prim_post_ops_append_eltwise(chain, e->alg, e->a, e->b);
    case PRIM_PRELU: return prim_post_ops_append_prelu(chain, e->number);
    case PRIM_BINARY:
        return prim_post_ops_append_binary_v2(
                chain, e->alg, &e->md, e->alg == PRIM_BINARY_SELECT ? &e->condition : NULL);
    default:
        return prim_post_ops_append_dw(chain, e->types[0], e->types[1], e->types[2], e->window[0],
                e->window[1], e->window[2]);
    }
}

static entry_t draw_entry(fuzz_input_t *in)
{
    static const prim_primitive_kind_t kinds[] = {
            PRIM_SUM, PRIM_ELTWISE, PRIM_PRELU, PRIM_BINARY, PRIM_CONVOLUTION};
    entry_t e = {.kind = kinds[fuzz_below(in, 5)], .a = fuzz_float(in), .b = fuzz_float(in)};
    e.number = fuzz_seldom(in, 8) ? (int32_t)fuzz_number(in) : fuzz_below(in, 16);
    for (int i = 0; i < 3; ++i) e.types[i] = fuzz_type(in);
    e.window[0] = fuzz_seldom(in, 8) ? fuzz_number(in) : 3;
    e.window[1] = fuzz_seldom(in, 8) ? fuzz_number(in) : 1 + fuzz_below(in, 2);
    e.window[2] = fuzz_seldom(in, 8) ? fuzz_number(in) : fuzz_below(in, 3);
    e.md = fuzz_tensor_md();
    if (e.kind == PRIM_ELTWISE) e.alg = (prim_alg_kind_t)(PRIM_ELTWISE_RELU + fuzz_below(in, 40));
    if (e.kind == PRIM_BINARY) e.alg = (prim_alg_kind_t)(PRIM_BINARY_ADD + fuzz_below(in, 20));
    if (fuzz_seldom(in, 8)) fuzz_md(&e.md, in);
    e.condition = e.md;
    if (!fuzz_seldom(in, 8)) e.condition.data_type = PRIM_S8;
    return e;
}

/// Whether floats are the same, NaN too.
static bool is_same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool has_entry(const prim_post_ops_t *chain, int i, const entry_t *e)
{
    entry_t got = *e;
    const prim_memory_desc_t *md = NULL, *condition = NULL;
    prim_status_t status;
    switch (e->kind) {
    case PRIM_SUM:
        status = prim_post_ops_get_params_sum(chain, i, &got.a, &got.number, &got.types[0]);
        break;
    case PRIM_ELTWISE:
        status = prim_post_ops_get_params_eltwise(chain, i, &got.alg, &got.a, &got.b);
        break;
    case PRIM_PRELU: status = prim_post_ops_get_params_prelu(chain, i, &got.number); break;
    case PRIM_BINARY:
        status = prim_post_ops_get_params_binary_v2(chain, i, &got.alg, &md, &condition);
        break;
    default:
        status = prim_post_ops_get_params_dw(chain, i, &got.types[0], &got.types[1], &got.types[2],
                &got.window[0], &got.window[1], &got.window[2]);
    }
    return status == PRIM_SUCCESS && prim_post_ops_get_kind(chain, i) == e->kind &&
           got.alg == e->alg && is_same(got.a, e->a) && is_same(got.b, e->b) &&
           got.number == e->number && memcmp(got.types, e->types, sizeof e->types) == 0 &&
           memcmp(got.window, e->window, sizeof e->window) == 0 &&
           (!md || prim_memory_desc_equal(md, &e->md)) &&
           (!condition || prim_memory_desc_equal(condition, &e->condition));
}

static bool has_chain(const prim_post_ops_t *chain, const chain_t *kept)
{
    bool is_right = prim_post_ops_len(chain) == kept->n &&
                    prim_post_ops_get_kind(chain, kept->n) == PRIM_PRIMITIVE_UNDEF &&
                    prim_post_ops_get_kind(chain, -1) == PRIM_PRIMITIVE_UNDEF;
    for (int i = 0; i < kept->n; ++i) is_right = is_right && has_entry(chain, i, &kept->entries[i]);
    return is_right;
}

static void append_some(prim_post_ops_t *chain, chain_t *kept, fuzz_input_t *in, int n)
{
    for (; n > 0 && kept->n < MOST_ENTRIES; --n) {
        const entry_t e = draw_entry(in);
        const prim_status_t status = append(chain, &e);
        fuzz_check_status(status);
        if (status == PRIM_SUCCESS) kept->entries[kept->n++] = e;
    }
}

/// What the attributes hold of the chain, and that NULL clears it.
static void give_to_attr(const prim_post_ops_t *chain, const chain_t *kept, bool clears)
{
    prim_attr_t *attr = NULL;
    const prim_post_ops_t *got = NULL;
    fuzz_expect(__func__, prim_attr_create(&attr), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    if (clears) fuzz_expect(__func__, prim_attr_set_post_ops(attr, NULL), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_get_post_ops(attr, &got), PRIM_SUCCESS);
    FUZZ_PROMISE(clears ? prim_post_ops_len(got) == 0 : has_chain(got, kept),
            "attributes hold the chain that was set");
    prim_attr_destroy(attr);
}

void fuzz_call_chain(fuzz_input_t *in)
{
    prim_post_ops_t *chain = NULL, *copy = NULL;
    chain_t kept = {0};
    fuzz_expect(__func__, prim_post_ops_create(&chain), PRIM_SUCCESS);
    append_some(chain, &kept, in, fuzz_below(in, 5));
    fuzz_expect(__func__, prim_post_ops_clone(&copy, chain), PRIM_SUCCESS);
    const chain_t copied = kept;
    append_some(chain, &kept, in, fuzz_below(in, 3));
    give_to_attr(chain, &kept, fuzz_seldom(in, 4));
    FUZZ_PROMISE(has_chain(chain, &kept), "a chain holds what was appended");
    prim_post_ops_destroy(chain);
    FUZZ_PROMISE(has_chain(copy, &copied), "copies are independent");
    prim_post_ops_destroy(copy);
}
