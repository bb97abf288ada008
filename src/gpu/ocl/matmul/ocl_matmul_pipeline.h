// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_pipeline.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_PIPELINE_H
#define PRIM_OCL_MATMUL_PIPELINE_H

#include "ocl_gemm_tile.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile; ///< number of the choice of tile sizes
    bool src_along_k, wei_along_k;
    int src_vec, wei_vec; ///< elements of a copy across k
    bool copies_async;
} ocl_pipeline_pd_t;

_Static_assert(offsetof(ocl_pipeline_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_pipeline_pd_t.
prim_status_t prim__ocl_pipeline_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_pipeline_init(prim_t *primitive);
prim_status_t prim__ocl_pipeline_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
