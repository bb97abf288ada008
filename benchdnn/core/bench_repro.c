// SPDX-License-Identifier: Apache-2.0
// The repro line: a command line that parses back to the same case.
#include "bench_attr_text.h"
#include "bench_case.h"
#include "bench_descriptor.h"

static void print_own_options(text_t *out, const prb_t *prb, bool after_attr, bool canonical)
{
    const option_t *const options = prb->driver->options;
    for (int i = 0; options[i].name; ++i) {
        if (options[i].is_printed_last != after_attr) continue;
        if (i == driver_option_index(prb->driver, "mb")) continue;
        const bool is_wanted = canonical || options[i].is_always_printed ||
                               !option_is_default(&options[i], prb->options[i]);
        if (!is_wanted) continue;
        text_printf(out, " --%s=", options[i].name);
        option_print_value(out, &options[i], prb->options[i]);
    }
}

static void print_context(text_t *out, const char *name, const context_t *context)
{
    if (bench.canonical || context->text[0])
        text_printf(out, " --%s=%s", name, context->text[0] ? context->text : "auto");
}

static void print_descriptor(text_t *out, const prb_t *prb, bool canonical)
{
    const driver_t *const driver = prb->driver;
    const problem_t *const problem = prb->problem;
    if (driver->print_problem)
        driver->print_problem(out, problem, canonical);
    else if (driver->family == FAMILY_DIMS)
        print_tensors(out, problem);
    else
        problem_print_fields(out, driver->fields, problem, canonical);
}

void case_print_problem(text_t *out, const prb_t *prb, bool canonical)
{
    const driver_t *const driver = prb->driver;
    const problem_t *const problem = prb->problem;
    print_descriptor(out, prb, canonical);
    if (problem->name[0])
        text_printf(out, "%s%s", driver->family == FAMILY_DIMS ? "_n" : "n", problem->name);
}

void case_print_identity(text_t *out, const prb_t *prb)
{
    text_printf(out, "--%s", prb->driver->name);
    print_own_options(out, prb, false, false);
    print_attr(out, prb->attr, false);
    print_own_options(out, prb, true, false);
    text_append(out, " ");
    print_descriptor(out, prb, false);
}

void case_print_repro(text_t *out, const bench_case_t *c)
{
    globals_print(out, true);
    text_printf(out, "--%s ", c->prb.driver->name);
    globals_print(out, false);
    // Option printers start with a blank; the one behind the last word is taken back.
    out->data[--out->length] = 0;
    print_own_options(out, &c->prb, false, bench.canonical);
    print_attr(out, &c->attr, bench.canonical);
    print_own_options(out, &c->prb, true, bench.canonical);
    print_context(out, "ctx-init", &c->ctx_init);
    print_context(out, "ctx-exe", &c->ctx_exe);
    if (c->impl_filter.is_set)
        text_printf(out, " --%s=%s", c->impl_filter.is_skip ? "skip-impl" : "impl",
                c->impl_filter.text);
    text_append(out, " ");
    case_print_problem(out, &c->prb, bench.canonical);
}
