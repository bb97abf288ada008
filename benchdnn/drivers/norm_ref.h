// SPDX-License-Identifier: Apache-2.0
// Normalisations in benchdnn: data with known statistics and the references, which the drivers of
// batch, layer and group normalisation share.
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
/// layer normalisation, and groups of all images, are the channels of one image.
typedef struct {
    int64_t images, channels, spatial;
    prim_data_type_t dt; ///< of src
    unsigned flags;      ///< prim_normalization_flags_t
    double epsilon;
    int fill;       ///< FILL_…
    bool is_shared; ///< src is a broadcast, which leaves little of a channel's pattern
    data_class_t data_class;
    /// Values of scale and shift are for parameter_elems elements of a channel each, one after the
    /// other, and a channel has those of the one parameter_channels further on. 0: one each.
    int64_t parameter_elems, parameter_channels;
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

/// The index in scale and shift of element `j` of channel `c`.
int64_t norm_parameter(const norm_case_t *norm, int64_t c, int64_t j);

void norm_reference(const norm_case_t *norm, args_t *args);

#endif
