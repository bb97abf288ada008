// SPDX-License-Identifier: Apache-2.0
// Timing of a primitive that has been executed once.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench_args.h"
#include "bench_perf.h"

/// Runs the primitive until the budget of the command line is spent; fills the times of `perf`.
prim_status_t measure(perf_t *perf, const prim_t *primitive, const args_t *args);

#endif
