// SPDX-License-Identifier: Apache-2.0
// The product of all option lists for one problem.
#ifndef BENCH_PRODUCT_H
#define BENCH_PRODUCT_H

#include "bench_case.h"

/// Parses a descriptor and runs every combination of the option lists on it. False after an error
/// sentence about the command line.
bool product_run(const settings_t *settings, const char *descriptor);

#endif
