// SPDX-License-Identifier: Apache-2.0
// Scratch memory for executions on the CPU: one buffer for each execution at a time, kept for the
// next one.
#ifndef PRIM_CPU_SCRATCHPAD_H
#define PRIM_CPU_SCRATCHPAD_H

#include <pthread.h>

#include "common/impl.h"

/// Buffers at rest that are kept; more are freed as they come back.
enum { CPU_MAX_IDLE_SCRATCHPADS = 16 };

/// There are never more buffers than executions at once plus those at rest, and a buffer at rest
/// that is too small is replaced rather than joined by a larger one.
typedef struct {
    pthread_mutex_t lock;
    int nidle;
    prim_memory_t *idle[CPU_MAX_IDLE_SCRATCHPADS]; ///< owned; their engine is not retained
} cpu_scratchpads_t;

prim_status_t prim__cpu_scratchpads_init(cpu_scratchpads_t *scratchpads);
void prim__cpu_scratchpads_fini(cpu_scratchpads_t *scratchpads);

/// See engine_ops_t.
prim_status_t prim__cpu_scratchpad_acquire(exec_ctx_t *ctx, size_t bytes);
void prim__cpu_scratchpad_release(exec_ctx_t *ctx);

#endif
