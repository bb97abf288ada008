// SPDX-License-Identifier: Apache-2.0
// The reference of layer normalisation's gradients, apart from its driver.
#ifndef BENCH_LNORM_BACKWARD_H
#define BENCH_LNORM_BACKWARD_H

#include "norm_ref.h"

/// Computes DIFF_SRC and, where the case has them, DIFF_SCALE and DIFF_SHIFT, with their slack.
void lnorm_backward_reference(const norm_case_t *norm, args_t *args);

#endif
