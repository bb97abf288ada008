// SPDX-License-Identifier: Apache-2.0
// What the reference implementations of group and layer normalisation read of an execution.
#ifndef PRIM_CPU_REF_NORM_H
#define PRIM_CPU_REF_NORM_H

#include "ref_finish.h"

typedef struct {
    double epsilon, src_scale;
    bool are_given;                  ///< the statistics
    const void *src, *scale, *shift; ///< the last two or NULL
    float *mean, *variance;          ///< inputs or outputs, or NULL
    ref_finish_t finish;
} ref_norm_t;

void prim__ref_norm_init(ref_norm_t *norm, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
