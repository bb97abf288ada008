// SPDX-License-Identifier: Apache-2.0
// What the user sees of a case: status line, perf line; and the totals at the end.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench_case.h"

/// Where the time of the run went, in milliseconds; the total is that of the process.
typedef struct {
    double fill_ms, reference_ms, compare_ms;
} stopwatch_t;
extern stopwatch_t bench_stopwatch;

/// Starts the clock and the counts of a run.
void report_start(void);
/// Prints the lines of a finished case and counts it.
void report_case(const bench_case_t *c);
/// Prints failures and totals; returns the exit code.
int report_summary(void);

/// Checks a template before anything is run: false after an error sentence about an unknown token.
bool perf_template_is_sound(const char *text);
/// Prints the perf line of a measured case.
void report_perf(const bench_case_t *c);

#endif
