// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a stream. An in-order stream has one buffer, which its executions use one
// after the other. An out-of-order stream has a few, so that executions may overlap: each buffer
// keeps the event of its latest use, and the next user waits for that event on the device.
#ifndef PRIM_OCL_ARENA_H
#define PRIM_OCL_ARENA_H

#include <pthread.h>

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

/// The best slot for `bytes`, lent until it is given back; waits while all are lent. The caller
/// grows one that is too small, and has its first command wait for `last_use`.
ocl_arena_slot_t *prim__ocl_arena_lend(ocl_arena_t *arena, size_t bytes);
/// Gives a lent slot a buffer of at least `bytes` that no command uses.
prim_status_t prim__ocl_arena_grow(ocl_arena_slot_t *slot, prim_engine_t *engine, size_t bytes);
/// The event of the latest command that uses a lent slot becomes its `last_use`. Never fails:
/// without a reference of the event it waits for it.
void prim__ocl_arena_note_use(ocl_arena_slot_t *slot, cl_event last);
void prim__ocl_arena_give_back(ocl_arena_t *arena, ocl_arena_slot_t *slot);

#endif
