// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set that a matrix product uses.
#include "x64_gemm_kernel.h"

const x64_gemm_code_t *prim__x64_gemm_code(x64_gemm_word_t word)
{
#if PRIM_X64
    const cpu_isa_t isa = prim__cpu_isa();
    if (isa >= CPU_ISA_AVX512_AMX && word != X64_WORD_F32)
        return word == X64_WORD_BF16 ? &prim__x64_gemm_amx_bf16 : &prim__x64_gemm_amx_bytes;
    if (word == X64_WORD_BF16)
        return isa >= CPU_ISA_AVX512_BF16 ? &prim__x64_gemm_avx512_bf16 : NULL;
    if (word == X64_WORD_BYTES)
        return isa >= CPU_ISA_AVX512_VNNI ? &prim__x64_gemm_avx512_bytes : NULL;
    if (isa >= CPU_ISA_AVX512) return &prim__x64_gemm_avx512_f32;
    if (isa == CPU_ISA_AVX2) return &prim__x64_gemm_avx2;
#endif
    if (word != X64_WORD_F32) return NULL;
#if PRIM_NEON
    if (prim__cpu_isa() == CPU_ISA_NEON) return &prim__simd_gemm_code_neon;
#endif
    return &prim__simd_gemm_code_portable;
}

const x64_gemm_shape_t *prim__x64_gemm_shape(x64_gemm_word_t word)
{
    return &prim__x64_gemm_code(word)->shape;
}

bool prim__x64_gemm_has_signed(void)
{
    return prim__x64_gemm_has(X64_WORD_BYTES) && prim__x64_gemm_code(X64_WORD_BYTES)->signed_kernel;
}

bool prim__x64_gemm_has(x64_gemm_word_t word)
{
    return prim__x64_gemm_code(word) != NULL;
}
