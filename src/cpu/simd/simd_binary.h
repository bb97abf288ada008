// SPDX-License-Identifier: Apache-2.0
// Operations of two rows of f32.
#ifndef PRIM_CPU_SIMD_BINARY_H
#define PRIM_CPU_SIMD_BINARY_H

#include "common/op_desc.h"
#include "simd_level.h"

/// A row, or one value for all of it.
typedef struct {
    const float *row;
    bool is_constant; ///< only row[0] counts
} simd_operand_t;

typedef struct {
    /// out[i] = a[i] op b[i] for all algorithms but select; out may be a or b.
    void (*compute)(prim_alg_kind_t alg, float *out, const simd_operand_t *a,
            const simd_operand_t *b, prim_dim_t n);
    /// out[i] = condition[i] != 0 ? a[i] : b[i]
    void (*select)(float *out, const simd_operand_t *condition, const simd_operand_t *a,
            const simd_operand_t *b, prim_dim_t n);
    /// out[i] = x[i] > 0 ? x[i] : x[i]·slopes[i]; out may be x
    void (*prelu)(float *out, const float *x, const simd_operand_t *slopes, prim_dim_t n);
    /// row[i] += factor·(old[i] − zero)
    void (*add_scaled)(float *row, const float *old, float factor, float zero, prim_dim_t n);
} simd_binary_code_t;

SIMD_DECLARE(simd_binary_code_t, prim__simd_binary_code);

#endif
