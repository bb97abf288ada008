// SPDX-License-Identifier: Apache-2.0
// The order in which cases are created, executed and reported.
#include "bench_runner.h"

#include "bench_parallel.h"
#include "bench_report.h"

#define MAX_PENDING 64

static struct {
    int64_t ncases;
    int npending;
    bench_case_t *pending[MAX_PENDING];
} runner;

static void create_range(void *context, int64_t begin, int64_t end)
{
    (void)context;
    for (int64_t i = begin; i < end; ++i) case_create(runner.pending[i]);
}

void runner_flush(void)
{
    if (runner.npending == 0) return;
    if (runner.npending == 1)
        case_create(runner.pending[0]);
    else
        bench_parallel(runner.npending, 1, create_range, NULL);
    for (int i = 0; i < runner.npending; ++i) {
        case_execute(runner.pending[i]);
        report_case(runner.pending[i]);
        case_destroy(runner.pending[i]);
    }
    runner.npending = 0;
}

void runner_submit(bench_case_t *c)
{
    c->index = runner.ncases++;
    runner.pending[runner.npending++] = c;
    const int threads = bench_creates_in_parallel() ? bench_max_threads() : 1;
    if (runner.npending >= (threads < MAX_PENDING ? threads : MAX_PENDING)) runner_flush();
}

void runner_discard(void)
{
    for (int i = 0; i < runner.npending; ++i) case_destroy(runner.pending[i]);
    runner.npending = 0;
    runner.ncases = 0;
}

int runner_finish(void)
{
    runner_flush();
    runner.ncases = 0;
    return report_summary();
}
