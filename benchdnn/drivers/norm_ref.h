// SPDX-License-Identifier: Apache-2.0
// Normalisations in benchdnn: data with known statistics and the reference, which the drivers of
// batch and layer normalisation share.
#ifndef BENCH_NORM_REF_H
#define BENCH_NORM_REF_H

#include "core/driver.h"

/// How far the elements of a channel lie from their mean.
enum {
    FILL_AUTO = -1,
    FILL_NO_MEAN, ///< around zero
    FILL_NARROW,  ///< a spread far below the mean, as far as it stays exact
    FILL_WIDE,    ///< a spread of half the mean
    FILL_OUTLIER, ///< around zero, but for the middle one and its mirror, which are far away
};

/// A tensor [images, channels, spatial] whose channels have a mean and a variance each. Rows of a
/// layer normalisation are the channels of one image.
typedef struct {
    int64_t images, channels, spatial;
    prim_data_type_t dt; ///< of src
    unsigned flags;      ///< prim_normalization_flags_t
    double epsilon;
    int fill; ///< FILL_…
    data_class_t data_class;
    bool scales_places; ///< scale and shift have a value for each place in a row, not each channel
} norm_case_t;

/// The largest values of SHIFT and SRC_1.
#define NORM_MAX_SHIFT .125
#define NORM_MAX_ADDEND 8.

unsigned norm_data_classes(const norm_case_t *norm);
void norm_fill(const norm_case_t *norm, arg_t *arg);
/// Whether mean and variance of the filled data have no rounding, in any order of summation.
bool norm_stats_are_exact(const norm_case_t *norm);
/// How many of 100 normalised values are 0 by the filling: an odd channel has its mean in it.
double norm_zero_percent(const norm_case_t *norm);

void norm_reference(const norm_case_t *norm, args_t *args);

#endif
