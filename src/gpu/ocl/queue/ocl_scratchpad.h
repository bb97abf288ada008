// SPDX-License-Identifier: Apache-2.0
// Scratch memory of executions, lent from their stream's arena.
#ifndef PRIM_OCL_SCRATCHPAD_H
#define PRIM_OCL_SCRATCHPAD_H

#include "common/impl.h"

/// See engine_ops_t. Held by the execution from acquire to release: the kernels of two executions
/// that share a buffer do not interleave.
prim_status_t prim__ocl_scratchpad_acquire(exec_ctx_t *ctx, size_t bytes);
void prim__ocl_scratchpad_release(exec_ctx_t *ctx);

#endif
