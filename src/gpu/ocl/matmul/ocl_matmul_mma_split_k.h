// SPDX-License-Identifier: Apache-2.0
// Which products ocl:matmul:mma_split_k is for.
#ifndef PRIM_OCL_MATMUL_MMA_SPLIT_K_H
#define PRIM_OCL_MATMUL_MMA_SPLIT_K_H

#include "ocl_gemm.h"

/// Whether it is the fastest for rows of 16-bit elements that are not 16-byte aligned, as it loads
/// them where they lie. Others copy operands to aligned rows first, or gather them in words of 32
/// bits, which needs rows at even elements and is as fast with so few columns that compute units
/// are left over, unless the weights lie along k, where loads here are wider.
bool prim__ocl_mma_split_k_suits_unaligned(
        const ocl_device_t *device, const matmul_shape_t *shape, bool wei_along_k);

#endif
