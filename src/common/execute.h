// SPDX-License-Identifier: Apache-2.0
// The two steps of prim_execute(), also for prim_ocl_execute(), which adds events.
#ifndef PRIM_COMMON_EXECUTE_H
#define PRIM_COMMON_EXECUTE_H

#include "impl.h"

/// The memories of an execution, by place; on the caller's stack, nothing to clear.
typedef struct {
    prim_memory_t *memory[MAX_PLACES];
} exec_memory_t;

/// Checks the arguments and fills `ctx`, which refers to `memory`.
prim_status_t prim__primitive_begin(exec_ctx_t *ctx, exec_memory_t *memory, const prim_t *primitive,
        prim_stream_t *stream, int nargs, const prim_arg_t *args);
/// Executes, and logs if that is on; or captures for a recording.
prim_status_t prim__primitive_submit(const prim_t *primitive, exec_ctx_t *ctx);

#endif
