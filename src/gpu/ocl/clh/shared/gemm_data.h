// SPDX-License-Identifier: Apache-2.0
// Vectors that kernels of matrix products take by value.
#ifndef CLH_SHARED_GEMM_DATA_H
#define CLH_SHARED_GEMM_DATA_H

#include "shared_types.h"

// Sizes or strides of three batch dimensions: x, y, z.
typedef cl_long4 ocl_gemm_batch_t;

SHARED_BYTES(ocl_gemm_batch_t, 4 * 8);

// Where the scale or zero point of (row r, column c) stands: at r/x·y + c/z·w.
typedef cl_long4 ocl_gemm_view_t;

SHARED_BYTES(ocl_gemm_view_t, 4 * 8);

#endif
