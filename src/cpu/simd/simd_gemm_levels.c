// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set that a matrix product uses.
#include "simd_gemm_levels.h"
#include "simd_gemm_kernel.h"

const simd_gemm_code_t *prim__simd_gemm_choose(simd_gemm_word_t word)
{
#if PRIM_X64
    const cpu_isa_t isa = prim__cpu_isa();
    if (isa >= CPU_ISA_AVX512_AMX && word != SIMD_WORD_F32)
        return word == SIMD_WORD_BF16 ? &prim__simd_gemm_amx_bf16 : &prim__simd_gemm_amx_bytes;
    if (word == SIMD_WORD_BF16)
        return isa >= CPU_ISA_AVX512_BF16 ? &prim__simd_gemm_avx512_bf16 : NULL;
    if (word == SIMD_WORD_BYTES)
        return isa >= CPU_ISA_AVX512_VNNI ? &prim__simd_gemm_avx512_bytes : NULL;
    if (isa >= CPU_ISA_AVX512) return &prim__simd_gemm_avx512_f32;
    if (isa == CPU_ISA_AVX2) return &prim__simd_gemm_avx2;
#endif
    if (word != SIMD_WORD_F32) return NULL;
#if PRIM_NEON
    if (prim__cpu_isa() == CPU_ISA_NEON) return &prim__simd_gemm_code_neon;
#endif
    return &prim__simd_gemm_code_portable;
}

const simd_gemm_shape_t *prim__simd_gemm_shape(simd_gemm_word_t word)
{
    return &prim__simd_gemm_choose(word)->shape;
}

bool prim__simd_gemm_has_signed(void)
{
    return prim__simd_gemm_has(SIMD_WORD_BYTES) &&
           prim__simd_gemm_choose(SIMD_WORD_BYTES)->signed_kernel;
}

bool prim__simd_gemm_has(simd_gemm_word_t word)
{
    return prim__simd_gemm_choose(word) != NULL;
}
