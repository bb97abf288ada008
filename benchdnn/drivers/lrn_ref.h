// SPDX-License-Identifier: Apache-2.0
// Data and references of benchdnn --lrn.
#ifndef BENCH_LRN_REF_H
#define BENCH_LRN_REF_H

#include "core/driver.h"

typedef struct {
    const problem_t *problem;
    bool is_across;
    data_class_t data_class;
} lrn_case_t;

void lrn_fill(const lrn_case_t *c, arg_t *arg);
void lrn_reference(const lrn_case_t *c, args_t *args);
void lrn_backward_reference(const lrn_case_t *c, args_t *args);

#endif
