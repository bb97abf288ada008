// SPDX-License-Identifier: Apache-2.0
// Strides of few rows, and what they are multiples of.
#include "ocl_matmul_gemv_plan.h"

void prim__ocl_gemv_drop_distances(matmul_shape_t *shape)
{
    if (shape->m == 1) shape->src_m = 0;
    if (shape->n == 1) shape->wei_n = 0;
}

bool prim__ocl_gemv_is_aligned_along_k(const matmul_shape_t *shape, prim_dim_t src_offset0,
        prim_dim_t wei_offset0, size_t elem_bytes)
{
    const prim_dim_t unit = 16 / (prim_dim_t)elem_bytes;
    return src_offset0 % unit == 0 && wei_offset0 % unit == 0 &&
           prim__ocl_gemm_are_multiples(shape, shape->src_m, shape->src_batch, unit) &&
           prim__ocl_gemm_are_multiples(shape, shape->wei_n, shape->wei_batch, unit);
}
