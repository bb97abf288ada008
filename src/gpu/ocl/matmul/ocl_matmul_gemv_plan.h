// SPDX-License-Identifier: Apache-2.0
// How products of few rows, ocl_matmul_gemv_nt.cl and ocl_matmul_gemv_nn.cl, read their operands.
#ifndef PRIM_OCL_MATMUL_GEMV_PLAN_H
#define PRIM_OCL_MATMUL_GEMV_PLAN_H

#include "ocl_gemm.h"

/// The distance to the next row of src or column of weights is 0, a multiple of everything, where
/// there is no next one: K×1 lies in memory as 1×K does.
void prim__ocl_gemv_drop_distances(matmul_shape_t *shape);

/// Whether rows of src and columns of weights, which lie along K, start at multiples of 16 bytes
/// where the tensors do, whose first elements are at these offsets.
bool prim__ocl_gemv_is_aligned_along_k(const matmul_shape_t *shape, prim_dim_t src_offset0,
        prim_dim_t wei_offset0, size_t elem_bytes);

#endif
