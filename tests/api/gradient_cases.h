// SPDX-License-Identifier: Apache-2.0
// The backward passes that api_gradients.c compares with finite differences.
#ifndef GRADIENT_CASES_H
#define GRADIENT_CASES_H

#include <stdbool.h>

#include <prim/prim.h>

typedef struct gradient_case {
    const char *pass; ///< of the creating function: "softmax_backward"
    prim_status_t (*forward)(prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt,
            const struct gradient_case *c);
    prim_status_t (*backward)(prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint,
            const struct gradient_case *c);
    prim_alg_kind_t alg;
    float alpha, beta;
    bool is_positive; ///< src, where functions of negative numbers are NaN
    int axis;
    unsigned flags;
} gradient_case_t;

extern const gradient_case_t gradient_cases[];
extern const int gradient_ncases;

#endif
