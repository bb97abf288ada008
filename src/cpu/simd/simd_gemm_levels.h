// SPDX-License-Identifier: Apache-2.0
// Matrix products by the widest instructions that this processor has.
#ifndef PRIM_CPU_SIMD_GEMM_LEVELS_H
#define PRIM_CPU_SIMD_GEMM_LEVELS_H

#include "simd_gemm_kernel.h"

/// Whether this processor multiplies such words; f32 always.
bool prim__simd_gemm_has(simd_gemm_word_t word);

/// Whether A may hold bytes of s8 (a_is_signed), so that their signs need not be flipped.
bool prim__simd_gemm_has_signed(void);

/// The shape for such words, which this processor multiplies. nr is that of f32, since layouts of
/// weights name it. Borrowed, lives for ever.
const simd_gemm_shape_t *prim__simd_gemm_shape(simd_gemm_word_t word);

/// What multiplies on this processor; NULL: none for such words.
const simd_gemm_code_t *prim__simd_gemm_choose(simd_gemm_word_t word);

#endif
