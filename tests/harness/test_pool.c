// SPDX-License-Identifier: Apache-2.0
// A pool without state: every region starts its own threads and joins them, so that any number of
// threads share it, and a checker of races sees where each region begins and ends.
#include "test_pool.h"

#include <pthread.h>

#include <prim/prim_threadpool.h>

typedef struct {
    void (*work)(int i, int n, void *arg);
    void *arg;
    int first, step, n; ///< work-items first, first + step, … below n
} share_t;

static _Thread_local bool works_for_pool;

static void *do_share(void *arg)
{
    const share_t *const share = arg;
    works_for_pool = true;
    for (int i = share->first; i < share->n; i += share->step) share->work(i, share->n, share->arg);
    works_for_pool = false;
    return NULL;
}

/// `user` is the number of threads.
static int get_num_threads(void *user)
{
    return *(const int *)user;
}

static bool get_in_parallel(void *user)
{
    (void)user;
    return works_for_pool;
}

/// Where a thread cannot be had, the caller does its share.
static void parallel_for(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    const int nthreads = get_num_threads(user);
    share_t shares[TEST_POOL_MAX];
    pthread_t threads[TEST_POOL_MAX];
    bool is_started[TEST_POOL_MAX] = {false};
    for (int t = 0; t < nthreads; ++t) {
        shares[t] = (share_t){work, arg, t, nthreads, n};
        is_started[t] = t > 0 && pthread_create(&threads[t], NULL, do_share, &shares[t]) == 0;
    }
    for (int t = 0; t < nthreads; ++t)
        if (!is_started[t]) (void)do_share(&shares[t]);
    for (int t = 0; t < nthreads; ++t)
        if (is_started[t]) pthread_join(threads[t], NULL);
}

prim_status_t test_pool_stream_create_of(
        prim_stream_t **stream, prim_engine_t *engine, int nthreads)
{
    static int counts[TEST_POOL_MAX] = {1, 2, 3};
    const prim_threadpool_t pool = {
            get_num_threads, get_in_parallel, parallel_for, &counts[nthreads - 1]};
    return prim_threadpool_stream_create(stream, engine, &pool);
}

prim_status_t test_pool_stream_create(prim_stream_t **stream, prim_engine_t *engine)
{
    prim_engine_kind_t kind = PRIM_GPU;
    const prim_status_t st = prim_engine_get_kind(engine, &kind);
    if (st != PRIM_SUCCESS) return st;
    if (kind == PRIM_CPU && prim_version()->cpu_runtime != PRIM_RUNTIME_OMP)
        return test_pool_stream_create_of(stream, engine, TEST_POOL_MAX);
    return prim_stream_create(stream, engine, PRIM_STREAM_IN_ORDER);
}
