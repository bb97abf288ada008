// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_tiled.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_TILED_H
#define PRIM_OCL_MATMUL_TILED_H

#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_gemm.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    int tile;    ///< number of the choice of tile sizes
    int pack;    ///< steps of k in an element of a tile: 4 of 8-bit integers, else 1
    int int_dot; ///< how they are multiplied, as in clh/int_dot.h
    int fold;    ///< steps of k between additions to the totals; 0: one sum takes all
} ocl_tiled_pd_t;

_Static_assert(offsetof(ocl_tiled_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_tiled_pd_t.
prim_status_t prim__ocl_tiled_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_tiled_init(prim_t *primitive);
prim_status_t prim__ocl_tiled_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
