// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set that the f32 matrix product uses.
#include "x64_gemm_kernel.h"

const x64_gemm_code_t *prim__x64_gemm_code(void)
{
#if PRIM_X64
    switch (prim__x64_isa()) {
    case X64_ISA_AVX512: return &prim__x64_gemm_avx512;
    case X64_ISA_AVX2: return &prim__x64_gemm_avx2;
    case X64_PORTABLE: break;
    }
#endif
    return &prim__x64_gemm_portable;
}

const x64_gemm_shape_t *prim__x64_gemm_shape(void)
{
    return &prim__x64_gemm_code()->shape;
}
