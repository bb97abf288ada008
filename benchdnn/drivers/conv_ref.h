// SPDX-License-Identifier: Apache-2.0
// The convolution of benchdnn itself: plain sums in double.
#ifndef BENCH_CONV_REF_H
#define BENCH_CONV_REF_H

#include "core/driver.h"

/// dst[mb, oc, out] = bias[oc] + Σ src[mb, ic, in]·wei[oc, ic/g, kernel], zeros outside src. All
/// arrays are dense row-major; `bias` may be NULL. `dst` is overwritten.
void conv_ref(const problem_t *problem, const double *src, const double *wei, const double *bias,
        double *dst);

/// A kernel of one point that visits every element is the same sum over one long row: makes the
/// spatial dimensions of such a problem one.
void conv_ref_merge_spatial(problem_t *p);

/// Pairs (output position, tap) that meet a real element of src, over all spatial dimensions.
double conv_ref_pairs(const problem_t *problem);

#endif
