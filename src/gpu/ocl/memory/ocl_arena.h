// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a stream. An in-order stream has one buffer, which its executions use one
// after the other. An out-of-order stream has a few, so that executions may overlap: each buffer
// knows the event of its latest use, and who gets it next waits for that event on the device.
#ifndef PRIM_OCL_ARENA_H
#define PRIM_OCL_ARENA_H

#include <pthread.h>

#include "common/impl.h"
#include "ocl_memory.h"

/// Executions with scratch memory that may be in flight at once on an out-of-order stream.
enum { OCL_ARENA_SLOTS = 8 };

typedef struct {
    ocl_memory_t memory; ///< grows, never shrinks
    cl_event last_use;   ///< owned; NULL: none, or the queue's order suffices
    uint64_t used_at;    ///< larger is later
    bool is_lent;
} ocl_arena_slot_t;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t slot_came_back;
    int nslots;
    uint64_t nuses;
    ocl_arena_slot_t slots[OCL_ARENA_SLOTS];
} ocl_arena_t;

prim_status_t prim__ocl_arena_init(ocl_arena_t *arena, bool is_out_of_order);
/// The queue must be idle.
void prim__ocl_arena_fini(ocl_arena_t *arena);

/// See engine_ops_t. Held by the execution from acquire to release: the kernels of two executions
/// that share a buffer do not interleave.
prim_status_t prim__ocl_scratchpad_acquire(exec_ctx_t *ctx, size_t bytes);
void prim__ocl_scratchpad_release(exec_ctx_t *ctx);

#endif
