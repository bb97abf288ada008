// SPDX-License-Identifier: Apache-2.0
// CPU streams: execution happens inside prim_execute(); a stream holds the times of executions and
// the application's thread pool.
#ifndef PRIM_CPU_STREAM_H
#define PRIM_CPU_STREAM_H

#include <pthread.h>

#include "common/impl.h"
#include "prim/prim_threadpool.h"

typedef struct {
    prim_stream_t base;
    prim_runtime_t runtime; ///< PRIM_RUNTIME_OMP, PRIM_RUNTIME_SEQ or PRIM_RUNTIME_THREADPOOL
    prim_threadpool_t pool; ///< with the last
    pthread_mutex_t lock;   ///< of the times
    int ntimes, room;
    uint64_t *times_ns; ///< owned
} cpu_stream_t;

/// See engine_ops_t.
prim_status_t prim__cpu_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags);
prim_status_t prim__cpu_stream_wait(prim_stream_t *stream);
void prim__cpu_stream_destroy(prim_stream_t *stream);
prim_status_t prim__cpu_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns);
prim_status_t prim__cpu_stream_reset_profile(prim_stream_t *stream);
prim_status_t prim__cpu_exec_begin(exec_ctx_t *ctx, exec_state_t *state);
prim_status_t prim__cpu_exec_end(exec_ctx_t *ctx, exec_state_t *state, prim_status_t st);
prim_status_t prim__cpu_stream_run_timed(
        const prim_t *primitive, exec_ctx_t *ctx, double *ms, bool *is_host_time);

#endif
