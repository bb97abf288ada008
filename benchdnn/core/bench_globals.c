// SPDX-License-Identifier: Apache-2.0
// Global options: one table row each, parsed and printed back.
#include "bench_globals.h"

#include <stdio.h>
#include <string.h>

#include "bench_text.h"

bench_globals_t bench = {
        .mode = MODE_INIT | MODE_EXEC | MODE_CORR,
        .engine_kind = PRIM_CPU,
        .mem_check = true,
        .lists_failures = true,
        .max_ms = 3000.,
        .tlb_sweep = "",
        .repeats = 1,
        .num_streams = 1,
        .nsamples = 1,
};

static const word_t mode_words[] = {
        {"L", MODE_LIST},
        {"I", MODE_INIT},
        {"R", MODE_INIT | MODE_EXEC},
        {"C", MODE_INIT | MODE_EXEC | MODE_CORR},
        {"P", MODE_INIT | MODE_EXEC | MODE_PERF},
        {"F", MODE_INIT | MODE_EXEC | MODE_PERF | MODE_FAST},
        {"B", MODE_INIT | MODE_EXEC | MODE_BITWISE},
        {"CP", MODE_INIT | MODE_EXEC | MODE_CORR | MODE_PERF},
        {"PC", MODE_INIT | MODE_EXEC | MODE_CORR | MODE_PERF},
        {"CB", MODE_INIT | MODE_EXEC | MODE_CORR | MODE_BITWISE},
        {"BC", MODE_INIT | MODE_EXEC | MODE_CORR | MODE_BITWISE},
        {NULL, 0},
};

static const word_t cold_cache_words[] = {
        {"none", COLD_CACHE_NONE},
        {"wei", COLD_CACHE_WEI},
        {"all", COLD_CACHE_ALL},
        {"custom", COLD_CACHE_CUSTOM},
        {NULL, 0},
};
static const word_t timer_words[] = {{"wall", TIMER_WALL}, {"device", TIMER_DEVICE}, {NULL, 0}};
static const word_t tune_words[] = {
        {"none", PRIM_TUNE_NONE}, {"quick", PRIM_TUNE_QUICK}, {"full", PRIM_TUNE_FULL}, {NULL, 0}};
static const word_t summary_words[] = {{"failures", 1}, {"no-failures", 0}, {NULL, 0}};

static const word_t isa_words[] = {{"none", 0}, {"no_hints", 0}, {"prefer_ymm", 0}, {NULL, 0}};
static const word_t memory_words[] = {
        {"buffer", 0}, {"usm", 1}, {"usm_device", 2}, {"usm_shared", 3}, {NULL, 0}};
static const word_t stream_words[] = {{"def", 0}, {"in_order", 1}, {"out_of_order", 2}, {NULL, 0}};
static const word_t cpu_runtime_words[] = {{"def", PRIM_RUNTIME_NONE}, {"omp", PRIM_RUNTIME_OMP},
        {"seq", PRIM_RUNTIME_SEQ}, {NULL, 0}};
static const word_t execution_words[] = {
        {"direct", EXECUTION_DIRECT}, {"graph", EXECUTION_GRAPH}, {NULL, 0}};

bool bench_mode_has(unsigned bits)
{
    return (bench.mode & bits) == bits;
}

bool bench_creates_in_parallel(void)
{
    return bench_mode_has(MODE_FAST) || (bench.modifiers & MODIFIER_PARALLEL_CREATE);
}

bool bench_has_reference_data(void)
{
    const bool is_run_only = bench.mode == (MODE_INIT | MODE_EXEC);
    return !is_run_only && !bench_mode_has(MODE_FAST) &&
           !(bench.modifiers & MODIFIER_NO_REFERENCE_DATA);
}

/// Numbers are hashed first: cases come in the order of the option lists, and every second or tenth
/// of them might always have the same type.
bool bench_sample_has(int64_t index)
{
    const uint64_t hash = (uint64_t)index * 0x9e3779b97f4a7c15u;
    return (hash >> 32) % (uint64_t)bench.nsamples == (uint64_t)bench.sample;
}

double bench_budget_ms(void)
{
    return bench_mode_has(MODE_FAST) ? 10. : bench.max_ms;
}

const char *mode_name(unsigned mode)
{
    return word_name(mode_words, (int)mode);
}

static bool parse_mode(const char *text)
{
    const word_t *const word = word_find(mode_words, text, strlen(text));
    if (!word) return problem_error("--mode: `%s` is none of L I R C P F B CP CB", text);
    bench.mode = (unsigned)word->value;
    return true;
}

static bool parse_modifier(const char *text)
{
    if (!*text) bench.modifiers = 0;
    for (const char *p = text; *p; ++p) {
        if (same_word(p, 1, "p"))
            bench.modifiers |= MODIFIER_PARALLEL_CREATE;
        else if (same_word(p, 1, "m"))
            bench.modifiers |= MODIFIER_NO_REFERENCE_DATA;
        else
            return problem_error("--mode-modifier: `%c` is neither P nor M", *p);
    }
    return true;
}

static bool parse_engine(const char *text)
{
    const char *rest = text;
    size_t length = 0;
    const char *const kind = next_piece(&rest, ':', &length);
    int64_t index = 0;
    if (same_word(kind, length, "cpu"))
        bench.engine_kind = PRIM_CPU;
    else if (same_word(kind, length, "gpu"))
        bench.engine_kind = PRIM_GPU;
    else
        return problem_error("--engine: `%s` is neither cpu nor gpu", text);
    if (rest && (!parse_int(rest, strlen(rest), &index) || index < 0))
        return problem_error("--engine: `%s` is not an index", rest);
    bench.engine_index = (size_t)index;
    return true;
}

/// +tlb[:<size>M or G]
static bool is_tlb_sweep(const char *text)
{
    const size_t length = strlen(text);
    double size = 0.;
    if (strcmp(text, "+tlb") == 0) return true;
    return strncmp(text, "+tlb:", 5) == 0 && strchr("MG", text[length - 1]) &&
           parse_float(text + 5, length - 6, &size) && size > 0.;
}

static bool parse_cold_cache(const char *text)
{
    const size_t length = strcspn(text, "+");
    const word_t *const word = word_find(cold_cache_words, text, length);
    if (!word || (text[length] && !is_tlb_sweep(text + length)))
        return problem_error(
                "--cold-cache: `%s` is not none, wei, all or custom [+tlb[:<size>M or G]]", text);
    bench.cold_cache = (cold_cache_t)word->value;
    bench.tlb_sweep = bench_intern(text + length, strlen(text + length));
    return true;
}

static bool parse_memory_kind(const char *text)
{
    const word_t *const word = word_find(memory_words, text, strlen(text));
    if (!word)
        return problem_error(
                "--memory-kind: `%s` is none of buffer, usm, usm_device, usm_shared", text);
    bench.memory_kind = word->value;
    return true;
}

static bool parse_stream_kind(const char *text)
{
    const word_t *const word = word_find(stream_words, text, strlen(text));
    if (!word)
        return problem_error("--stream-kind: `%s` is none of def, in_order, out_of_order", text);
    bench.stream_kind = word->value;
    return true;
}

static bool parse_cpu_runtime(const char *text)
{
    const word_t *const word = word_find(cpu_runtime_words, text, strlen(text));
    if (!word) return problem_error("--cpu-runtime: `%s` is none of def, omp, seq", text);
    bench.cpu_runtime = (prim_runtime_t)word->value;
    return true;
}

const char *bench_missing_feature(void)
{
    const bool is_gpu = bench.engine_kind == PRIM_GPU;
    if (bench_mode_has(MODE_PERF) && bench.cold_cache == COLD_CACHE_CUSTOM)
        return "--cold-cache=custom: there is no list of arguments built in";
    if (bench_mode_has(MODE_PERF) && bench.tlb_sweep[0])
        return "--cold-cache with +tlb: TLBs are not swept";
    if (is_gpu && bench.memory_kind != 0) return "--memory-kind: memories are buffers";
    if (is_gpu && bench.stream_kind == 2) return "--stream-kind: streams are in order";
    return NULL;
}

static bool parse_max_ms(const char *text)
{
    double ms = 0.;
    if (bench_mode_has(MODE_FAST)) return usage_error("--max-ms-per-prb is fixed in mode F");
    if (!parse_float(text, strlen(text), &ms))
        return problem_error("--max-ms-per-prb: `%s` is not a number", text);
    bench.max_ms = ms < 10. ? 10. : ms > 60000. ? 60000. : ms;
    return true;
}

void impl_filter_parse(impl_filter_t *filter, bool is_skip, const char *text)
{
    text_t names = {0};
    for (const char *p = text; *p; ++p)
        if (*p != '"' && *p != '\'') text_printf(&names, "%c", *p);
    filter->is_set = *text != 0;
    filter->is_skip = is_skip;
    filter->text = bench_intern(text_string(&names), names.length);
    text_free(&names);
}

/// Words of names are parted by ':'; '+' stands before those of what runs inside.
static bool ends_word(char c)
{
    return c == '\0' || c == ':' || c == '+';
}

/// Whether `piece` is a run of whole words at the start or at the end of `name`.
static bool names_impl(const char *name, const char *piece, size_t length)
{
    const size_t name_length = strlen(name);
    if (length == 0 || length > name_length) return false;
    const char *const tail = name + name_length - length;
    const bool is_head = strncmp(name, piece, length) == 0;
    const bool is_tail = strncmp(tail, piece, length) == 0;
    return (is_head && ends_word(name[length])) ||
           (is_tail && (tail == name || ends_word(tail[-1])));
}

bool impl_filter_takes(const impl_filter_t *filter, const char *name)
{
    if (!filter->is_set) return true;
    bool is_named = false;
    for (const char *rest = filter->text; rest && !is_named;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ',', &length);
        is_named = names_impl(name, piece, length);
    }
    return is_named != filter->is_skip;
}

static bool parse_impl(const char *text)
{
    impl_filter_parse(&bench.impl_filter, false, text);
    return true;
}

static bool parse_skip_impl(const char *text)
{
    impl_filter_parse(&bench.impl_filter, true, text);
    return true;
}

static bool parse_fast_ref(const char *text)
{
    bench.fast_ref = parse_bool(text, strlen(text));
    if (bench.fast_ref)
        fprintf(stderr,
                "benchdnn: --fast-ref changes nothing: references are always benchdnn's own\n");
    return true;
}

/// Attributes are made with the default.
static bool parse_tune(const char *text)
{
    const word_t *const word = word_find(tune_words, text, strlen(text));
    if (!word) return problem_error("--tune: `%s` is none of none, quick, full", text);
    bench.tune = (prim_tune_mode_t)word->value;
    return prim_set_default_tune(bench.tune) == PRIM_SUCCESS;
}

static bool parse_data(const char *text)
{
    const word_t *const word = word_find(data_words, text, strlen(text));
    if (!word)
        return problem_error(
                "--data: `%s` is none of auto, small, reals, range, extremes, ties, special", text);
    bench.data_class = (data_class_t)word->value;
    return true;
}

static bool parse_summary(const char *text)
{
    for (const char *rest = text; rest;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, '+', &length);
        const word_t *const word = word_find(summary_words, piece, length);
        if (!word) return problem_error("--summary: `%s` is not [no-]failures", text);
        bench.lists_failures = word->value != 0;
    }
    return true;
}

static bool parse_sample(const char *text)
{
    const char *rest = text;
    size_t length = 0;
    int64_t sample = 0, nsamples = 0;
    const char *const first = next_piece(&rest, '/', &length);
    if (!parse_int(first, length, &sample) || !rest || !parse_int(rest, strlen(rest), &nsamples) ||
            sample < 0 || sample >= nsamples)
        return problem_error("--sample: `%s` is not k/n with 0 <= k < n", text);
    bench.sample = sample;
    bench.nsamples = nsamples;
    return true;
}

static bool parse_timer(const char *text)
{
    const word_t *const word = word_find(timer_words, text, strlen(text));
    if (!word) return problem_error("--timer: `%s` is neither wall nor device", text);
    bench.timer = (bench_timer_t)word->value;
    return true;
}

static bool parse_execution(const char *text)
{
    const word_t *const word = word_find(execution_words, text, strlen(text));
    if (!word) return problem_error("--execution-mode: `%s` is neither direct nor graph", text);
    bench.execution = (bench_execution_t)word->value;
    return true;
}

typedef enum { ROW_BOOL, ROW_INT, ROW_CALL, ROW_INERT } row_kind_t;

/// A global option. Which members count depends on the kind.
typedef struct {
    const char *name;
    row_kind_t kind;
    const char *fallback;        ///< stands for the empty value
    bool *boolean;               ///< ROW_BOOL
    int64_t *integer, min;       ///< ROW_INT
    bool (*parse)(const char *); ///< ROW_CALL
    const word_t *words;         ///< ROW_INERT: accepted, without effect
} row_t;

static const row_t rows[] = {
        {"mode", ROW_CALL, "C", .parse = parse_mode},
        {"mode-modifier", ROW_CALL, "", .parse = parse_modifier},
        {"engine", ROW_CALL, "cpu", .parse = parse_engine},
        {"allow-enum-tags-only", ROW_BOOL, "false", .boolean = &bench.only_numbered_tags},
        {"attr-same-pd-check", ROW_BOOL, "false", .boolean = &bench.same_pd_check},
        {"check-ref-impl", ROW_BOOL, "false", .boolean = &bench.check_ref_impl},
        {"canonical", ROW_BOOL, "false", .boolean = &bench.canonical},
        {"cold-cache", ROW_CALL, "none", .parse = parse_cold_cache},
        {"cpu-runtime", ROW_CALL, "def", .parse = parse_cpu_runtime},
        {"cpu-isa-hints", ROW_INERT, "none", .words = isa_words},
        {"data", ROW_CALL, "auto", .parse = parse_data},
        {"fast-ref", ROW_CALL, "false", .parse = parse_fast_ref},
        {"fix-times-per-prb", ROW_INT, "0", .integer = &bench.fix_times, .min = 0},
        {"max-ms-per-prb", ROW_CALL, "3000", .parse = parse_max_ms},
        {"repeats-per-prb", ROW_INT, "1", .integer = &bench.repeats, .min = 1},
        {"num-streams", ROW_INT, "1", .integer = &bench.num_streams, .min = 1},
        {"global-impl", ROW_CALL, "", .parse = parse_impl},
        {"global-skip-impl", ROW_CALL, "", .parse = parse_skip_impl},
        {"list-impls", ROW_BOOL, "false", .boolean = &bench.lists_impls},
        {"mem-check", ROW_BOOL, "true", .boolean = &bench.mem_check},
        {"memory-kind", ROW_CALL, "buffer", .parse = parse_memory_kind},
        {"stream-kind", ROW_CALL, "def", .parse = parse_stream_kind},
        {"execution-mode", ROW_CALL, "direct", .parse = parse_execution},
        {"sample", ROW_CALL, "0/1", .parse = parse_sample},
        {"start", ROW_INT, "0", .integer = &bench.start, .min = 0},
        {"summary", ROW_CALL, "failures", .parse = parse_summary},
        {"timer", ROW_CALL, "wall", .parse = parse_timer},
        {"tune", ROW_CALL, "none", .parse = parse_tune},
        {"verbose", ROW_INT, "0", .integer = &bench.verbose, .min = 0},
};

static bool parse_row(const row_t *row, const char *given)
{
    const char *const text = *given ? given : row->fallback;
    switch (row->kind) {
    case ROW_BOOL: *row->boolean = parse_bool(text, strlen(text)); return true;
    case ROW_INT:
        if (parse_int(text, strlen(text), row->integer) && *row->integer >= row->min) return true;
        return problem_error(
                "--%s: `%s` is not an integer from %lld", row->name, text, (long long)row->min);
    case ROW_INERT:
        if (word_find(row->words, text, strlen(text))) return true;
        return problem_error("--%s: cannot make sense of `%s`", row->name, text);
    default: return row->parse(text);
    }
}

static bool is_short_verbose(const char *token)
{
    return strncmp(token, "-v", 2) == 0 && token[2] >= '0' && token[2] <= '9';
}

/// The row of a `--name=` token; `*text` becomes what stands behind the =.
static const row_t *find_row(const char *token, const char **text)
{
    if (strncmp(token, "--", 2) != 0) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const size_t length = strlen(rows[i].name);
        *text = token + 2 + length + 1;
        if (strncmp(token + 2, rows[i].name, length) == 0 && token[2 + length] == '=')
            return &rows[i];
    }
    return NULL;
}

bool globals_knows(const char *token)
{
    const char *text = NULL;
    return is_short_verbose(token) || find_row(token, &text) != NULL;
}

int globals_parse(const char *token)
{
    const char *text = NULL;
    if (is_short_verbose(token)) {
        if (parse_int(token + 2, strlen(token + 2), &bench.verbose)) return 1;
        problem_error("-v: `%s` is not an integer", token + 2);
        return -1;
    }
    const row_t *const row = find_row(token, &text);
    if (!row) return 0;
    return parse_row(row, text) ? 1 : -1;
}

static void print_before_driver(text_t *out)
{
    const unsigned usual = MODE_INIT | MODE_EXEC | MODE_CORR;
    if (bench.canonical || bench.mode != usual)
        text_printf(out, "--mode=%s ", mode_name(bench.mode));
    if (bench_mode_has(MODE_FAST)) return;
    if (bench.canonical || bench.modifiers)
        text_printf(out, "--mode-modifier=%s%s ",
                bench.modifiers & MODIFIER_PARALLEL_CREATE ? "P" : "",
                bench.modifiers & MODIFIER_NO_REFERENCE_DATA ? "M" : "");
    if (bench.canonical || bench.max_ms != 3000.)
        text_printf(out, "--max-ms-per-prb=%g ", bench.max_ms);
    if (bench.canonical || bench.fix_times)
        text_printf(out, "--fix-times-per-prb=%lld ", (long long)bench.fix_times);
}

static void print_switch(text_t *out, const char *name, bool value, bool fallback)
{
    if (bench.canonical || value != fallback)
        text_printf(out, "--%s=%s ", name, value ? "true" : "false");
}

static void print_after_driver(text_t *out)
{
    print_switch(out, "canonical", bench.canonical, false);
    if (bench.canonical || bench.engine_kind != PRIM_CPU) {
        text_printf(out, "--engine=%s", bench.engine_kind == PRIM_CPU ? "cpu" : "gpu");
        if (bench.engine_index) text_printf(out, ":%zu", bench.engine_index);
        text_append(out, " ");
    }
    print_switch(out, "list-impls", bench.lists_impls, false);
    print_switch(out, "mem-check", bench.mem_check, true);
    print_switch(out, "allow-enum-tags-only", bench.only_numbered_tags, false);
    print_switch(out, "attr-same-pd-check", bench.same_pd_check, false);
    print_switch(out, "check-ref-impl", bench.check_ref_impl, false);
    if (bench.canonical || bench.data_class != CLASS_AUTO)
        text_printf(out, "--data=%s ", word_name(data_words, (int)bench.data_class));
    if (bench.canonical || bench.tune != PRIM_TUNE_NONE)
        text_printf(out, "--tune=%s ", word_name(tune_words, (int)bench.tune));
    if (bench.memory_kind)
        text_printf(out, "--memory-kind=%s ", word_name(memory_words, bench.memory_kind));
    if (bench.stream_kind)
        text_printf(out, "--stream-kind=%s ", word_name(stream_words, bench.stream_kind));
    if (bench.cpu_runtime != PRIM_RUNTIME_NONE)
        text_printf(out, "--cpu-runtime=%s ", word_name(cpu_runtime_words, (int)bench.cpu_runtime));
    if (bench.canonical || bench.cold_cache != COLD_CACHE_NONE || bench.tlb_sweep[0])
        text_printf(out, "--cold-cache=%s%s ", word_name(cold_cache_words, (int)bench.cold_cache),
                bench.tlb_sweep);
}

void globals_print(text_t *out, bool before_driver)
{
    if (before_driver)
        print_before_driver(out);
    else
        print_after_driver(out);
}
