// SPDX-License-Identifier: Apache-2.0
// What an instruction set contributes to the f32 matrix product: the size of its register tile, the
// micro-kernel and the packing functions.
#ifndef PRIM_CPU_X64_GEMM_KERNEL_H
#define PRIM_CPU_X64_GEMM_KERNEL_H

#include "x64_gemm.h"
#include "x64_isa.h"

/// The inner product of one panel of A, [k][mr], and k rows of B, b_row elements apart: rows × cols
/// elements of C, of which rows <= mr and cols <= nr are wanted. Reads no column of B from cols on.
typedef void x64_gemm_kernel_t(prim_dim_t k, const float *a, const float *b, prim_dim_t b_row,
        float *c, prim_dim_t c_row, int rows, int cols, bool accumulates);

/// panel[p*width + r] = src[r*src_row + p] for r < count, zero for count <= r < wanted; p =
/// 0..depth-1. wanted <= lanes.
typedef void x64_gemm_transpose_t(const float *src, prim_dim_t src_row, int count, prim_dim_t depth,
        float *panel, int width, int wanted);

typedef struct {
    x64_gemm_shape_t shape;
    x64_gemm_kernel_t *kernel;
    int lanes; ///< columns of a panel that `transpose` fills
    x64_gemm_transpose_t *transpose;
} x64_gemm_code_t;

/// That of this processor.
const x64_gemm_code_t *prim__x64_gemm_code(void);

extern const x64_gemm_code_t prim__x64_gemm_portable;
#if PRIM_X64
extern const x64_gemm_code_t prim__x64_gemm_avx2;
extern const x64_gemm_code_t prim__x64_gemm_avx512;
#endif

#endif
