// SPDX-License-Identifier: Apache-2.0
// Data and reference of the gradients of softmax and log-softmax.
#ifndef BENCH_SOFTMAX_BACKWARD_H
#define BENCH_SOFTMAX_BACKWARD_H

#include "core/driver.h"

/// Rows lie along the axis: elements at distance `inner`, outer × inner of them.
typedef struct {
    int64_t outer, axis, inner;
} softmax_rows_t;

unsigned softmax_backward_data_classes(void);
/// Of DST and DIFF_DST.
void softmax_backward_fill(const prb_t *prb, arg_t *arg, softmax_rows_t rows, bool is_log);
/// DIFF_SRC with its slack.
void softmax_backward_reference(args_t *args, softmax_rows_t rows, bool is_log);

#endif
