// SPDX-License-Identifier: Apache-2.0
// What benchdnn says while it works, to people: on stderr, so that results stay parseable.
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/// Whether somebody looks: -v1 and more, or stderr is a terminal.
bool bench_progress_is_wanted(void);

/// One line to `to` if a creation of `ms` milliseconds was long enough to make one wonder (a
/// second), as it is where kernels are compiled for the first time.
void bench_progress_creation(FILE *to, double ms);

#endif
