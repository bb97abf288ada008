// SPDX-License-Identifier: Apache-2.0
// Eltwise post-ops on rows of f32.
#ifndef PRIM_CPU_SIMD_ELTWISE_ROW_H
#define PRIM_CPU_SIMD_ELTWISE_ROW_H

#include "common/attr.h"

/// row[j] = f(row[j]) for j = 0..n−1, f being the algorithm of an eltwise step.
void prim__simd_eltwise_row(const post_op_t *step, float *row, prim_dim_t n);

#endif
