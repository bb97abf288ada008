// SPDX-License-Identifier: Apache-2.0
// Weights of 8 bits K×N, transposed to N×K by ocl_matmul_transpose.cl at each execution, because
// matrix units read them along K only.
#ifndef PRIM_OCL_MATMUL_TURN_H
#define PRIM_OCL_MATMUL_TURN_H

#include "ocl_gemm.h"

/// Bytes between columns of the transposed weights.
prim_dim_t prim__ocl_transpose_pitch(const matmul_shape_t *shape);
/// Whether it can transpose them: one matrix for all products, contiguous across k.
bool prim__ocl_transpose_takes(const matmul_shape_t *shape);
/// Adds the kernel (init).
prim_status_t prim__ocl_transpose_add_kernel(ocl_primitive_t *primitive);
/// Turns the weights of the execution, n · pitch bytes, to the place booked in the scratchpad.
prim_status_t prim__ocl_transpose_launch(const ocl_kernel_t *kernel, const matmul_shape_t *shape,
        const exec_ctx_t *ctx, size_t booked_offset_bytes);

#endif
