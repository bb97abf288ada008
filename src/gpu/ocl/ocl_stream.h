// SPDX-License-Identifier: Apache-2.0
// In-order queues: the library's own or the application's. Two threads may share one.
#ifndef PRIM_OCL_STREAM_H
#define PRIM_OCL_STREAM_H

#include <pthread.h>

#include "ocl_engine.h"
#include "ocl_memory.h"
#include "ocl_profile.h"

typedef struct ocl_stream {
    prim_stream_t base;
    cl_command_queue queue; ///< retained
    struct ocl_stream *next;
    bool is_profiling;
    ocl_profile_t profile;
    pthread_mutex_t arena_lock; ///< held from scratchpad_acquire to scratchpad_release
    ocl_memory_t arena;         ///< grows, never shrinks
} ocl_stream_t;

/// The OpenCL stream behind a stream, which must be one.
ocl_stream_t *prim__ocl_stream(const prim_stream_t *stream);

/// Keeps a kernel's event for the profile; takes the reference, also on failure. Inside an
/// execution.
prim_status_t prim__ocl_stream_keep_event(ocl_stream_t *stream, cl_event event);

prim_status_t prim__ocl_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags);
prim_status_t prim__ocl_stream_wait(prim_stream_t *stream);
void prim__ocl_stream_destroy(prim_stream_t *stream);
prim_status_t prim__ocl_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns);
prim_status_t prim__ocl_stream_reset_profile(prim_stream_t *stream);
prim_status_t prim__ocl_stream_begin(prim_stream_t *stream);
prim_status_t prim__ocl_stream_end(prim_stream_t *stream);
prim_status_t prim__ocl_scratchpad_acquire(
        prim_memory_t **scratchpad, prim_stream_t *stream, size_t bytes);
void prim__ocl_scratchpad_release(prim_stream_t *stream, prim_memory_t *scratchpad);

#endif
