// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_gemv_nt.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_DOTS_H
#define PRIM_OCL_MATMUL_DOTS_H

#include "ocl_gemm_tile.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling; ///< one split
    int cols;            ///< columns of an item
    int lanes;           ///< items of a column
    int ahead, chunk;    ///< as in the .cl
    int int_dot;         ///< as in clh/int_dot.h
} ocl_gemv_nt_pd_t;

_Static_assert(offsetof(ocl_gemv_nt_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_gemv_nt_pd_t.
prim_status_t prim__ocl_gemv_nt_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_gemv_nt_init(prim_t *primitive);
prim_status_t prim__ocl_gemv_nt_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
