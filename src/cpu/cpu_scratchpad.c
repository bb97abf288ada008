// SPDX-License-Identifier: Apache-2.0
// Scratch memory for executions on the CPU: best fit among the idle buffers.
#include "cpu/cpu_scratchpad.h"

#include "cpu/cpu_engine.h"
#include "cpu/cpu_memory.h"

prim_status_t prim__cpu_scratchpads_init(cpu_scratchpads_t *scratchpads)
{
    if (pthread_mutex_init(&scratchpads->lock, NULL) != 0)
        return prim__fail(PRIM_RUNTIME_ERROR, "the scratchpad lock cannot be made");
    return PRIM_SUCCESS;
}

void prim__cpu_scratchpads_fini(cpu_scratchpads_t *scratchpads)
{
    for (int i = 0; i < scratchpads->nidle; ++i) prim__cpu_memory_destroy(scratchpads->idle[i]);
    (void)pthread_mutex_destroy(&scratchpads->lock);
}

static cpu_scratchpads_t *scratchpads_of(const prim_stream_t *stream)
{
    return &((cpu_engine_t *)stream->engine)->scratchpads;
}

/// The smallest that is large enough, else the largest, else −1.
static int best_fit(const cpu_scratchpads_t *scratchpads, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < scratchpads->nidle; ++i) {
        const size_t have = scratchpads->idle[i]->bytes;
        const size_t best_bytes = best < 0 ? 0 : scratchpads->idle[best]->bytes;
        const bool is_better =
                best_bytes < bytes ? have >= best_bytes : have >= bytes && have < best_bytes;
        if (is_better) best = i;
    }
    return best;
}

/// Takes a buffer out of those at rest; NULL when there is none.
static prim_memory_t *take(cpu_scratchpads_t *scratchpads, size_t bytes)
{
    (void)pthread_mutex_lock(&scratchpads->lock);
    prim_memory_t *taken = NULL;
    const int i = best_fit(scratchpads, bytes);
    if (i >= 0) {
        taken = scratchpads->idle[i];
        scratchpads->idle[i] = scratchpads->idle[--scratchpads->nidle];
    }
    (void)pthread_mutex_unlock(&scratchpads->lock);
    return taken;
}

prim_status_t prim__cpu_scratchpad_acquire(exec_ctx_t *ctx, size_t bytes)
{
    prim_memory_t *const idle = take(scratchpads_of(ctx->stream), bytes);
    if (idle && idle->bytes >= bytes) {
        ctx->scratchpad = idle;
        return PRIM_SUCCESS;
    }
    prim__cpu_memory_destroy(idle);
    // The engine must not be kept alive by memory that it owns itself.
    return prim__cpu_memory_create_scratch(&ctx->scratchpad, ctx->stream->engine, bytes);
}

void prim__cpu_scratchpad_release(exec_ctx_t *ctx)
{
    cpu_scratchpads_t *const scratchpads = scratchpads_of(ctx->stream);
    prim_memory_t *const scratchpad = ctx->scratchpad;
    ctx->scratchpad = NULL;
    (void)pthread_mutex_lock(&scratchpads->lock);
    const bool has_room = scratchpads->nidle < CPU_MAX_IDLE_SCRATCHPADS;
    if (has_room) scratchpads->idle[scratchpads->nidle++] = scratchpad;
    (void)pthread_mutex_unlock(&scratchpads->lock);
    if (!has_room) prim__cpu_memory_destroy(scratchpad);
}
