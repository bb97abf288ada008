// SPDX-License-Identifier: Apache-2.0
// Data and reference of benchdnn --reduction.
#ifndef BENCH_REDUCTION_REF_H
#define BENCH_REDUCTION_REF_H

#include "core/driver.h"

/// A case: its tensors are dims[0] and dims[1] of the problem.
typedef struct {
    const problem_t *problem;
    prim_alg_kind_t alg;
    double p, eps;
    prim_data_type_t src_dt, dst_dt;
    data_class_t data_class;
    bool has_post_ops;
    int64_t nreduced; ///< elements of src that become one of dst
} reduction_case_t;

bool reduction_is_norm(prim_alg_kind_t alg);
unsigned reduction_data_classes(const reduction_case_t *c);
void reduction_fill(const reduction_case_t *c, arg_t *arg);
void reduction_reference(const reduction_case_t *c, args_t *args);

#endif
