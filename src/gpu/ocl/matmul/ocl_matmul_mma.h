// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_mma.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_MMA_H
#define PRIM_OCL_MATMUL_MMA_H

#include "ocl_gemm_tile.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile; ///< number of the choice of tile sizes
    bool has_unit, copies_async;
    bool src_is_even, wei_is_even, wei_along_k; ///< as in the .cl, but for memory's own offsets
} ocl_mma_pd_t;

_Static_assert(offsetof(ocl_mma_pd_t, base) == 0, "the base comes first");

/// Declines what matrix units do not multiply: other types, elements adjusted along k; sets `gemm`.
prim_status_t prim__ocl_mma_init_types(ocl_gemm_t *gemm, prim_desc_t *pd);
/// Whether src or weights, then of bytes, have zero points (clh/row_sums.h).
bool prim__ocl_mma_has_zero_points(const ocl_gemm_t *gemm);
/// Adds the options MMA_TYPE, SRC_IS_U8, WEI_IS_U8.
void prim__ocl_mma_type_options(ocl_options_t *options, const prim_desc_t *pd);
/// Whether rows `stride` elements apart, and products, start at multiples of 16 bytes.
bool prim__ocl_mma_is_even(
        const matmul_shape_t *shape, prim_dim_t stride, const prim_dim_t *batch, size_t elem_bytes);

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_mma_pd_t.
prim_status_t prim__ocl_mma_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_mma_init(prim_t *primitive);
prim_status_t prim__ocl_mma_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
