// SPDX-License-Identifier: Apache-2.0
// What follows an operation, on rows of f32: post-ops, and scale and zero point of dst.
#ifndef PRIM_CPU_SIMD_CHAIN_H
#define PRIM_CPU_SIMD_CHAIN_H

#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_eltwise.h"
#include "simd_nest.h"

/// For init_pd: requires that the chain can be computed in vectors, and appends the descriptors of
/// its operands to the *ntensors ≤ SIMD_NEST_TENSORS of a nest, the first of which is dst.
prim_status_t prim__simd_chain_add(
        prim_desc_t *pd, const prim_memory_desc_t **tensors, int *ntensors);

/// One execution.
typedef struct {
    const prim_post_ops_t *post_ops;
    const simd_convert_code_t *convert;
    const simd_eltwise_code_t *eltwise;
    const simd_binary_code_t *binary;
    bool is_empty;
    bool has_scale, has_zero_point; ///< of dst, one for all
    float scale, zero_point;
    simd_array_t dst;
    simd_array_t operands[SIMD_NEST_TENSORS]; ///< by their places among the tensors
    int first;                                ///< place of the chain's first operand
} simd_chain_t;

/// `first`: how many tensors there were before prim__simd_chain_add().
void prim__simd_chain_init(
        simd_chain_t *chain, const prim_desc_t *pd, const exec_ctx_t *ctx, int first);

/// Applies the chain to n ≤ SIMD_ROW values, which lie at these offsets in the tensors and on by
/// these strides.
void prim__simd_chain_row(const simd_chain_t *chain, float *row, const prim_dim_t *offsets,
        const prim_dim_t *strides, prim_dim_t n);

/// A scale of the tensor that is one value for all; 1: not set.
float prim__simd_scale(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);

#endif
