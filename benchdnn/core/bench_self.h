// SPDX-License-Identifier: Apache-2.0
// benchdnn --self: checks of what every other verdict stands on, on the machine at hand.
#ifndef BENCH_SELF_H
#define BENCH_SELF_H

#include <stdbool.h>

/// Whether the token is the driver's name.
bool self_is_meant(const char *token);
/// Runs the checks, prints a line for each and the totals; returns the exit code.
int self_run(void);

#endif
