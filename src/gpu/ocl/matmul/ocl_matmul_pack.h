// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products packed into the scratchpad: src as rows of f32, weights in panels.
#ifndef PRIM_OCL_MATMUL_PACK_H
#define PRIM_OCL_MATMUL_PACK_H

#include "ocl_gemm.h"

/// Fixed at creation; plain data.
typedef struct {
    bool packs_src, packs_wei;
    int cols;                      ///< columns of a panel, a multiple of 8
    prim_data_type_t panel_dt;     ///< of its elements: that of the weights, or f32 to adjust them
    size_t src_offset, wei_offset; ///< booked, where they are packed
} ocl_pack_t;

/// A packed operand for the kernel that reads it.
typedef struct {
    prim_dim_t batch[MATMUL_MAX_BATCH]; ///< strides of the batch dimensions, 0 where broadcast
} ocl_packed_t;

/// Books the room in the scratchpad (init_pd).
void prim__ocl_pack_book(ocl_pack_t *pack, prim_desc_t *pd, const matmul_shape_t *shape);

/// Adds a kernel for each operand that is packed; the first will be kernels[nkernels].
prim_status_t prim__ocl_pack_add_kernels(ocl_primitive_t *primitive, const ocl_pack_t *pack);

/// Packs src with `kernel`, and returns its layout: [product][m][k].
prim_status_t prim__ocl_pack_src(ocl_packed_t *packed, const ocl_pack_t *pack,
        const ocl_gemm_t *gemm, const ocl_primitive_t *primitive, const ocl_kernel_t *kernel,
        const exec_ctx_t *ctx);
/// The same for the weights: [product][ceil(n/cols)][k][cols].
prim_status_t prim__ocl_pack_wei(ocl_packed_t *packed, const ocl_pack_t *pack,
        const ocl_gemm_t *gemm, const ocl_primitive_t *primitive, const ocl_kernel_t *kernel,
        const exec_ctx_t *ctx);

#endif
