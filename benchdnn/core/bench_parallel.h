// SPDX-License-Identifier: Apache-2.0
// Threads of the runner itself; bench_parallel() is declared in driver.h.
#ifndef BENCH_PARALLEL_H
#define BENCH_PARALLEL_H

#include <stdint.h>

#include "driver.h"

int bench_max_threads(void);
/// Sets the number of threads of OpenMP regions; returns the previous one. 0 changes nothing.
int bench_set_threads(int64_t threads);

#endif
