// SPDX-License-Identifier: Apache-2.0
// The fused depthwise step of convolution: its arguments, their values, its reference.
#ifndef BENCH_CONV_DEPTHWISE_H
#define BENCH_CONV_DEPTHWISE_H

#include "product.h"

/// Why a case with such a step, or with scales of one, is not run.
skip_reason_t conv_depthwise_skip(const prb_t *prb);
/// Adds its weights and bias to the arguments.
void conv_depthwise_list_args(const prb_t *prb, args_t *args);
/// Whether the argument is one of them, which it fills.
bool conv_depthwise_fill(arg_t *arg);
/// DST from what the convolution left between the two.
void conv_depthwise_reference(const prb_t *prb, const product_t *product, args_t *args);

#endif
