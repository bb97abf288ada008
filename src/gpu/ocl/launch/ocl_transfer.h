// SPDX-License-Identifier: Apache-2.0
// Copies bytes between host memory and a memory of the engine, as a command of an execution.
// Implementations do so by ocl_launch.h.
#ifndef PRIM_OCL_TRANSFER_H
#define PRIM_OCL_TRANSFER_H

#include "gpu/ocl/memory/ocl_memory.h"
#include "gpu/ocl/queue/ocl_submission.h"

typedef struct {
    bool to_device;
    const ocl_memory_t *memory;
    size_t offset_bytes; ///< after the start of the memory
    size_t bytes;
    void *host; ///< must stay as it is until the stream has been waited for
} ocl_transfer_t;

/// Enqueues it on ctx->stream, without blocking; bytes > 0.
prim_status_t prim__ocl_transfer_enqueue(const exec_ctx_t *ctx, const ocl_transfer_t *transfer);

#endif
