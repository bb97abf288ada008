// SPDX-License-Identifier: Apache-2.0
// What the products on matrix units share.
#ifndef PRIM_OCL_MATMUL_MMA_H
#define PRIM_OCL_MATMUL_MMA_H

#include "ocl_gemm_tile.h"

/// Declines what matrix units do not multiply: other types, elements adjusted along k; sets `gemm`.
prim_status_t prim__ocl_mma_init_types(ocl_gemm_t *gemm, prim_desc_t *pd);
/// Whether src or weights, then of bytes, have zero points (clh/row_sums.h).
bool prim__ocl_mma_has_zero_points(const ocl_gemm_t *gemm);
/// Adds WITH_ZPS and INT_DOT, those of clh/row_sums.h.
void prim__ocl_mma_zero_point_options(
        ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// Adds the options MMA_TYPE, SRC_IS_U8, WEI_IS_U8.
void prim__ocl_mma_type_options(ocl_options_t *options, const prim_desc_t *pd);
/// The type of dst where sums go out as 16 bits, contiguous along columns, and nothing else is done
/// to them; else undefined.
prim_data_type_t prim__ocl_mma_short_type(const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// Whether rows `stride` elements apart, and products, start at multiples of 16 bytes.
bool prim__ocl_mma_is_even(
        const matmul_shape_t *shape, prim_dim_t stride, const prim_dim_t *batch, size_t elem_bytes);

#endif
