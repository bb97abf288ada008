// SPDX-License-Identifier: Apache-2.0
// The reference of the gradients of batch, layer and group normalisation.
#ifndef BENCH_NORM_BACKWARD_H
#define BENCH_NORM_BACKWARD_H

#include "norm_ref.h"

/// Computes DIFF_SRC and, where the case has them, DIFF_SRC_1, DIFF_SCALE and DIFF_SHIFT, with
/// their slack.
void norm_backward_reference(const norm_case_t *norm, args_t *args);

#endif
