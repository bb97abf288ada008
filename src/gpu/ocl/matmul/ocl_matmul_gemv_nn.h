// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_gemv_nn.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_SKINNY_H
#define PRIM_OCL_MATMUL_SKINNY_H

#include "ocl_gemm_tile.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int cols; ///< columns of an item
    int vec;  ///< elements of weights that are read at once
    int deep; ///< items of a group along k
} ocl_gemv_nn_pd_t;

_Static_assert(offsetof(ocl_gemv_nn_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_gemv_nn_pd_t.
prim_status_t prim__ocl_gemv_nn_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_gemv_nn_init(prim_t *primitive);
prim_status_t prim__ocl_gemv_nn_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
