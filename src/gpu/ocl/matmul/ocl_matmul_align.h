// SPDX-License-Identifier: Apache-2.0
// Copies of operands whose rows are no multiples of 16 bytes or do not start at one, made by
// ocl_matmul_align.cl at each execution, for kernels that read 16 bytes at a time or by tensor
// maps.
#ifndef PRIM_OCL_MATMUL_ALIGN_H
#define PRIM_OCL_MATMUL_ALIGN_H

#include "gpu/ocl/clh/shared/matmul_align_data.h"
#include "ocl_gemm.h"

typedef struct {
    prim_dim_t nrows, row_elems; ///< of a product
    /// Elements from row to row and from product to product, of the tensor and of what the product
    /// reads.
    prim_dim_t tensor_pitch, tensor_batch[MATMUL_MAX_BATCH];
    prim_dim_t pitch, batch[MATMUL_MAX_BATCH];
    prim_dim_t nvecs; ///< of 16 bytes, of the copy; 0: the tensor is read
} ocl_align_operand_t;

typedef struct {
    ocl_align_operand_t src, wei;
    size_t elem_bytes;
    size_t booked_offset; ///< of the copies, weights behind src
} ocl_align_t;

/// Of operands that lie along K, weights perhaps across, and stay as they are.
void prim__ocl_align_init(
        ocl_align_t *align, const matmul_shape_t *shape, bool wei_along_k, size_t elem_bytes);
/// Decides to copy an operand, `align->src` or `align->wei`.
void prim__ocl_align_copy(
        ocl_align_operand_t *operand, const matmul_shape_t *shape, size_t elem_bytes);
/// Whether a copy is made; false after prim__ocl_align_init().
bool prim__ocl_align_copies(const ocl_align_t *align);
/// Whether the kernel can count the vectors of both copies.
bool prim__ocl_align_fits(const ocl_align_t *align);
/// Whether the groups of a product are to make the copies themselves, as they may and as is faster
/// than a launch for the copies: clh/align_rows.h, ALIGNS.
bool prim__ocl_align_by_product(const ocl_align_t *align, const prim_desc_t *pd);
/// What the copies cost, in cycles of the device: in a launch of their own, or by the product's.
double prim__ocl_align_cycles(
        const ocl_align_t *align, const ocl_device_t *device, bool by_product);
/// How many times slower than copies of aligned rows those of work-items are, which take 8 or 4
/// bytes at a time, or put vectors together from two loads: by the bytes at whose multiples rows
/// begin. `src_alone`: rows of weights are aligned anyway.
double prim__ocl_align_slowdown(const ocl_align_t *align, const matmul_shape_t *shape,
        const ocl_device_t *device, bool src_alone);
/// Books the copies (init_pd).
void prim__ocl_align_book(ocl_align_t *align, prim_desc_t *pd);
/// Adds the kernel (init).
prim_status_t prim__ocl_align_add_kernel(ocl_primitive_t *primitive, const ocl_align_t *align);
/// Launches it.
prim_status_t prim__ocl_align_launch(const ocl_kernel_t *kernel, const ocl_align_t *align,
        const matmul_shape_t *shape, const exec_ctx_t *ctx);
/// Adds ALIGN_PARAMS of a product of `ngroups` groups, which make the copies if `by_product`.
prim_status_t prim__ocl_align_args_product(ocl_args_t *args, ocl_align_rows_t rows[2],
        const ocl_align_t *align, const matmul_shape_t *shape, const ocl_device_t *device,
        const exec_ctx_t *ctx, size_t ngroups, bool by_product);
/// Adds two parameters: the copy of PRIM_ARG_SRC or PRIM_ARG_WEIGHTS, or the tensor itself.
void prim__ocl_align_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_align_t *align, int arg);

#endif
