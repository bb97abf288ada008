// SPDX-License-Identifier: Apache-2.0
// Walks the product of the option lists in the documented order, the last loop fastest.
#include "bench_product.h"

#include <stdlib.h>
#include <string.h>

#include "bench_args.h"
#include "bench_descriptor.h"
#include "bench_runner.h"

#define MAX_LOOPS (BENCH_MAX_OPTIONS + SHARED_COUNT)

/// One loop of the nest: over a driver's option or over a shared one.
typedef struct {
    int own;    ///< index of the driver's option, -1 for a shared one
    int shared; ///< shared_option_t
    int count, at;
} loop_t;

typedef struct {
    int count;
    loop_t loops[MAX_LOOPS];
} nest_t;

static void add_own_loops(nest_t *nest, const settings_t *settings, bool inside_attr)
{
    const option_t *const options = settings->driver->options;
    for (int i = 0; options[i].name; ++i)
        if (options[i].inside_attr == inside_attr)
            nest->loops[nest->count++] = (loop_t){i, -1, settings->own[i].count, 0};
}

static void build_nest(nest_t *nest, const settings_t *settings)
{
    nest->count = 0;
    add_own_loops(nest, settings, false);
    for (int s = 0; s < SHARED_COUNT; ++s)
        nest->loops[nest->count++] = (loop_t){-1, s, settings->shared[s].count, 0};
    add_own_loops(nest, settings, true);
}

static const option_value_t *current_value(
        const nest_t *nest, const settings_t *settings, int option)
{
    for (int i = 0; i < nest->count; ++i)
        if (nest->loops[i].own == option)
            return list_item(&settings->own[option], nest->loops[i].at);
    return NULL;
}

/// A loop over an option that means nothing under the present values counts once.
static int effective_count(const nest_t *nest, const settings_t *settings, const loop_t *loop)
{
    if (loop->own < 0) return loop->count;
    const int needed = settings->driver->options[loop->own].needs_dt;
    if (!needed) return loop->count;
    const option_value_t *const value = current_value(nest, settings, needed - 1);
    return value->as.dt[0] == PRIM_DATA_TYPE_UNDEF ? 1 : loop->count;
}

/// Goes on to the next combination; false after the last.
static bool advance(nest_t *nest, const settings_t *settings)
{
    for (int i = nest->count - 1; i >= 0; --i) {
        loop_t *const loop = &nest->loops[i];
        if (++loop->at < effective_count(nest, settings, loop)) return true;
        loop->at = 0;
    }
    return false;
}

static void apply_shared(bench_case_t *c, shared_option_t which, const shared_value_t *value)
{
    switch (which) {
    case SHARED_SCALES: c->attr.scales = value->quant; break;
    case SHARED_ZERO_POINTS: c->attr.zero_points = value->quant; break;
    case SHARED_POST_OPS: c->attr.post_ops = value->post_ops; break;
    case SHARED_SCRATCHPAD: c->attr.scratchpad = (prim_scratchpad_mode_t)value->word; break;
    case SHARED_FPMATH:
        c->attr.fpmath = value->fpmath.mode;
        c->attr.fpmath_applies_to_int = value->fpmath.applies_to_int;
        break;
    case SHARED_ACC_MODE: c->attr.acc_mode = (prim_accumulation_mode_t)value->word; break;
    case SHARED_DETERMINISTIC: c->attr.is_deterministic = value->boolean; break;
    case SHARED_DROPOUT: memcpy(c->attr.dropout, value->text, sizeof value->text); break;
    case SHARED_ROUNDING: memcpy(c->attr.rounding, value->text, sizeof value->text); break;
    case SHARED_CTX_INIT: c->ctx_init = value->context; break;
    default: c->ctx_exe = value->context; break;
    }
}

static void apply_mb(bench_case_t *c, const settings_t *settings)
{
    const int index = driver_option_index(settings->driver, "mb");
    if (index < 0) return;
    c->mb_option = c->values[index].as.ints[0];
    if (c->mb_option > 0)
        problem_set_mb(&c->problem, settings->driver->family == FAMILY_DIMS, c->mb_option);
}

static void draw_data_class(prb_t *prb)
{
    const unsigned classes =
            prb->driver->data_classes ? prb->driver->data_classes(prb) : DATA_BIT(CLASS_SMALL);
    text_t identity = {0};
    prb->data_class = bench.data_class;
    if (bench.data_class != CLASS_AUTO) return;
    case_print_identity(&identity, prb);
    prb->data_class = data_class_draw(classes, text_string(&identity));
    text_free(&identity);
}

static bench_case_t *build_case(
        const settings_t *settings, const problem_t *problem, const nest_t *nest)
{
    bench_case_t *const c = bench_calloc(1, sizeof *c);
    c->problem = *problem;
    c->impl_filter = bench.impl_filter.is_set ? bench.impl_filter : settings->impl_filter;
    c->perf_template = bench_strdup(settings->perf_template);
    c->result.impl_name = "";
    c->prb.driver = settings->driver;
    c->prb.problem = &c->problem;
    c->prb.attr = &c->attr;
    for (int i = 0; i < nest->count; ++i) {
        const loop_t *const loop = &nest->loops[i];
        if (loop->own < 0) {
            apply_shared(c, (shared_option_t)loop->shared,
                    list_item(&settings->shared[loop->shared], loop->at));
            continue;
        }
        memcpy(&c->values[loop->own], list_item(&settings->own[loop->own], loop->at),
                sizeof(option_value_t));
        c->prb.options[loop->own] = &c->values[loop->own];
    }
    apply_mb(c, settings);
    case_print_repro(&c->repro, c);
    return c;
}

static bool matches(const settings_t *settings, const bench_case_t *c)
{
    return !settings->has_match ||
           regexec(&settings->match, text_string(&c->repro), 0, NULL, 0) == 0;
}

static bool verify(const prb_t *prb)
{
    return !prb->driver->verify || prb->driver->verify(prb);
}

/// Submits one combination. `*goes_on` is false when --match abandons the product.
static bool submit_combination(
        const settings_t *settings, const problem_t *problem, const nest_t *nest, bool *goes_on)
{
    for (int64_t repeat = 0; repeat < bench.repeats; ++repeat) {
        bench_case_t *const c = build_case(settings, problem, nest);
        *goes_on = matches(settings, c);
        const bool is_sound = !*goes_on || (problem_is_countable(&c->problem) &&
                                                   attr_verify(&c->prb) && verify(&c->prb));
        if (!*goes_on || !is_sound) {
            case_destroy(c);
            return is_sound;
        }
        draw_data_class(&c->prb);
        runner_submit(c);
    }
    return true;
}

static bool parse_problem(const driver_t *driver, const char *text, problem_t *problem)
{
    const bool is_parsed =
            driver->family == FAMILY_FIELDS
                    ? parse_fields(problem, driver->fields, text)
                    : parse_tensors(problem, driver->min_tensors, driver->max_tensors, text);
    return is_parsed && (!driver->complete || driver->complete(problem));
}

bool product_run(const settings_t *settings, const char *descriptor)
{
    problem_t *const problem = bench_calloc(1, sizeof *problem);
    bool ok = parse_problem(settings->driver, descriptor, problem);
    nest_t nest;
    build_nest(&nest, settings);
    bool goes_on = ok;
    while (goes_on) {
        ok = submit_combination(settings, problem, &nest, &goes_on);
        goes_on = goes_on && ok && advance(&nest, settings);
    }
    free(problem);
    return ok;
}
