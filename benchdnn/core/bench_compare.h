// SPDX-License-Identifier: Apache-2.0
// How an output is compared with its reference.
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include <prim/prim.h>

#include "bench_option.h"

/// One element under comparison.
typedef struct {
    const struct args *args; ///< the case's arguments, for args_data()
    int64_t offset;          ///< row-major over the logical dims
    double reference;        ///< as the driver computed it
    double expected;         ///< reference rounded and saturated to the output's type
    double got;
    double diff;     ///< |expected - got|
    double rel_diff; ///< diff / |expected|, diff where that is not a normal float
} point_t;

/// The policy for one output. The core sets the defaults; a driver's set_compare changes them.
typedef struct {
    /// Percentage of zeros in the output above which agreement means nothing. Default 30 (65 with a
    /// post-op that makes zeros, or u8 output); 100 switches the check off.
    double zero_percent;
    /// Points are judged by the output's slack (args_slack()); without that they have to be equal.
    /// is_norm: instead, ||expected - got|| of the whole tensor may be as large as the norm of the
    /// slacks with half a unit of the output's type each. Either way points of infinite slack are
    /// left open, and count as zeros: they say nothing.
    bool is_norm;
    /// Both NaN, or the same infinity, are equal. Default: where post-ops or the type can make
    /// them.
    bool allows_nan_inf;
    /// A rule of the driver's own that lets a point pass. Optional.
    bool (*accepts)(const prb_t *prb, const point_t *point);
} compare_t;

#endif
