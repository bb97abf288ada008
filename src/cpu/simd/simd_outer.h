// SPDX-License-Identifier: Apache-2.0
// Sums of outer products: of what two tensors with channels last have at the same pixels.
#ifndef PRIM_CPU_SIMD_OUTER_H
#define PRIM_CPU_SIMD_OUTER_H

#include "common/impl.h"
#include "simd_level.h"

/// sums[r·sums_row + j] += Σ a[a_at[i] + r] · b[b_at[i] + j] over i < npixels, for r < na, j < nb.
typedef struct {
    const float *a, *b;
    const prim_dim_t *a_at, *b_at;
    prim_dim_t npixels, na, nb;
    float *sums;
    prim_dim_t sums_row;
} simd_outer_t;

typedef struct {
    /// Vectors run along b.
    void (*add)(const simd_outer_t *product);
} simd_outer_code_t;

SIMD_DECLARE(simd_outer_code_t, prim__simd_outer_code);

#endif
