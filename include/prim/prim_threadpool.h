// SPDX-License-Identifier: Apache-2.0
/// @file prim_threadpool.h
/// Threads of the CPU engine, chosen for each stream: OpenMP, the application's own pool, or the
/// calling thread alone. Streams of all three may live and work side by side. A stream of
/// prim_stream_create() runs on OpenMP, or sequentially where PRIM_CPU_RUNTIME=seq says so or the
/// library is built without OpenMP.
#ifndef PRIM_THREADPOOL_H
#define PRIM_THREADPOOL_H

#include "prim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A CPU stream whose executions run on `runtime`: PRIM_RUNTIME_OMP, or PRIM_RUNTIME_SEQ, which
/// stays on the thread that calls prim_execute(). `flags` as for prim_stream_create().
/// @retval PRIM_UNIMPLEMENTED OpenMP, and the library is built without it
/// @retval PRIM_INVALID_ARGUMENTS another runtime (a pool has a function of its own); the engine is
/// not a CPU engine
PRIM_API prim_status_t prim_cpu_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, prim_runtime_t runtime, unsigned flags);
/// What the stream's executions run on; PRIM_RUNTIME_THREADPOOL too.
/// @retval PRIM_INVALID_ARGUMENTS the stream is not of a CPU engine
PRIM_API prim_status_t prim_cpu_stream_get_runtime(
        const prim_stream_t *stream, prim_runtime_t *runtime);

/// The application's pool. All three are called from the thread that executes a primitive, the
/// first also when a stream is made.
typedef struct {
    /// How many threads work at once, ≥ 1; constant while the pool is in use.
    int (*get_num_threads)(void *user);
    /// Whether the calling thread already works for the pool (then Prim does not nest).
    bool (*get_in_parallel)(void *user);
    /// Calls work(i, n, arg) for i = 0..n−1, each once, and returns when all have returned.
    void (*parallel_for)(void *user, int n, void (*work)(int i, int n, void *arg), void *arg);
    void *user;
} prim_threadpool_t;

/// A CPU stream that works on the pool, which must outlive it. The struct is copied. Create the
/// stream before the primitives that it executes: a primitive is planned for the threads of OpenMP
/// or of the largest pool so far, whichever are more, and runs on those that its stream has.
PRIM_API prim_status_t prim_threadpool_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, const prim_threadpool_t *pool);
/// Borrowed.
PRIM_API prim_status_t prim_threadpool_stream_get_pool(
        const prim_stream_t *stream, const prim_threadpool_t **pool);

#ifdef __cplusplus
}
#endif

#endif
