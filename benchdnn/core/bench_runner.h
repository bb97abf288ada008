// SPDX-License-Identifier: Apache-2.0
// Takes cases in order, creates and executes them, reports each as it ends.
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "bench_case.h"

/// Takes ownership of the case. Without modifier P it is run at once; with it cases are collected,
/// created in parallel and executed in order when there are as many as threads.
void runner_submit(bench_case_t *c);
/// Runs what has been collected. Before global options change and at the end.
void runner_flush(void);

/// Drops what has been collected.
void runner_discard(void);

/// Prints the closing lines; returns the exit code of the process.
int runner_finish(void);

#endif
