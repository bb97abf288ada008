// SPDX-License-Identifier: Apache-2.0
// check_impls BENCHDNN ENGINE [OPTION…]: walks the implementation lists of an engine. For each
// operation it draws a pool of problems and asks which implementations take each, then runs through
// every implementation at least 30 distinct ones that together touch each option it takes, against
// benchdnn's references and a second time for equal bits. It fails when
// - a problem fails, or an option was touched by no problem that passed (those that only
//   problems with nearly constant results have are counted apart, as mistrusted alone),
// - fewer problems pass than wanted, or none is accepted, though the device has what it needs,
// - no implementation of the operation takes an option that is drawn,
// - an implementation declines an option that tests/harness/impl_options says it takes.
// --sample=N compiles N styles of an implementation: enough for the number of problems, not for
// every option, and those that it leaves out are no failure. Ends with a table in Markdown. With
// --list nothing is run. With --soak only problems that fail count, and each ends up as a line of a
// batch file, behind "failed: ".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_isa.h"
#include "impl_check.h"
#include "impl_options.h"

typedef struct {
    const char *benchdnn, *engine, *driver, *impls, *folder;
    uint32_t seed, first_style;
    int nstyles, least, sample;
    bool lists_only, soaks, prints_options, prints_declined;
} settings_t;

enum { MAX_ROWS = 512, MAX_DRAWS = 8 };

typedef struct {
    char name[IMPL_NAME_BYTES]; ///< pools come and go
    const char *verdict;
    int accepted, run, passed, failed, mistrusted, options, touched, edges, edges_touched, lost;
    int doubted; ///< options and edges that mistrusted results alone have touched
} row_t;

static struct {
    int nrows, nbad, nskipped;
    row_t rows[MAX_ROWS];
} report;

static row_t *add_row(const char *name, const char *verdict)
{
    row_t *const row = &report.rows[report.nrows++];
    *row = (row_t){.verdict = verdict};
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void judge(row_t *row, const settings_t *settings)
{
    const bool is_run = !settings->lists_only;
    const int open = row->options - row->touched + row->edges - row->edges_touched - row->doubted;
    const bool is_open = open > 0 && settings->sample == 0;
    const bool is_short = is_run && (row->passed < settings->least || is_open);
    const bool is_bad =
            row->failed ||
            (!settings->soaks && (row->lost > 0 || is_short || row->accepted < settings->least));
    row->verdict = row->accepted == 0 ? "BAD: nobody can reach it" : is_bad ? "BAD" : "ok";
    report.nbad += is_bad;
}

/// Prints what kept an implementation from being tested whole.
static void print_untouched(const pool_t *pool, int impl, const impl_result_t *result)
{
    for (int i = 0; i < pool->noptions; ++i)
        if (result->has[i] && !result->touched[i])
            printf("%s: no problem with %s passed%s\n", pool->impls[impl].name,
                    pool->options[i].name,
                    result->doubted[i] ? ", some with nearly all zeros were right" : "");
}

static void list_options(impl_result_t *result, const pool_t *pool, int impl)
{
    *result = (impl_result_t){.accepted = pool_count_of(pool, impl),
            .has = calloc((size_t)pool->noptions + 1, sizeof(bool)),
            .touched = calloc((size_t)pool->noptions + 1, sizeof(bool)),
            .doubted = calloc((size_t)pool->noptions + 1, sizeof(bool))};
    pool_options_of(pool, impl, result->has);
}

static void report_impl(
        const pool_t *pool, int impl, impl_result_t *result, const settings_t *settings)
{
    if (!settings->lists_only && !settings->soaks && !settings->sample)
        print_untouched(pool, impl, result);
    row_t *const row = add_row(pool->impls[impl].name, "");
    row->accepted = result->accepted;
    row->run = result->run;
    row->passed = result->passed;
    row->failed = result->failed;
    row->mistrusted = result->mistrusted;
    row->options = impl_count(pool, result->has, false);
    row->edges = impl_count(pool, result->has, true);
    for (int i = 0; i < pool->noptions; ++i) {
        row->doubted += result->has[i] && !result->touched[i] && result->doubted[i];
        result->touched[i] = result->touched[i] && result->has[i];
    }
    row->touched = impl_count(pool, result->touched, false);
    row->edges_touched = impl_count(pool, result->touched, true);
    if (settings->folder)
        row->lost = impl_options_lost(pool, impl, result->has, settings->folder, true);
    if (settings->prints_options) impl_options_print(pool, impl, result->has);
    if (settings->prints_declined) impl_options_print_declined(pool, impl, result->has);
    judge(row, settings);
    fflush(stdout);
}

static bool is_named(const settings_t *settings, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = settings->impls; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
    return !settings->impls;
}

/// Each seed begins with another implementation: draws that are ended by time do not all end at the
/// same one.
static void rotate(int *impls, int n, uint32_t seed)
{
    int rotated[MAX_IMPLS];
    for (int i = 0; i < n; ++i) rotated[i] = impls[(i + (int)(seed % (uint32_t)n)) % n];
    memcpy(impls, rotated, (size_t)n * sizeof *impls);
}

static void check_impls(const pool_t *pool, const settings_t *settings)
{
    static impl_result_t results[MAX_IMPLS];
    int impls[MAX_IMPLS], n = 0;
    for (int k = 0; k < pool->nimpls; ++k) {
        const char *const name = pool->impls[k].name;
        if (!is_named(settings, name)) continue;
        if (pool_count_of(pool, k) > 0 || !pool_lacks(pool, k, -1)) {
            impls[n++] = k;
            continue;
        }
        printf("skipped: %s: the device lacks what it needs\n", name);
        add_row(name, "skipped: the device lacks what it needs");
        ++report.nskipped;
    }
    if (settings->soaks) rotate(impls, n, settings->seed);
    if (!settings->lists_only)
        impl_check(results, pool, impls, n, settings->least, settings->sample);
    for (int i = 0; i < n; ++i) {
        if (settings->lists_only) list_options(&results[i], pool, impls[i]);
        report_impl(pool, impls[i], &results[i], settings);
        impl_result_free(&results[i]);
    }
}

/// Options that no implementation takes.
static int print_gaps(const pool_t *pool)
{
    int ngaps = 0;
    bool *const taken = calloc((size_t)pool->noptions + 1, sizeof(bool));
    for (int i = 0; taken && i < pool->n; ++i)
        for (int k = 0; pool->problems[i].takers && k < pool->problems[i].noptions; ++k)
            taken[pool->problems[i].options[k]] = true;
    for (int i = 0; taken && i < pool->noptions; ++i) {
        if (taken[i] || pool->options[i].size) continue;
        printf("%s: no implementation takes %s\n", pool->generator->driver, pool->options[i].name);
        ++ngaps;
    }
    free(taken);
    return ngaps;
}

/// Whether the pool shows too little of an implementation: fewer problems than wanted, or not all
/// the options that it is known to take (one that few problems have may be in none of the first
/// draw).
static bool is_short(const pool_t *pool, int impl, const settings_t *settings)
{
    const int n = pool_count_of(pool, impl);
    if (n == 0 && pool_lacks(pool, impl, -1)) return false;
    if (n < settings->least || !settings->folder) return n < settings->least;
    bool *const has = calloc((size_t)pool->noptions + 1, sizeof *has);
    if (has) pool_options_of(pool, impl, has);
    const bool is_lost = has && impl_options_lost(pool, impl, has, settings->folder, false) > 0;
    free(has);
    return is_lost;
}

/// Draws until every implementation shows enough of itself, or it is clear that some never will.
static bool fill_pool(pool_t *pool, const settings_t *settings)
{
    const int nrare = BROADCAST_STYLES + (pool->generator->rare ? RARE_STYLES : 0);
    for (int i = 0; i < MAX_DRAWS; ++i) {
        if (!pool_draw(pool, settings->nstyles + nrare)) return false;
        bool is_enough = true;
        for (int k = 0; k < pool->nimpls && !settings->soaks; ++k)
            is_enough = is_enough && !is_short(pool, k, settings);
        if (is_enough) return true;
    }
    return true;
}

static void check_operation(const generator_t *generator, const settings_t *settings)
{
    pool_t pool;
    pool_init(&pool, settings->benchdnn, settings->engine, generator,
            settings->seed * 100000u + settings->first_style);
    const bool is_drawn = fill_pool(&pool, settings);
    const int ngaps = is_drawn && !settings->soaks ? print_gaps(&pool) : 0;
    if (!is_drawn || (ngaps && !settings->soaks) || pool.nrefused) {
        printf("%s: %d problems, %d refused, %d options that nothing takes\n", generator->driver,
                pool.n, pool.nrefused, ngaps);
        ++report.nbad;
    }
    if (is_drawn) check_impls(&pool, settings);
    if (pool.nimpls == 0) {
        printf("%s has no implementation\n", generator->driver);
        ++report.nbad;
    }
    pool_free(&pool);
}

static void print_table(void)
{
    printf("\n| implementation | accepted | run | passed | failed | mistrusted | options touched | "
           "edges of tiles | mistrusted alone | lost | |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < report.nrows; ++i) {
        const row_t *const r = &report.rows[i];
        if (r->accepted == 0)
            printf("| `%s` | 0 | | | | | | | | | %s |\n", r->name, r->verdict);
        else
            printf("| `%s` | %d | %d | %d | %d | %d | %d of %d | %d of %d | %d | %d | %s |\n",
                    r->name, r->accepted, r->run, r->passed, r->failed, r->mistrusted, r->touched,
                    r->options, r->edges_touched, r->edges, r->doubted, r->lost > 0 ? r->lost : 0,
                    r->verdict);
    }
}

/// The text behind `--name=`, or NULL.
static const char *value_of(const char *token, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(token, name, length) == 0 ? token + length : NULL;
}

static bool parse(settings_t *settings, const char *token)
{
    const char *text = NULL;
    if ((text = value_of(token, "--driver=")))
        settings->driver = text;
    else if ((text = value_of(token, "--impl=")))
        settings->impls = text;
    else if ((text = value_of(token, "--options=")))
        settings->folder = text;
    else if ((text = value_of(token, "--seed=")))
        settings->seed = (uint32_t)strtoul(text, NULL, 10);
    else if ((text = value_of(token, "--first-style=")))
        settings->first_style = (uint32_t)strtoul(text, NULL, 10);
    else if ((text = value_of(token, "--styles=")))
        settings->nstyles = atoi(text);
    else if ((text = value_of(token, "--least=")))
        settings->least = atoi(text);
    else if ((text = value_of(token, "--sample=")))
        settings->sample = atoi(text);
    else if (strcmp(token, "--list") == 0)
        settings->lists_only = true;
    else if (strcmp(token, "--soak") == 0)
        settings->soaks = true;
    else if (strcmp(token, "--print-options") == 0)
        settings->prints_options = true;
    else if (strcmp(token, "--print-declined") == 0)
        settings->prints_declined = true;
    else
        return false;
    return true;
}

/// The options in the folder are those of processors with AVX-512 BF16 or more: others take fewer.
static bool is_below_the_lists(const settings_t *settings)
{
#if PRIM_X64
    const bool is_below = prim__cpu_isa() < CPU_ISA_AVX512_BF16;
#else
    const bool is_below = true;
#endif
    return strcmp(settings->engine, "cpu") == 0 && is_below;
}

int main(int argc, char **argv)
{
    static const char usage[] =
            "usage: check_impls BENCHDNN ENGINE [--driver=NAME] [--impl=FULL-NAME,…] [--seed=N]\n"
            "    [--first-style=N] [--styles=N] [--least=N] [--sample=N] [--options=FOLDER] "
            "[--list] [--soak]\n"
            "    [--print-options] [--print-declined]\n";
    settings_t settings = {.seed = 1, .nstyles = 800, .least = 30};
    bool is_sound = argc >= 3;
    for (int i = 3; is_sound && i < argc; ++i) is_sound = parse(&settings, argv[i]);
    if (!is_sound) {
        fputs(usage, stderr);
        return 2;
    }
    // scripts/soak.sh reads what a run that it ends has found.
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    settings.benchdnn = argv[1];
    settings.engine = argv[2];
    if (settings.folder && is_below_the_lists(&settings)) {
        printf("skipped: %s is for processors with AVX-512 BF16\n", settings.folder);
        settings.folder = NULL;
    }
    for (int i = 0; i < problem_ngenerators; ++i)
        if (!settings.driver || strcmp(settings.driver, problem_generators[i]->driver) == 0)
            check_operation(problem_generators[i], &settings);
    print_table();
    printf("\nseed %u: %d implementations, %d bad, %d skipped\n", settings.seed, report.nrows,
            report.nbad, report.nskipped);
    return report.nbad != 0 || report.nrows == 0;
}
