// SPDX-License-Identifier: Apache-2.0
// Queues, in order or out of order: the library's own or the application's. Two threads may share
// one.
#ifndef PRIM_OCL_STREAM_H
#define PRIM_OCL_STREAM_H

#include "common/stream.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "gpu/ocl/memory/ocl_arena.h"
#include "gpu/ocl/memory/ocl_queue_watch.h"
#include "ocl_counters.h"
#include "ocl_inflight.h"
#include "ocl_profile.h"

typedef struct ocl_stream {
    prim_stream_t base;
    cl_command_queue queue;      ///< retained
    ocl_watched_queue_t watched; ///< by the engine's pool of buffers
    bool is_profiling, is_out_of_order;
    ocl_profile_t profile;
    ocl_arena_t arena;
    ocl_inflight_t inflight;
    ocl_counters_t counters;    ///< of in-order streams
    pthread_mutex_t timer_lock; ///< held by an execution that is timed for the log
    struct ocl_stream *timer;   ///< owned, behind the lock; where it runs. NULL: not made yet
} ocl_stream_t;

/// The OpenCL stream behind a stream, which must be one.
ocl_stream_t *prim__ocl_stream(const prim_stream_t *stream);

/// Waits for the queue, and reports what failed on it.
prim_status_t prim__ocl_stream_finish(ocl_stream_t *stream);

/// See engine_ops_t.
prim_status_t prim__ocl_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags);
prim_status_t prim__ocl_stream_wait(prim_stream_t *stream);
void prim__ocl_stream_destroy(prim_stream_t *stream);
prim_status_t prim__ocl_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns);
prim_status_t prim__ocl_stream_reset_profile(prim_stream_t *stream);

#endif
