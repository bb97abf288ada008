// SPDX-License-Identifier: Apache-2.0
// Data and reference of the gradients of element-wise functions.
#ifndef BENCH_ELTWISE_BACKWARD_H
#define BENCH_ELTWISE_BACKWARD_H

#include "core/driver.h"

/// The function, and the type of all tensors.
typedef struct {
    prim_alg_kind_t alg;
    float alpha, beta; ///< as the library takes them
    prim_data_type_t dt;
} eltwise_gradient_t;

/// PRIM_ARG_DST of the algorithms that take the result of the forward pass, else PRIM_ARG_SRC.
int eltwise_data_arg(prim_alg_kind_t alg);
/// Fills diff_dst: 1 to 8 in size.
void eltwise_backward_fill(arg_t *arg, data_class_t data_class);
/// Computes DIFF_SRC and its slack.
void eltwise_backward_reference(const eltwise_gradient_t *gradient, args_t *args);
/// A subnormal src or dst may be taken for 0.
bool eltwise_backward_accepts(const eltwise_gradient_t *gradient, const point_t *point);
/// How many zeros there may be: functions that are flat somewhere have many.
double eltwise_backward_zero_percent(prim_alg_kind_t alg);

#endif
