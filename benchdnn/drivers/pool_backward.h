// SPDX-License-Identifier: Apache-2.0
// Data and reference of the gradient of pooling.
#ifndef BENCH_POOL_BACKWARD_H
#define BENCH_POOL_BACKWARD_H

#include "core/driver.h"

/// Taps first..last-1 of window `o` along an axis lie inside the source.
void pool_real_taps(const problem_t *p, int axis, int64_t o, int64_t *first, int64_t *last);

/// A winner for each window, drawn from its taps inside the source; 0 where it has none.
void pool_backward_fill_workspace(const prb_t *prb, arg_t *arg);
/// Computes DIFF_SRC with its slack.
void pool_backward_reference(const prb_t *prb, prim_alg_kind_t alg, args_t *args);

#endif
