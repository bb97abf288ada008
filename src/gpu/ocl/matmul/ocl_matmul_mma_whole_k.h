// SPDX-License-Identifier: Apache-2.0
// Which products ocl:matmul:mma_whole_k is for.
#ifndef PRIM_OCL_MATMUL_MMA_WHOLE_K_H
#define PRIM_OCL_MATMUL_MMA_WHOLE_K_H

#include "ocl_gemm.h"

/// Whether it is the fastest for elements of 16 bits: rows of an operand or of dst are not 16-byte
/// aligned, which others copy first or store in parts of sectors; K is so small that stores take
/// longer than all else, and there is a tile for each compute unit.
bool prim__ocl_mma_whole_k_pays(const ocl_device_t *device, const matmul_shape_t *shape);

#endif
