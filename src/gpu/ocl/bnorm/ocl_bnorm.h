// SPDX-License-Identifier: Apache-2.0
// Batch normalisation: what the typed implementations share on the host.
#ifndef PRIM_OCL_BNORM_H
#define PRIM_OCL_BNORM_H

#include "common/bnorm_shape.h"
#include "gpu/ocl/clh/shared/bnorm_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

/// The requirements of all typed variants; resolves layouts and the workspace, and fills the data
/// up to has_outputs.
prim_status_t prim__ocl_bnorm_require(prim_desc_t *pd, ocl_bnorm_data_t *data);
/// The same of variants that take only problems whose statistics come from src.
prim_status_t prim__ocl_bnorm_require_statistics(prim_desc_t *pd, ocl_bnorm_data_t *data);

/// How many pieces of `piece` elements cover n ≥ 0: sums near 2^31 need more than 32 bits.
int32_t prim__ocl_bnorm_parts(int32_t n, int32_t piece);

/// Whether the planes of a tensor are contiguous (NCHW); `step` is the distance of neighbours.
bool prim__ocl_bnorm_is_nchw(const ocl_channels_t *tensor, int32_t step, int32_t spatial);
/// Whether the planes of all tensors are contiguous (NCHW).
bool prim__ocl_bnorm_has_planes(const prim_desc_t *pd, const ocl_bnorm_data_t *data);

/// Adds SRC, DST, WS, WITH_ADDEND, WITH_RELU, WITH_WS and the chain.
void prim__ocl_bnorm_options(ocl_options_t *options, const prim_desc_t *pd);

/// Adds the tensors of a kernel that normalises, from src to ws.
void prim__ocl_bnorm_args(ocl_args_t *args, const exec_ctx_t *ctx);

/// Where statistics from src lie in the scratchpad: partial sums, and mean and variance if they are
/// no arguments.
typedef struct {
    bool has_statistics; ///< mean and variance lie here
    size_t partials_bytes_at, mean_bytes_at, variance_bytes_at;
} ocl_bnorm_scratch_t;

/// Books them for data->nchunks pieces.
void prim__ocl_bnorm_book(
        ocl_bnorm_scratch_t *scratch, prim_desc_t *pd, const ocl_bnorm_data_t *data);
/// Adds mean, or variance: the argument, or its part of the scratchpad.
void prim__ocl_bnorm_args_mean(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_bnorm_scratch_t *scratch);
void prim__ocl_bnorm_args_variance(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_bnorm_scratch_t *scratch);
/// Launches the kernel that calls bnorm_finish() and bnorm_again(): mean and variance.
prim_status_t prim__ocl_bnorm_finish(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        cl_mem data_buffer, const ocl_bnorm_data_t *data, const ocl_bnorm_scratch_t *scratch);

#endif
