// SPDX-License-Identifier: Apache-2.0
// Which products ocl:matmul:mma_whole_k is for.
#ifndef PRIM_OCL_MATMUL_MMA_WHOLE_K_H
#define PRIM_OCL_MATMUL_MMA_WHOLE_K_H

#include "ocl_gemm.h"

/// Whether it is the fastest for elements of 16 bits: K is so small that stores of dst take longer
/// than all else, and there is a tile for each compute unit. Where rows of an operand or of dst are
/// not 16-byte aligned, others copy them first or store parts of sectors; where they are, kernels
/// with tensor maps are faster from a smaller K on.
bool prim__ocl_mma_whole_k_pays(const ocl_device_t *device, const matmul_shape_t *shape);

#endif
