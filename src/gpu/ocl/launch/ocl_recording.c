// SPDX-License-Identifier: Apache-2.0
// Captures the commands of implementations, and replays them.
#include "ocl_recording.h"

#include "common/alloc.h"
#include "gpu/ocl/queue/ocl_stream.h"
#include "gpu/ocl/queue/ocl_submission.h"
#include "ocl_nodes.h"

/// recording->prepared.
typedef struct {
    prim_memory_t *scratchpad; ///< owned; as large as the greediest execution's; NULL: none needed
    ocl_nodes_t nodes[];       ///< of each entry
} prepared_t;

void prim__ocl_recording_destroy(prim_recording_t *recording)
{
    prepared_t *const prepared = recording->prepared;
    for (int i = 0; i < recording->nentries; ++i) prim__ocl_nodes_fini(&prepared->nodes[i]);
    prim_memory_destroy(prepared->scratchpad);
    prim__free(prepared);
    recording->prepared = NULL;
}

static prim_status_t create_scratchpad(prepared_t *prepared, const prim_recording_t *recording)
{
    size_t bytes = 0;
    for (int i = 0; i < recording->nentries; ++i) {
        const prim_desc_t *const pd = recording->entries[i].primitive->pd;
        if (pd->scratchpad_md.ndims == 0 && pd->scratchpad_bytes > bytes) {
            bytes = pd->scratchpad_bytes;
        }
    }
    if (bytes == 0) return PRIM_SUCCESS;
    return prim__memory_create_raw(&prepared->scratchpad, recording->engine, bytes);
}

// Lets the implementation execute with its commands going to the entry's nodes.
static prim_status_t write_down(prim_recording_t *recording, int entry, prim_stream_t *stream)
{
    prepared_t *const prepared = recording->prepared;
    recorded_t *const recorded = &recording->entries[entry];
    recorded->is_stale = true;
    prepared->nodes[entry].nnodes = 0;
    ocl_submission_t submission = {.nodes = &prepared->nodes[entry]};
    exec_ctx_t ctx = {.stream = stream,
            .places = &recorded->primitive->pd->places,
            .memory = recorded->memory,
            .submission = &submission};
    const bool needs_scratchpad = recorded->primitive->pd->scratchpad_bytes > 0;
    TRY(prim__primitive_run_with(
            recorded->primitive, &ctx, needs_scratchpad ? prepared->scratchpad : NULL));
    recorded->is_stale = false;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_recording_prepare(prim_recording_t *recording, prim_stream_t *stream)
{
    const size_t bytes = sizeof(prepared_t) + (size_t)recording->nentries * sizeof(ocl_nodes_t);
    prepared_t *const prepared = prim__calloc(bytes);
    if (!prepared) return prim__fail_memory(bytes);
    recording->prepared = prepared;
    TRY(create_scratchpad(prepared, recording));
    for (int i = 0; i < recording->nentries; ++i) TRY(write_down(recording, i, stream));
    return PRIM_SUCCESS;
}

static prim_status_t enqueue_profiled(
        const prepared_t *prepared, int nentries, const exec_ctx_t *ctx)
{
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    prim_status_t st = PRIM_SUCCESS;
    pthread_mutex_lock(&stream->profile.lock);
    for (int i = 0; i < nentries && st == PRIM_SUCCESS; ++i) {
        st = prim__ocl_profile_begin(&stream->profile);
        if (st == PRIM_SUCCESS) st = prim__ocl_nodes_enqueue(&prepared->nodes[i], ctx);
    }
    pthread_mutex_unlock(&stream->profile.lock);
    return st;
}

prim_status_t prim__ocl_recording_replay(prim_recording_t *recording, prim_stream_t *stream)
{
    const prepared_t *const prepared = recording->prepared;
    for (int i = 0; i < recording->nentries; ++i) {
        if (recording->entries[i].is_stale) TRY(write_down(recording, i, stream));
    }
    const exec_ctx_t ctx = {.stream = stream};
    if (prim__ocl_stream(stream)->is_profiling) {
        return enqueue_profiled(prepared, recording->nentries, &ctx);
    }
    for (int i = 0; i < recording->nentries; ++i)
        TRY(prim__ocl_nodes_enqueue(&prepared->nodes[i], &ctx));
    return PRIM_SUCCESS;
}
