// SPDX-License-Identifier: Apache-2.0
// Which scratch buffer an execution gets: an idle one, else a new one, else the least recently
// used.
#include "ocl_arena.h"

#include "ocl_buffer_pool.h"

// Buffers grow in steps, so that a sequence of slightly larger requests does not reallocate.
enum { STEP_BYTES = 1 << 16 };

prim_status_t prim__ocl_arena_init(ocl_arena_t *arena, bool is_out_of_order)
{
    if (pthread_mutex_init(&arena->lock, NULL) != 0) {
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    if (pthread_cond_init(&arena->slot_came_back, NULL) != 0) {
        pthread_mutex_destroy(&arena->lock);
        return prim__fail(PRIM_RUNTIME_ERROR, "a condition variable cannot be made");
    }
    arena->nslots = is_out_of_order ? OCL_ARENA_SLOTS : 1;
    return PRIM_SUCCESS;
}

static void forget_use(ocl_arena_slot_t *slot)
{
    if (slot->last_use) clReleaseEvent(slot->last_use);
    slot->last_use = NULL;
}

// Work submitted before may still use it: the pool knows.
static void release_buffer(ocl_memory_t *memory)
{
    if (memory->buffer) {
        prim__ocl_buffer_pool_release(prim__ocl_engine(memory->base.engine)->pool, memory->buffer);
    }
    memory->buffer = NULL;
    memory->base.bytes = 0;
}

void prim__ocl_arena_fini(ocl_arena_t *arena)
{
    for (int i = 0; i < arena->nslots; ++i) {
        forget_use(&arena->slots[i]);
        release_buffer(&arena->slots[i].memory);
    }
    pthread_cond_destroy(&arena->slot_came_back);
    pthread_mutex_destroy(&arena->lock);
}

static bool is_at_rest(ocl_arena_slot_t *slot)
{
    if (!slot->last_use) return true;
    cl_int state = CL_QUEUED;
    if (clGetEventInfo(slot->last_use, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                NULL) != CL_SUCCESS ||
            state > CL_COMPLETE) {
        return false;
    }
    forget_use(slot);
    return true;
}

// Whether `a` is the better choice for `bytes` among slots at rest: one that is large enough, the
// smallest of those; else the largest, which needs the least growing.
static bool fits_better(const ocl_arena_slot_t *a, const ocl_arena_slot_t *b, size_t bytes)
{
    const size_t a_bytes = a->memory.base.bytes, b_bytes = b->memory.base.bytes;
    if ((a_bytes >= bytes) != (b_bytes >= bytes)) return a_bytes >= bytes;
    return a_bytes >= bytes ? a_bytes < b_bytes : a_bytes > b_bytes;
}

// The best slot that is not lent, or NULL. The lock is held.
static ocl_arena_slot_t *choose(ocl_arena_t *arena, size_t bytes)
{
    ocl_arena_slot_t *resting = NULL, *oldest = NULL;
    for (int i = 0; i < arena->nslots; ++i) {
        ocl_arena_slot_t *const slot = &arena->slots[i];
        if (slot->is_lent) continue;
        if (is_at_rest(slot)) {
            if (!resting || fits_better(slot, resting, bytes)) resting = slot;
        } else if (!oldest || slot->used_at < oldest->used_at) {
            oldest = slot;
        }
    }
    return resting ? resting : oldest;
}

// The old buffer goes first, so that the pool need not hold both where memory is short.
prim_status_t prim__ocl_arena_grow(ocl_arena_slot_t *slot, prim_engine_t *engine, size_t bytes)
{
    const size_t rounded = (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    const prim_dims_t dims = {(prim_dim_t)rounded};
    prim_memory_desc_t md;
    TRY(prim_memory_desc_init_by_strides(&md, 1, dims, PRIM_U8, NULL));
    release_buffer(&slot->memory);
    TRY(prim__ocl_buffer_pool_acquire(
            &slot->memory.buffer, prim__ocl_engine(engine)->pool, rounded));
    slot->memory.base = (prim_memory_t){.engine = engine, .md = md, .bytes = rounded};
    slot->memory.kind = PRIM_OCL_BUFFER;
    forget_use(slot);
    return PRIM_SUCCESS;
}

ocl_arena_slot_t *prim__ocl_arena_lend(ocl_arena_t *arena, size_t bytes)
{
    pthread_mutex_lock(&arena->lock);
    ocl_arena_slot_t *slot = choose(arena, bytes);
    while (!slot) {
        pthread_cond_wait(&arena->slot_came_back, &arena->lock);
        slot = choose(arena, bytes);
    }
    slot->is_lent = true;
    slot->used_at = ++arena->nuses;
    pthread_mutex_unlock(&arena->lock);
    return slot;
}

void prim__ocl_arena_note_use(ocl_arena_slot_t *slot, cl_event last)
{
    forget_use(slot);
    if (clRetainEvent(last) == CL_SUCCESS) slot->last_use = last;
    // Without an event to order the next use, this one ends here.
    else
        clWaitForEvents(1, &last);
}

void prim__ocl_arena_give_back(ocl_arena_t *arena, ocl_arena_slot_t *slot)
{
    pthread_mutex_lock(&arena->lock);
    slot->is_lent = false;
    pthread_cond_signal(&arena->slot_came_back);
    pthread_mutex_unlock(&arena->lock);
}
