// SPDX-License-Identifier: Apache-2.0
// Batch normalisation in benchdnn: what its driver, its filling and its reference share.
#ifndef BENCH_BNORM_REF_H
#define BENCH_BNORM_REF_H

#include "core/driver.h"

/// Options of the driver, by index in its table.
enum {
    BNORM_DIR,
    BNORM_DT,
    BNORM_TAG,
    BNORM_STRIDES,
    BNORM_FLAGS,
    BNORM_MB,
    BNORM_CHECK_ALG,
    BNORM_INPLACE,
    BNORM_DEBUG_WS,
};

/// How far the elements of a channel lie from their mean.
enum {
    FILL_AUTO = -1,
    FILL_NO_MEAN, ///< around zero
    FILL_NARROW,  ///< a spread far below the mean, as far as it stays exact
    FILL_WIDE,    ///< a spread of half the mean
    FILL_OUTLIER, ///< around zero, but for the middle one and its mirror, which are far away
};

/// The largest values of SHIFT and SRC_1.
#define BNORM_MAX_SHIFT .125
#define BNORM_MAX_ADDEND 8.

/// prim_normalization_flags_t of a case.
unsigned bnorm_flags(const prb_t *prb);

unsigned bnorm_data_classes(const prb_t *prb);
void bnorm_fill(const prb_t *prb, const args_t *args, arg_t *arg);
/// Whether mean and variance of the filled data have no rounding, in any order of summation.
bool bnorm_stats_are_exact(const prb_t *prb);
/// How many of 100 normalised values are 0 by the filling: an odd channel has its mean in it.
double bnorm_zero_percent(const prb_t *prb);

void bnorm_reference(const prb_t *prb, args_t *args);

#endif
