// SPDX-License-Identifier: Apache-2.0
// Data and reference of the gradients of prelu.
#ifndef BENCH_PRELU_BACKWARD_H
#define BENCH_PRELU_BACKWARD_H

#include "core/driver.h"

/// Numbers of both signs, 1 to 4 in size; with the class reals all bits of the mantissa are used.
void prelu_backward_fill(arg_t *arg, data_class_t data_class);
/// Computes DIFF_SRC and DIFF_WEIGHTS with their slack.
void prelu_backward_reference(const problem_t *problem, args_t *args);

#endif
