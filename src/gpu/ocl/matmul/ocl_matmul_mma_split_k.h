// SPDX-License-Identifier: Apache-2.0
// Which products ocl:matmul:mma_split_k is for.
#ifndef PRIM_OCL_MATMUL_MMA_SPLIT_K_H
#define PRIM_OCL_MATMUL_MMA_SPLIT_K_H

#include "ocl_gemm.h"

/// Whether loads of any address beat what others do where rows of 16-bit elements are not 16-byte
/// aligned: copy operands to aligned rows first, or gather words. Elements at odd places are no
/// words. At even ones gathering is as fast where few columns leave units to split K for, but for
/// weights along k, whose loads are the wider ones.
bool prim__ocl_mma_split_k_reads_anywhere_well(
        const ocl_device_t *device, const matmul_shape_t *shape, bool wei_along_k);

#endif
