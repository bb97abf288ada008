// SPDX-License-Identifier: Apache-2.0
// Split K of products in tiles: partial sums, and the kernel that adds them.
#ifndef PRIM_OCL_MATMUL_REDUCE_H
#define PRIM_OCL_MATMUL_REDUCE_H

#include "ocl_gemm_tile.h"

/// Books the partial sums and decides who adds them (init_pd).
void prim__ocl_tiling_book(ocl_tiling_t *tiling, prim_desc_t *pd, const ocl_gemm_t *gemm);
/// Adds the kernel that adds them up, if there are any (init); after the main kernel.
prim_status_t prim__ocl_tiling_add_kernel(
        ocl_primitive_t *primitive, const ocl_tiling_t *tiling, const ocl_gemm_t *gemm);
/// Adds RELAXED_ATOMICS (clh/gemm_splits.h) and SPLITS to the options of the main kernel.
void prim__ocl_tiling_options(
        ocl_options_t *options, const ocl_tiling_t *tiling, const prim_desc_t *pd);
/// Adds the two parameters of the partial sums, nulls without splits.
void prim__ocl_tiling_args_partial(
        ocl_args_t *args, const ocl_tiling_t *tiling, const exec_ctx_t *ctx);
/// Adds the counters and looks of clh/gemm_splits.h, NULL where another kernel adds the sums.
prim_status_t prim__ocl_tiling_args_counters(
        ocl_args_t *args, const ocl_tiling_t *tiling, const exec_ctx_t *ctx);
/// Launches the second kernel, kernels[1], if there is one.
prim_status_t prim__ocl_tiling_reduce(const ocl_primitive_t *primitive, const ocl_tiling_t *tiling,
        const ocl_gemm_t *gemm, const exec_ctx_t *ctx);

#endif
