// SPDX-License-Identifier: Apache-2.0
// Reference of the gradient of resampling.
#ifndef BENCH_RESAMPLING_BACKWARD_H
#define BENCH_RESAMPLING_BACKWARD_H

#include "core/driver.h"

/// Two neighbours along one axis and the share of the second.
typedef struct {
    int64_t index[2];
    double share;
} neighbours_t;

/// What element `y` of the destination is made of along an axis.
neighbours_t resampling_neighbours(const problem_t *p, bool is_linear, int axis, int64_t y);

/// Computes DIFF_SRC with its slack.
void resampling_backward_reference(const prb_t *prb, bool is_linear, args_t *args);

#endif
