// SPDX-License-Identifier: Apache-2.0
// Packing of operands whose words are one element.
#ifndef PRIM_CPU_SIMD_GEMM_PACK_H
#define PRIM_CPU_SIMD_GEMM_PACK_H

#include "simd_gemm.h"

/// An operand that is packed from a tensor: element (i, p) of A, or (p, i) of B, at
/// data[i*along + p*down].
typedef struct {
    const void *data;
    prim_data_type_t dt; ///< f32, f16, bf16, s8 or u8
    prim_dim_t along, down;
} simd_gemm_operand_t;

/// What pack_a (width mr) and pack_b (width nr) have to do, for an operand that is a plain tensor.
void prim__simd_gemm_pack(const simd_gemm_operand_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels);

#endif
