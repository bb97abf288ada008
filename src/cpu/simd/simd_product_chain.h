// SPDX-License-Identifier: Apache-2.0
// What follows a product, in vectors: post-ops, scale and zero point of dst, and the conversion to
// its type, on rows of f32 that lie anywhere in a plain dst.
#ifndef PRIM_CPU_SIMD_PRODUCT_CHAIN_H
#define PRIM_CPU_SIMD_PRODUCT_CHAIN_H

#include "simd_chain.h"

/// Prepared once for each execution.
typedef struct {
    simd_chain_t chain;
    int ntensors;
    const prim_memory_desc_t *mds[SIMD_NEST_TENSORS]; ///< of dst, then of the operands
} simd_product_chain_t;

/// Whether the vectors do all that follows (init_pd, layouts fixed). A dst of s32 has no room in
/// f32.
bool prim__simd_product_chain_takes(const prim_desc_t *pd);

void prim__simd_product_chain_init(
        simd_product_chain_t *chain, const prim_desc_t *pd, const exec_ctx_t *ctx);

/// Finishes the n ≤ SIMD_ROW sums of dst's elements from `position` on along dimension `dim`, and
/// stores them.
void prim__simd_product_chain_store(const simd_product_chain_t *chain, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n);

/// The same for n sums of contiguous elements of dst, if no post-op has an operand.
void prim__simd_product_chain_store_contiguous(
        const simd_product_chain_t *chain, float *row, const prim_dim_t *position, prim_dim_t n);

#endif
