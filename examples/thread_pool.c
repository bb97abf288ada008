// SPDX-License-Identifier: Apache-2.0
// The CPU engine on the application's threads: a pool of POSIX threads behind three C callbacks.
// Other streams of the process go on with OpenMP.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include <prim/prim_threadpool.h>

#include "example.h"

enum { NTHREADS = 4, N = 1 << 16 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*work)(int i, int n, void *arg);
    void *arg;
    int n, next, nrunning; ///< items in all, next one to take, items being worked on
    bool is_ending;
    int ncalls; ///< parallel_for calls seen
} pool_t;

static _Thread_local bool works_for_pool;

/// Takes items until none is left. The lock is held on entry and on return.
static void take_items(pool_t *pool)
{
    while (pool->next < pool->n) {
        const int i = pool->next++;
        ++pool->nrunning;
        pthread_mutex_unlock(&pool->lock);
        works_for_pool = true;
        pool->work(i, pool->n, pool->arg);
        works_for_pool = false;
        pthread_mutex_lock(&pool->lock);
        --pool->nrunning;
    }
    pthread_cond_broadcast(&pool->changed);
}

static void *worker(void *arg)
{
    pool_t *const pool = arg;
    pthread_mutex_lock(&pool->lock);
    while (!pool->is_ending) {
        if (pool->next < pool->n)
            take_items(pool);
        else
            pthread_cond_wait(&pool->changed, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int get_num_threads(void *user)
{
    (void)user;
    return NTHREADS;
}

static bool get_in_parallel(void *user)
{
    (void)user;
    return works_for_pool;
}

static void parallel_for(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    pool_t *const pool = user;
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->arg = arg;
    pool->next = 0;
    pool->n = n;
    ++pool->ncalls;
    pthread_cond_broadcast(&pool->changed);
    take_items(pool);
    while (pool->nrunning > 0) pthread_cond_wait(&pool->changed, &pool->lock);
    pool->n = 0;
    pthread_mutex_unlock(&pool->lock);
}

/// Runs dst = src² on the stream and counts wrong values.
static int square(prim_engine_t *engine, prim_stream_t *stream)
{
    static float values[N];
    for (int i = 0; i < N; ++i) values[i] = (float)(i % 1000);
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    DO(prim_memory_desc_init_by_tag(&md, 1, (const prim_dim_t[]){N}, PRIM_F32, PRIM_a));
    DO(prim_memory_create(&memory, &md, engine, values));
    DO(prim_eltwise_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_SQUARE, &md, &md, 0, 0, NULL));
    DO(prim_create(&primitive, pd));
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    DO(prim_execute(primitive, stream, 2, args));
    DO(prim_stream_wait(stream));
    int nwrong = 0;
    for (int i = 0; i < N; ++i) nwrong += values[i] != (float)((i % 1000) * (i % 1000));
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_memory_destroy(memory);
    return nwrong;
}

int main(void)
{
    pool_t pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const prim_threadpool_t callbacks = {get_num_threads, get_in_parallel, parallel_for, &pool};
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    DO(prim_engine_create(&engine, PRIM_CPU, 0));
    DO(prim_threadpool_stream_create(&stream, engine, &callbacks));
    pthread_t threads[NTHREADS - 1];
    for (int i = 0; i < NTHREADS - 1; ++i)
        if (pthread_create(&threads[i], NULL, worker, &pool) != 0) return 1;

    const int nwrong = square(engine, stream);
    printf("%d of %d values wrong, %d parallel regions ran on the pool\n", nwrong, N, pool.ncalls);

    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    pthread_mutex_lock(&pool.lock);
    pool.is_ending = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < NTHREADS - 1; ++i) pthread_join(threads[i], NULL);
    return nwrong != 0 || pool.ncalls == 0;
}
