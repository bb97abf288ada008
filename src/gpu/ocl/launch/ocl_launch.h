// SPDX-License-Identifier: Apache-2.0
// The commands of an execution: to the stream's queue, or to the recording that captures it.
//
//     ocl_args_t args;
//     prim__ocl_args_init(&args);
//     prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC); // __global const SRC_T *src, long src_off
//     prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST); // __global DST_T *dst, long dst_off
//     prim__ocl_args_i64(&args, nelems);               // long nelems
//     const ocl_range_t range = prim__ocl_range_1d(kernel, nelems);
//     return prim__ocl_launch(ctx, kernel, &range, &args);
#ifndef PRIM_OCL_LAUNCH_H
#define PRIM_OCL_LAUNCH_H

#include "gpu/ocl/queue/ocl_counters.h"
#include "ocl_kernel.h"
#include "ocl_transfer.h"

/// Sets the arguments and enqueues on ctx->stream; a range without work-items does nothing. Any
/// number of threads may launch the same kernel.
prim_status_t prim__ocl_launch(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args);

/// Enqueues it on ctx->stream, without blocking; 0 bytes are nothing to do.
prim_status_t prim__ocl_transfer(const exec_ctx_t *ctx, const ocl_transfer_t *transfer);

/// Whether the commands go to a recording that is being prepared.
bool prim__ocl_is_captured(const exec_ctx_t *ctx);

/// Whether the kernels of an execution run after all earlier kernels of its stream, and so may use
/// the stream's counters: not where they go to a recording, which another stream may replay.
bool prim__ocl_has_counters(const exec_ctx_t *ctx);
/// Adds the pointer to OCL_NCOUNTERS words, 0 before the kernel, which must be 0 after it.
prim_status_t prim__ocl_args_counters(ocl_args_t *args, const exec_ctx_t *ctx);

#endif
