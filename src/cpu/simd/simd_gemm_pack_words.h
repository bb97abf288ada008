// SPDX-License-Identifier: Apache-2.0
// Packing of operands whose words hold several elements.
#ifndef PRIM_CPU_SIMD_GEMM_PACK_WORDS_H
#define PRIM_CPU_SIMD_GEMM_PACK_WORDS_H

#include "simd_gemm_pack.h"

/// An operand whose words hold several elements.
typedef struct {
    simd_gemm_operand_t elems; ///< of bf16 or bytes
    prim_dim_t depth;          ///< in elements
    bool flips; ///< the sign bits: s8 become u8 of the value + 128, u8 become s8 of the value - 128
} simd_gemm_words_t;

/// prim__simd_gemm_pack() for words of several elements: p0 and np count words.
void prim__simd_gemm_pack_words(const simd_gemm_words_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels);

/// What pack_a_rows has to do, for an operand whose elements are neighbours in depth (down is 1).
void prim__simd_gemm_pack_rows(const simd_gemm_words_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, float *rows, prim_dim_t step);

#endif
