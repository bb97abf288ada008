// SPDX-License-Identifier: Apache-2.0
// Matmul through the packed matrix product.
#ifndef PRIM_CPU_SIMD_MATMUL_H
#define PRIM_CPU_SIMD_MATMUL_H

#include "common/impl.h"
#include "common/matmul_shape.h"
#include "simd_gemm.h"

/// Fixed at creation; plain data.
typedef struct {
    prim_desc_t base;
    simd_gemm_word_t word; ///< of the product's panels
    bool flips_src;        ///< bytes of src are s8, and become u8 of the value + 128
    int nthr;
    size_t thread_bytes;   ///< scratch of one thread
    size_t scratch_offset; ///< of all threads' scratch in the scratchpad
    bool uses_sums;        ///< sums go to the scratchpad in f32, dst is written from there
    size_t sums_offset;
    prim_dim_t strip_row; ///< of sums that go to a thread's scratch instead; 0: none do
    bool has_factors;     ///< src or weights have scales
    size_t factors_offset;
    bool has_zeros; ///< zero points of the product are left to the finish
    size_t zeros_offset;
    bool is_sums;       ///< dst is s32, and nothing follows the sums
    bool is_row_chain;  ///< bias and post-ops run on rows of f32 in dst itself
    bool is_vector;     ///< else they, and the conversion to dst, run in vectors
    bool has_epilogue;  ///< they take one pass over the sums
    size_t bias_offset; ///< of the bias in f32
    bool has_first_sum; ///< the chain's first step is a sum that the product itself takes in
} simd_matmul_pd_t;

_Static_assert(offsetof(simd_matmul_pd_t, base) == 0, "the base comes first");

/// Declines what the product does not do; books the scratchpad. Layouts are fixed. `shape` is NULL
/// when dimensions or strides come at execution.
prim_status_t prim__simd_matmul_init_pd(prim_desc_t *pd, const matmul_shape_t *shape);

/// Gives weights of layout `any` panels of the product's width; the depth lies in the order of
/// `like`, and so does all if there are fewer columns than in a panel.
prim_status_t prim__simd_matmul_set_weights(
        prim_memory_desc_t *wei, const prim_memory_desc_t *like);

/// Computes it. `shape` is that of the execution.
prim_status_t prim__simd_matmul_execute(
        const prim_desc_t *pd, const exec_ctx_t *ctx, const matmul_shape_t *shape);

#endif
