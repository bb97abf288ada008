// SPDX-License-Identifier: Apache-2.0
// What a driver of a normalisation hands to the core: the case as channels with statistics, then
// what all of them do.
#ifndef BENCH_NORM_CASE_H
#define BENCH_NORM_CASE_H

#include "norm_backward.h"

/// What the driver knows of its cases; driver_t's `norm`.
typedef struct norm_driver {
    norm_case_t (*of)(const prb_t *prb);
    int dir_option, dt_option; ///< places in its table; the types of src and dst
    int inplace_option;
} norm_driver_t;

/// driver_t's list_args, data_classes, fill, reference and set_compare for such a driver.
void norm_case_list_args(const prb_t *prb, args_t *args);
unsigned norm_case_classes(const prb_t *prb);
void norm_case_fill(const prb_t *prb, const args_t *args, arg_t *arg);
void norm_case_reference(const prb_t *prb, args_t *args);
void norm_case_set_compare(
        const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare);

#endif
