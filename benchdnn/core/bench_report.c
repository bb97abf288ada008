// SPDX-License-Identifier: Apache-2.0
// Status lines as cases end, totals at the end of the run.
#include "bench_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_text.h"

#define MAX_LISTED 10

stopwatch_t bench_stopwatch;

static struct {
    double begin_ms;
    int64_t tests, passed, skipped, mistrusted, unimplemented, invalid_arguments, failed, listed;
    double sum_min_ms, sum_avg_ms;
    int64_t nfailures;
    char *failures[MAX_LISTED];
} totals;

void report_start(void)
{
    for (int i = 0; i < MAX_LISTED; ++i) free(totals.failures[i]);
    memset(&totals, 0, sizeof totals);
    bench_stopwatch = (stopwatch_t){0};
    totals.begin_ms = now_ms();
}

/// INITIALIZED is an end only where nothing more was asked.
static status_t final_status(const result_t *result)
{
    const bool is_half_done = result->status == STATUS_INITIALIZED && bench_mode_has(MODE_EXEC);
    return is_half_done ? STATUS_FAILED : result->status;
}

static void count(status_t status)
{
    ++totals.tests;
    switch (status) {
    case STATUS_LISTED: ++totals.listed; break;
    case STATUS_SKIPPED: ++totals.skipped; break;
    case STATUS_INITIALIZED:
    case STATUS_EXECUTED:
    case STATUS_PASSED: ++totals.passed; break;
    case STATUS_MISTRUSTED: ++totals.mistrusted; break;
    case STATUS_UNIMPLEMENTED:
        ++totals.unimplemented;
        ++totals.failed;
        break;
    case STATUS_INVALID_ARGUMENTS:
        ++totals.invalid_arguments;
        ++totals.failed;
        break;
    default: ++totals.failed;
    }
}

static bool is_failure(status_t status)
{
    return status == STATUS_FAILED || status == STATUS_UNTESTED_FAILED ||
           status == STATUS_UNIMPLEMENTED || status == STATUS_INVALID_ARGUMENTS;
}

static void format_line(text_t *line, const bench_case_t *c, status_t status)
{
    text_printf(line, "%lld:%s", (long long)c->index, status_name(status));
    if (c->result.reason) text_printf(line, " (%s)", c->result.reason);
    if (c->result.errors)
        text_printf(line, " (errors:%lld total:%lld)", (long long)c->result.errors,
                (long long)c->result.total);
    text_printf(line, " __REPRO: %s", text_string(&c->repro));
}

void report_case(const bench_case_t *c)
{
    const status_t status = final_status(&c->result);
    text_t line = {0};
    format_line(&line, c, status);
    count(status);
    if (status != STATUS_EXECUTED || !bench_mode_has(MODE_PERF)) printf("%s\n", text_string(&line));
    if (is_failure(status)) {
        if (totals.nfailures < MAX_LISTED)
            totals.failures[totals.nfailures] = bench_strdup(text_string(&line));
        ++totals.nfailures;
    }
    text_free(&line);
    if (c->result.perf.is_measured) {
        totals.sum_min_ms += c->result.perf.min_ms;
        totals.sum_avg_ms += c->result.perf.total_ms / (double)c->result.perf.runs;
        report_perf(c);
    }
    fflush(stdout);
}

static void print_failures(void)
{
    static const char bar[] = "============================================================";
    if (!bench.lists_failures || !bench_mode_has(MODE_CORR) || !totals.nfailures) return;
    printf("%s\n= Failed cases summary (--summary=no-failures to disable) =\n%s\n", bar, bar);
    for (int64_t i = 0; i < totals.nfailures && i < MAX_LISTED; ++i)
        printf("%s\n", totals.failures[i]);
    if (totals.nfailures > MAX_LISTED)
        printf("(... %lld more cases ...)\n", (long long)(totals.nfailures - MAX_LISTED));
    printf("============================\n");
}

static void print_share(const char *name, double ms, double total_ms)
{
    printf(" %s: %.2fs (%.0f%%);", name, ms * 1e-3, total_ms > 0. ? 100. * ms / total_ms : 0.);
}

int report_summary(void)
{
    const double total_ms = now_ms() - totals.begin_ms;
    print_failures();
    printf("tests:%lld passed:%lld skipped:%lld mistrusted:%lld unimplemented:%lld "
           "invalid_arguments:%lld failed:%lld listed:%lld\n",
            (long long)totals.tests, (long long)totals.passed, (long long)totals.skipped,
            (long long)totals.mistrusted, (long long)totals.unimplemented,
            (long long)totals.invalid_arguments, (long long)totals.failed,
            (long long)totals.listed);
    if (bench_mode_has(MODE_PERF))
        printf("total perf: min(ms):%g avg(ms):%g\n", totals.sum_min_ms, totals.sum_avg_ms);
    printf("total: %.2fs;", total_ms * 1e-3);
    if (bench_mode_has(MODE_EXEC)) print_share("fill", bench_stopwatch.fill_ms, total_ms);
    if (bench_mode_has(MODE_CORR)) {
        print_share("compute_ref", bench_stopwatch.reference_ms, total_ms);
        print_share("compare", bench_stopwatch.compare_ms, total_ms);
    }
    printf("\n");
    return totals.failed ? EXIT_CODE_FAILED : 0;
}
