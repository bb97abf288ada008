// SPDX-License-Identifier: Apache-2.0
// Orders two executions that use one scratch buffer on an out-of-order stream: the first command of
// the later execution waits for the event of the last command of the earlier one.
#include "ocl_scratchpad.h"

#include "ocl_stream.h"
#include "ocl_submission.h"

// Makes the slot usable by the execution.
static prim_status_t prepare(ocl_arena_slot_t *slot, exec_ctx_t *ctx, size_t bytes)
{
    if (slot->memory.base.bytes < bytes)
        TRY(prim__ocl_arena_grow(slot, ctx->stream->engine, bytes));
    if (slot->last_use) TRY(prim__ocl_submission_wait_for(ctx, slot->last_use));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_scratchpad_acquire(exec_ctx_t *ctx, size_t bytes)
{
    ocl_arena_t *const arena = &prim__ocl_stream(ctx->stream)->arena;
    ocl_arena_slot_t *const slot = prim__ocl_arena_lend(arena, bytes);
    const prim_status_t st = prepare(slot, ctx, bytes);
    if (st != PRIM_SUCCESS) {
        prim__ocl_arena_give_back(arena, slot);
        return st;
    }
    ctx->scratchpad = &slot->memory.base;
    return PRIM_SUCCESS;
}

void prim__ocl_scratchpad_release(exec_ctx_t *ctx)
{
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    ocl_arena_slot_t *const slot =
            (ocl_arena_slot_t *)ctx->scratchpad; // the first member's first member
    const cl_event last = prim__ocl_submission_last(ctx);
    if (stream->is_out_of_order && last) prim__ocl_arena_note_use(slot, last);
    ctx->scratchpad = NULL;
    prim__ocl_arena_give_back(&stream->arena, slot);
}
