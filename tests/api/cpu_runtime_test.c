// SPDX-License-Identifier: Apache-2.0
// Which threads a process has after executions on streams of each runtime, side by side, and that
// all of them compute the same product. Run with OMP_NUM_THREADS=3.
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>
#include <prim/prim_threadpool.h>

#include "api_fixture.h"

enum { POOL_THREADS = 5, SIDE = 160 };

/// Threads of this process, as the system counts them; 0 where it does not tell.
static int count_threads(void)
{
    int n = 0;
    DIR *const tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    while (readdir(tasks)) ++n;
    closedir(tasks);
    return n - 2; // . and ..
}

typedef struct {
    void (*work)(int i, int n, void *arg);
    int i, n;
    void *arg;
} task_t;

static prim_engine_t *cpu;
static atomic_int npool_calls;
static _Thread_local bool is_in_pool;

static void *run_task(void *arg)
{
    const task_t *const task = arg;
    is_in_pool = true;
    task->work(task->i, task->n, task->arg);
    is_in_pool = false;
    return NULL;
}

static int pool_threads(void *user)
{
    (void)user;
    return POOL_THREADS;
}

static bool pool_in_parallel(void *user)
{
    (void)user;
    return is_in_pool;
}

static void pool_for(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    (void)user;
    atomic_fetch_add(&npool_calls, 1);
    for (int first = 0; first < n; first += POOL_THREADS) {
        pthread_t threads[POOL_THREADS];
        task_t tasks[POOL_THREADS];
        const int nhere = n - first < POOL_THREADS ? n - first : POOL_THREADS;
        for (int i = 0; i < nhere; ++i) {
            tasks[i] = (task_t){work, first + i, n, arg};
            assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]), 0);
        }
        for (int i = 0; i < nhere; ++i) pthread_join(threads[i], NULL);
    }
}

/// The product of two matrices with full mantissas.
static void multiply(prim_stream_t *stream, float *dst)
{
    static float a[SIDE * SIDE], b[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        a[i] = 1.f / (float)(i % 97 + 3);
        b[i] = 1.f / (float)(i % 89 + 7) - 0.1f;
    }
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){SIDE, SIDE}, PRIM_ab);
    float *const places[] = {a, b, dst};
    prim_memory_t *memories[3];
    prim_desc_t *pd = NULL;
    prim_t *matmul = NULL;
    for (int i = 0; i < 3; ++i)
        api_expect(prim_memory_create(&memories[i], &md, cpu, places[i]), PRIM_SUCCESS);
    api_expect(prim_matmul_desc_create(&pd, cpu, &md, &md, NULL, &md, NULL), PRIM_SUCCESS);
    api_expect(prim_create(&matmul, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memories[0]}, {PRIM_ARG_WEIGHTS, memories[1]},
            {PRIM_ARG_DST, memories[2]}};
    api_expect(prim_execute(matmul, stream, 3, args), PRIM_SUCCESS);
    prim_destroy(matmul);
    prim_desc_destroy(pd);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(memories[i]);
}

/// In this order: threads of OpenMP stay when they were started.
static void each_stream_has_its_threads(void **state)
{
    (void)state;
    static float alone[SIDE * SIDE], pooled[SIDE * SIDE], with_omp[SIDE * SIDE];
    const prim_threadpool_t pool = {pool_threads, pool_in_parallel, pool_for, NULL};
    const bool has_omp = prim_version()->cpu_runtime == PRIM_RUNTIME_OMP;
    prim_stream_t *seq = NULL, *on_pool = NULL, *usual = api_stream(cpu);
    api_expect(prim_threadpool_stream_create(&on_pool, cpu, &pool), PRIM_SUCCESS);
    api_expect(prim_cpu_stream_create(&seq, cpu, PRIM_RUNTIME_SEQ, 0), PRIM_SUCCESS);
    const int before = count_threads();

    multiply(seq, alone);
    assert_int_equal(count_threads(), before);
    multiply(usual, with_omp);
    if (before > 0) assert_int_equal(count_threads(), has_omp ? before + 2 : before);
    assert_int_equal(npool_calls, 0);
    multiply(on_pool, pooled);
    assert_true(npool_calls > 0);
    const int ncalls = npool_calls;
    assert_memory_equal(pooled, alone, sizeof alone);
    assert_memory_equal(with_omp, alone, sizeof alone);
    multiply(usual, with_omp); // the pool was the other stream's
    multiply(seq, alone);
    assert_int_equal(npool_calls, ncalls);
    prim_stream_destroy(seq);
    prim_stream_destroy(on_pool);
    prim_stream_destroy(usual);
}

/// Only this one: drivers of others start threads of their own.
static int open_cpu(void **state)
{
    (void)state;
    return prim_engine_create(&cpu, PRIM_CPU, 0) == PRIM_SUCCESS ? 0 : -1;
}

static int close_cpu(void **state)
{
    (void)state;
    prim_engine_destroy(cpu);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_stream_has_its_threads)};
    return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
