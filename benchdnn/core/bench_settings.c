// SPDX-License-Identifier: Apache-2.0
// Option state: defaults, replacement, reset.
#include "bench_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_attr_text.h"
#include "bench_report.h"
#include "bench_tag.h"
#include "bench_text.h"

int driver_option_count(const driver_t *driver)
{
    int count = 0;
    while (driver->options[count].name) ++count;
    return count;
}

int driver_option_index(const driver_t *driver, const char *name)
{
    for (int i = 0; driver->options[i].name; ++i)
        if (strcmp(driver->options[i].name, name) == 0) return i;
    return -1;
}

const char *token_value(const char *token, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(token, "--", 2) != 0 || strncmp(token + 2, name, length) != 0) return NULL;
    return token[2 + length] == '=' ? token + 2 + length + 1 : NULL;
}

static const char *const shared_names[SHARED_COUNT] = {
        [SHARED_SCALES] = "attr-scales",
        [SHARED_ZERO_POINTS] = "attr-zero-points",
        [SHARED_POST_OPS] = "attr-post-ops",
        [SHARED_SCRATCHPAD] = "attr-scratchpad",
        [SHARED_FPMATH] = "attr-fpmath",
        [SHARED_ACC_MODE] = "attr-acc-mode",
        [SHARED_DETERMINISTIC] = "attr-deterministic",
        [SHARED_DROPOUT] = "attr-dropout",
        [SHARED_ROUNDING] = "attr-rounding-mode",
        [SHARED_CTX_INIT] = "ctx-init",
        [SHARED_CTX_EXE] = "ctx-exe",
};

static bool bad_value(const char *name, const char *text)
{
    return problem_error("--%s: cannot make sense of `%s`", name, text);
}

static bool parse_word(const char *name, const word_t *words, const char *text, int *value)
{
    const word_t *const word = word_find(words, text, strlen(text));
    if (!word) return bad_value(name, text);
    *value = word->value;
    return true;
}

static bool parse_fpmath(const char *text, shared_value_t *value)
{
    prim_fpmath_mode_t mode = PRIM_FPMATH_STRICT;
    if (!*text) {
        if (prim_get_default_fpmath_mode(&mode) != PRIM_SUCCESS)
            return bad_value("attr-fpmath", text);
        value->fpmath.mode = mode;
        return true;
    }
    const char *rest = text;
    size_t length = 0;
    const char *const piece = next_piece(&rest, ':', &length);
    const word_t *const word = word_find(fpmath_words, piece, length);
    if (!word) return bad_value("attr-fpmath", text);
    value->fpmath.mode = (prim_fpmath_mode_t)word->value;
    value->fpmath.applies_to_int = rest && parse_bool(rest, strlen(rest));
    return true;
}

/// PROB[:SEED[:tag]]; Prim has no dropout, but knows a well-formed one from a bad one.
static bool parse_dropout(const char *text, shared_value_t *value)
{
    double probability = 0.;
    const char *rest = text;
    size_t length = 0;
    if (!*text) return true;
    const char *piece = next_piece(&rest, ':', &length);
    int64_t seed = 0;
    if (!parse_float(piece, length, &probability) || !(probability >= 0. && probability <= 1.))
        return bad_value("attr-dropout", text);
    if (rest) {
        piece = next_piece(&rest, ':', &length);
        if (!parse_int(piece, length, &seed)) return bad_value("attr-dropout", text);
    }
    if (rest && !tag_is_valid(rest, bench.only_numbered_tags))
        return usage_error("--attr-dropout: `%s` is not a layout", rest);
    return copy_string(value->text, sizeof value->text, text, strlen(text)) ||
           bad_value("attr-dropout", text);
}

/// arg:mode[:seed]
static bool is_rounding_entry(const char *entry)
{
    static const word_t modes[] = {{"environment", 0}, {"stochastic", 1}, {NULL, 0}};
    char name[32];
    const char *rest = entry;
    size_t length = 0;
    int arg = 0;
    int64_t seed = 0;
    const char *piece = next_piece(&rest, ':', &length);
    if (!rest || !copy_string(name, sizeof name, piece, length) || !parse_arg_name(name, &arg))
        return false;
    piece = next_piece(&rest, ':', &length);
    if (!word_find(modes, piece, length)) return false;
    return !rest || parse_int(rest, strlen(rest), &seed);
}

/// Entries joined by +.
static bool parse_rounding(const char *text, shared_value_t *value)
{
    for (const char *rest = *text ? text : NULL; rest;) {
        char entry[BENCH_MAX_ATTR_TEXT];
        size_t length = 0;
        const char *const piece = next_piece(&rest, '+', &length);
        if (!copy_string(entry, sizeof entry, piece, length) || !is_rounding_entry(entry))
            return bad_value("attr-rounding-mode", text);
    }
    return copy_string(value->text, sizeof value->text, text, strlen(text)) ||
           bad_value("attr-rounding-mode", text);
}

/// MAX[:CORE[:TPC]], each a number or auto.
static bool parse_context(const char *name, const char *text, context_t *context)
{
    int64_t numbers[3] = {0};
    int count = 0;
    for (const char *rest = *text ? text : NULL; rest; ++count) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ':', &length);
        if (count == 3) return bad_value(name, text);
        if (same_word(piece, length, "auto")) continue;
        if (!parse_int(piece, length, &numbers[count]) || numbers[count] < 1)
            return bad_value(name, text);
    }
    context->max = numbers[0];
    const bool is_auto = same_word(text, strlen(text), "auto");
    return copy_string(context->text, sizeof context->text, text, is_auto ? 0 : strlen(text)) ||
           bad_value(name, text);
}

static bool parse_shared(shared_option_t which, const char *text, shared_value_t *value)
{
    const char *const name = shared_names[which];
    memset(value, 0, sizeof *value);
    switch (which) {
    case SHARED_SCALES: return parse_scales(text, &value->quant);
    case SHARED_ZERO_POINTS: return parse_zero_points(text, &value->quant);
    case SHARED_POST_OPS: return parse_post_ops(text, &value->post_ops);
    case SHARED_SCRATCHPAD:
        value->word = bench_creates_in_parallel() ? PRIM_SCRATCHPAD_USER : PRIM_SCRATCHPAD_LIBRARY;
        return !*text || parse_word(name, scratchpad_words, text, &value->word);
    case SHARED_FPMATH: return parse_fpmath(text, value);
    case SHARED_ACC_MODE:
        value->word = PRIM_ACCUMULATION_STRICT;
        return !*text || parse_word(name, acc_mode_words, text, &value->word);
    case SHARED_DETERMINISTIC:
        value->boolean = *text ? parse_bool(text, strlen(text)) : bench_mode_has(MODE_BITWISE);
        return true;
    case SHARED_DROPOUT: return parse_dropout(text, value);
    case SHARED_ROUNDING: return parse_rounding(text, value);
    default: return parse_context(name, text, &value->context);
    }
}

static bool parse_shared_list(shared_option_t which, const char *text, list_t *values)
{
    list_t fresh = {sizeof(shared_value_t), 0, NULL};
    bool ok = true;
    for (const char *rest = text; rest && ok;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ',', &length);
        char *const element = bench_calloc(length + 1, 1);
        memcpy(element, piece, length);
        shared_value_t value;
        ok = parse_shared(which, element, &value);
        if (ok) list_append(&fresh, &value);
        free(element);
    }
    list_free(ok ? values : &fresh);
    if (ok) *values = fresh;
    return ok;
}

static void clear_match(settings_t *settings)
{
    if (settings->has_match) regfree(&settings->match);
    settings->has_match = false;
}

void settings_reset(settings_t *settings)
{
    for (int i = 0; i < driver_option_count(settings->driver); ++i)
        if (!option_parse_list(&settings->driver->options[i], "", &settings->own[i])) {
            fprintf(stderr, "Error: bad default of a driver: %s\n", bench_error_text());
            exit(EXIT_CODE_USAGE);
        }
    for (int i = 0; i < SHARED_COUNT; ++i)
        parse_shared_list((shared_option_t)i, "", &settings->shared[i]);
    clear_match(settings);
    settings->impl_filter = (impl_filter_t){0};
}

void settings_init(settings_t *settings, const driver_t *driver)
{
    *settings = (settings_t){.driver = driver, .perf_template = bench_strdup("def")};
    settings_reset(settings);
}

void settings_free(settings_t *settings)
{
    for (int i = 0; i < BENCH_MAX_OPTIONS; ++i) list_free(&settings->own[i]);
    for (int i = 0; i < SHARED_COUNT; ++i) list_free(&settings->shared[i]);
    clear_match(settings);
    free(settings->perf_template);
    settings->perf_template = NULL;
}

static bool parse_match(settings_t *settings, const char *text)
{
    clear_match(settings);
    if (!*text) return true;
    const int status = regcomp(&settings->match, text, REG_NOSUB);
    if (status != 0) return problem_error("--match: `%s` is not a regular expression", text);
    settings->has_match = true;
    return true;
}

/// Options that hold one value. 1: taken, 0: another option, -1: error.
static int parse_single(settings_t *settings, const char *token)
{
    const char *text = token_value(token, "match");
    if (text) return parse_match(settings, text) ? 1 : -1;
    text = token_value(token, "impl");
    const char *const skipped = token_value(token, "skip-impl");
    if (text || skipped) {
        impl_filter_parse(&settings->impl_filter, skipped != NULL, text ? text : skipped);
        return 1;
    }
    text = token_value(token, "perf-template");
    if (!text) return 0;
    if (!perf_template_is_sound(text)) return -1;
    free(settings->perf_template);
    settings->perf_template = bench_strdup(*text ? text : "def");
    return 1;
}

int settings_parse(settings_t *settings, const char *token)
{
    const option_t *const options = settings->driver->options;
    for (int i = 0; options[i].name; ++i) {
        const char *text = token_value(token, options[i].name);
        if (!text && options[i].alias) text = token_value(token, options[i].alias);
        if (text) return option_parse_list(&options[i], text, &settings->own[i]) ? 1 : -1;
    }
    for (int i = 0; i < SHARED_COUNT; ++i) {
        const char *const text = token_value(token, shared_names[i]);
        if (text) return parse_shared_list((shared_option_t)i, text, &settings->shared[i]) ? 1 : -1;
    }
    if (strcmp(token, "--reset") == 0) {
        settings_reset(settings);
        return 1;
    }
    return parse_single(settings, token);
}

static void print_option_help(const option_t *option)
{
    static const char *const kinds[] = {
            [OPTION_DIRECTION] = "FWD_D, FWD_I, FWD_B, BWD_D, BWD_W, BWD_WB, BWD_DW",
            [OPTION_DT] = "data type",
            [OPTION_TAG] = "layout",
            [OPTION_STRIDES] = "element strides, AxB:CxD:…",
            [OPTION_WORD] = "word",
            [OPTION_TEXT] = "text",
            [OPTION_FLAGS] = "letters",
            [OPTION_INT] = "integer",
            [OPTION_FLOAT] = "number",
            [OPTION_BOOL] = "true or false",
    };
    printf("  --%s=%s%s; default `%s`\n", option->name, kinds[option->kind],
            option->max_count > 1 ? "[:…]" : "", option->fallback);
    if (!option->words) return;
    printf("     ");
    for (const word_t *w = option->words; w->word; ++w) printf(" %s", w->word);
    printf("\n");
}

void settings_print_help(const driver_t *driver)
{
    printf("benchdnn --%s [options] %s …\n", driver->name,
            driver->family == FAMILY_DIMS ? "AxBxC[:AxBxC…]" : "<fields>");
    for (int i = 0; driver->options[i].name; ++i) print_option_help(&driver->options[i]);
    if (driver->family == FAMILY_FIELDS) {
        printf("  fields:");
        for (const field_t *f = driver->fields; f->name; ++f) printf(" %s", f->name);
        printf("\n");
    }
    printf("  shared:");
    for (int i = 0; i < SHARED_COUNT; ++i) printf(" --%s=", shared_names[i]);
    printf(" --match= --impl= --skip-impl= --perf-template= --batch= --reset --help\n"
           "doc/benchdnn.md explains them, and the global options.\n");
}
