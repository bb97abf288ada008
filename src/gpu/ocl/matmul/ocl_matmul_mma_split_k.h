// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_mma_split_k.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_DEPTH_H
#define PRIM_OCL_MATMUL_DEPTH_H

#include "ocl_matmul_mma.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int warps, ahead; ///< as in the .cl
    bool has_unit, wei_along_k;
    bool src_is_even, wei_is_even; ///< as in the .cl, but for memory's own offsets
} ocl_mma_split_k_pd_t;

_Static_assert(offsetof(ocl_mma_split_k_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_mma_split_k_pd_t.
prim_status_t prim__ocl_mma_split_k_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_mma_split_k_init(prim_t *primitive);
prim_status_t prim__ocl_mma_split_k_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
