// SPDX-License-Identifier: Apache-2.0
// Comparison of one output with its reference.
#ifndef BENCH_JUDGE_H
#define BENCH_JUDGE_H

#include "bench_args.h"

/// What the comparison of one output found.
typedef struct {
    int64_t errors, total;
    bool is_trusted; ///< false: too many zeros for agreement to mean much
} verdict_t;

/// Compares `got` with arg->data by the driver's policy; prints the first mismatches.
verdict_t judge(const args_t *args, const arg_t *arg, const double *got);

/// SRC, WEI, DST, …
const char *data_kind_name(data_kind_t kind);

#endif
