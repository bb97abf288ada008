// SPDX-License-Identifier: Apache-2.0
/// @file prim_threadpool.h
/// The CPU engine on the application's threads, for libraries built with
/// PRIM_CPU_RUNTIME=THREADPOOL; elsewhere these functions return PRIM_UNIMPLEMENTED.
#ifndef PRIM_THREADPOOL_H
#define PRIM_THREADPOOL_H

#include "prim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The application's pool. All three are called from the thread that executes a primitive.
typedef struct {
    /// How many threads work at once, ≥ 1; constant while the pool is in use.
    int (*get_num_threads)(void *user);
    /// Whether the calling thread already works for the pool (then Prim does not nest).
    bool (*get_in_parallel)(void *user);
    /// Calls work(i, n, arg) for i = 0..n−1, each once, and returns when all have returned.
    void (*parallel_for)(void *user, int n, void (*work)(int i, int n, void *arg), void *arg);
    void *user;
} prim_threadpool_t;

/// A CPU stream that works on the pool, which must outlive it. The struct is copied.
PRIM_API prim_status_t prim_threadpool_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, const prim_threadpool_t *pool);
/// Borrowed.
PRIM_API prim_status_t prim_threadpool_stream_get_pool(
        const prim_stream_t *stream, const prim_threadpool_t **pool);

#ifdef __cplusplus
}
#endif

#endif
