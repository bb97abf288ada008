// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution in benchdnn itself: plain sums in double.
#ifndef BENCH_CONV_BACKWARD_H
#define BENCH_CONV_BACKWARD_H

#include "core/driver.h"

/// diff_src[mb, ic, in] = Σ diff_dst[mb, oc, out]·wei[oc, ic/g, kernel]. All arrays are dense
/// row-major; the result is overwritten.
void conv_backward_data(
        const problem_t *problem, const double *diff_dst, const double *wei, double *diff_src);
/// diff_wei[oc, ic/g, kernel] = Σ src[mb, ic, in]·diff_dst[mb, oc, out], likewise.
void conv_backward_weights(
        const problem_t *problem, const double *src, const double *diff_dst, double *diff_wei);

/// The share of diff_src, 0..1, that windows reach: strides above the kernel skip over elements.
double conv_backward_reached(const problem_t *problem);

#endif
