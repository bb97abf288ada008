// SPDX-License-Identifier: Apache-2.0
// Perf lines: templates with %tokens%.
#include <stdio.h>
#include <string.h>

#include "bench_attr_text.h"
#include "bench_descriptor.h"
#include "bench_report.h"

static const char default_template[] =
        "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";

/// Which of several measurements a token asks for, and its unit.
typedef struct {
    char time; ///< '-' minimum, '0' average, '+' maximum, 0 when not given
    double unit;
} modifiers_t;

static double pick(char mode, double min, double average, double max)
{
    return mode == '+' ? max : mode == '0' ? average : min;
}

static double run_ms(const bench_case_t *c, char mode)
{
    const perf_t *const p = &c->result.perf;
    return pick(mode, p->min_ms, p->total_ms / (double)p->runs, p->max_ms);
}

/// Creation reports the cache miss unless asked otherwise.
static double creation_ms(const double times[2], char mode)
{
    const double hit = times[1] < times[0] ? times[1] : times[0],
                 miss = times[0] > hit ? times[0] : times[1];
    return pick(mode ? mode : '+', hit, (hit + miss) / 2., miss);
}

static double ops(const bench_case_t *c)
{
    return c->prb.driver->ops ? c->prb.driver->ops(&c->prb) : 0.;
}

static double per_second(double amount, double ms)
{
    return ms > 0. ? amount / (ms * 1e-3) : 0.;
}

static void put_number(text_t *out, double value)
{
    text_printf(out, "%g", value);
}

// ---- Numeric tokens --------------------------------------------------------------------------

typedef struct {
    const char *name;
    double (*value)(const bench_case_t *c, char mode);
} number_token_t;

static double token_time(const bench_case_t *c, char mode)
{
    return run_ms(c, mode);
}

static double token_zero(const bench_case_t *c, char mode)
{
    (void)c;
    (void)mode;
    return 0.;
}

static double token_cpdtime(const bench_case_t *c, char mode)
{
    return creation_ms(c->result.perf.create_desc_ms, mode);
}

static double token_cptime(const bench_case_t *c, char mode)
{
    return creation_ms(c->result.perf.create_ms, mode);
}

static double token_ctime(const bench_case_t *c, char mode)
{
    return token_cpdtime(c, mode) + token_cptime(c, mode);
}

static double token_ops(const bench_case_t *c, char mode)
{
    (void)mode;
    return ops(c);
}

static double token_flops(const bench_case_t *c, char mode)
{
    return per_second(ops(c), run_ms(c, mode));
}

static double token_ibytes(const bench_case_t *c, char mode)
{
    (void)mode;
    return c->result.perf.input_bytes;
}

static double token_obytes(const bench_case_t *c, char mode)
{
    (void)mode;
    return c->result.perf.output_bytes;
}

static double token_iobytes(const bench_case_t *c, char mode)
{
    return token_ibytes(c, mode) + token_obytes(c, mode);
}

static double token_bw(const bench_case_t *c, char mode)
{
    return per_second(token_iobytes(c, mode), run_ms(c, mode));
}

static const number_token_t number_tokens[] = {
        {"time", token_time},
        {"clocks", token_zero}, // no counter is read
        {"freq", token_zero},
        {"ctime", token_ctime},
        {"cpdtime", token_cpdtime},
        {"cptime", token_cptime},
        {"ops", token_ops},
        {"flops", token_flops},
        {"ibytes", token_ibytes},
        {"obytes", token_obytes},
        {"iobytes", token_iobytes},
        {"bw", token_bw},
};

// ---- Text tokens -----------------------------------------------------------------------------

typedef struct {
    const char *name;
    void (*put)(text_t *out, const bench_case_t *c);
} text_token_t;

static void put_driver(text_t *out, const bench_case_t *c)
{
    text_append(out, c->prb.driver->name);
}

static void put_engine(text_t *out, const bench_case_t *c)
{
    (void)c;
    text_append(out, bench.engine_kind == PRIM_CPU ? "cpu" : "gpu");
    if (bench.engine_index) text_printf(out, ":%zu", bench.engine_index);
}

static void put_impl(text_t *out, const bench_case_t *c)
{
    text_append(out, c->result.impl_name);
}

static void put_prb(text_t *out, const bench_case_t *c)
{
    text_append(out, text_string(&c->repro));
}

static void put_desc(text_t *out, const bench_case_t *c)
{
    case_print_problem(out, &c->prb, false);
}

static void put_fields(text_t *out, const bench_case_t *c)
{
    if (c->prb.driver->family == FAMILY_DIMS)
        case_print_problem(out, &c->prb, false);
    else
        print_field_values(out, c->prb.driver->fields, c->prb.problem);
}

static void put_name(text_t *out, const bench_case_t *c)
{
    text_append(out, c->problem.name);
}

static void put_mb(text_t *out, const bench_case_t *c)
{
    text_printf(out, "%lld", (long long)c->mb_option);
}

static void put_attr(text_t *out, const bench_case_t *c)
{
    text_t attr = {0};
    print_attr(&attr, &c->attr, false);
    if (attr.length) text_append(out, text_string(&attr) + 1);
    text_free(&attr);
}

static void put_index(text_t *out, const bench_case_t *c)
{
    text_printf(out, "%lld", (long long)c->index + 1);
}

static void put_ctx_init(text_t *out, const bench_case_t *c)
{
    text_append(out, c->ctx_init.text[0] ? c->ctx_init.text : "auto");
}

static void put_ctx_exe(text_t *out, const bench_case_t *c)
{
    text_append(out, c->ctx_exe.text[0] ? c->ctx_exe.text : "auto");
}

static const text_token_t text_tokens[] = {
        {"driver", put_driver},
        {"engine", put_engine},
        {"impl", put_impl},
        {"prb", put_prb},
        {"desc", put_desc},
        {"DESC", put_fields},
        {"name", put_name},
        {"mb", put_mb},
        {"attr", put_attr},
        {"idx", put_index},
        {"ctx-init", put_ctx_init},
        {"ctx-exe", put_ctx_exe},
};

/// Tokens that print an option of the driver, empty when it has none; `other` is the name some
/// drivers give the same thing.
static const struct {
    const char *name, *other;
} option_tokens[] = {{"alg", NULL}, {"cfg", NULL}, {"activation", NULL}, {"direction", NULL},
        {"flags", "oflag"}, {"dir", NULL}, {"prop", NULL}, {"axis", NULL}, {"group", NULL},
        {"dt", "sdt"}, {"sdt", "dt"}, {"ddt", NULL}, {"tag", "stag"}, {"stag", "tag"},
        {"wtag", NULL}, {"dtag", NULL}, {"stat_tag", NULL}};

static void put_option(text_t *out, const bench_case_t *c, const char *name, const char *other)
{
    int index = driver_option_index(c->prb.driver, name);
    if (index < 0 && other) index = driver_option_index(c->prb.driver, other);
    if (index >= 0) option_print_value(out, &c->prb.driver->options[index], c->prb.options[index]);
}

static bool put_text_token(text_t *out, const bench_case_t *c, const char *name)
{
    for (size_t i = 0; i < sizeof text_tokens / sizeof *text_tokens; ++i) {
        if (strcmp(name, text_tokens[i].name) != 0) continue;
        if (c) text_tokens[i].put(out, c);
        return true;
    }
    for (size_t i = 0; i < sizeof option_tokens / sizeof *option_tokens; ++i) {
        if (strcmp(name, option_tokens[i].name) != 0) continue;
        if (c) put_option(out, c, name, option_tokens[i].other);
        return true;
    }
    return false;
}

static const char *read_modifiers(const char *name, modifiers_t *m)
{
    *m = (modifiers_t){0, 1.};
    if (*name == '-' || *name == '0' || *name == '+') m->time = *name++;
    switch (*name) {
    case 'K': m->unit = 1e3; return name + 1;
    case 'M': m->unit = 1e6; return name + 1;
    case 'G': m->unit = 1e9; return name + 1;
    default: return name;
    }
}

/// Appends a token's value; without a case only tells whether there is such a token.
static bool put_token(text_t *out, const bench_case_t *c, const char *token)
{
    modifiers_t m;
    const char *const name = read_modifiers(token, &m);
    for (size_t i = 0; i < sizeof number_tokens / sizeof *number_tokens; ++i) {
        if (strcmp(name, number_tokens[i].name) != 0) continue;
        if (c) put_number(out, number_tokens[i].value(c, m.time) / m.unit);
        return true;
    }
    return put_text_token(out, c, name);
}

static bool expand(text_t *out, const bench_case_t *c, const char *text)
{
    for (const char *p = text; *p;) {
        const char *const end = *p == '%' ? strchr(p + 1, '%') : NULL;
        char token[32];
        if (!end) {
            text_printf(out, "%c", *p++);
            continue;
        }
        if (!copy_string(token, sizeof token, p + 1, (size_t)(end - p - 1)) ||
                !put_token(out, c, token))
            return problem_error(
                    "perf report option \"%.*s\" is not supported", (int)(end - p - 1), p + 1);
        p = end + 1;
    }
    return true;
}

bool perf_template_is_sound(const char *text)
{
    text_t out = {0};
    const bool ok = expand(&out, NULL, text);
    text_free(&out);
    return ok;
}

static void build_template(text_t *out, const bench_case_t *c)
{
    if (strcmp(c->perf_template, "def") == 0) {
        text_append(out, default_template);
    } else if (strcmp(c->perf_template, "csv") == 0) {
        text_printf(out,
                "perf,%%engine%%,%%impl%%,%%name%%,%s,%%attr%%,%%DESC%%,%%Gops%%,%%+ctime%%,"
                "%%-time%%,%%-Gflops%%,%%0time%%,%%0Gflops%%",
                c->prb.driver->csv_columns);
    } else {
        text_append(out, c->perf_template);
    }
}

void report_perf(const bench_case_t *c)
{
    static bool is_announced;
    text_t form = {0}, line = {0};
    build_template(&form, c);
    if (!is_announced) printf("Output template: %s\n", text_string(&form));
    is_announced = true;
    expand(&line, c, text_string(&form));
    printf("%s\n", text_string(&line));
    text_free(&form);
    text_free(&line);
}
