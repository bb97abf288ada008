// SPDX-License-Identifier: Apache-2.0
// Parallel regions. Built once for each runtime, with parallel.c itself: every member runs, once,
// nested regions run in turn, and the pool's own rules are kept.
#include "common/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "support/unit_test.h"

enum { POOL_THREADS = 4, MAX_MEMBERS = 40 };

typedef struct {
    void (*work)(int i, int n, void *arg);
    int i, n;
    void *arg;
} task_t;

/// A pool that starts its threads anew for each region, and counts its calls.
typedef struct {
    int nthreads;
    bool is_parallel; ///< what get_in_parallel tells
    int ncalls;
} test_pool_t;

static int pool_threads(void *user)
{
    return ((const test_pool_t *)user)->nthreads;
}

static bool pool_is_parallel(void *user)
{
    return ((const test_pool_t *)user)->is_parallel;
}

static void *run_task(void *arg)
{
    const task_t *const task = arg;
    task->work(task->i, task->n, task->arg);
    return NULL;
}

static void pool_for(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    ((test_pool_t *)user)->ncalls++;
    assert_true(n <= MAX_MEMBERS);
    pthread_t threads[MAX_MEMBERS];
    task_t tasks[MAX_MEMBERS];
    for (int i = 0; i < n; ++i) {
        tasks[i] = (task_t){work, i, n, arg};
        assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]), 0);
    }
    for (int i = 0; i < n; ++i) pthread_join(threads[i], NULL);
}

static test_pool_t test_pool = {.nthreads = POOL_THREADS};
static const prim_threadpool_t pool = {pool_threads, pool_is_parallel, pool_for, &test_pool};

static int use_pool(void **state)
{
    (void)state;
    test_pool = (test_pool_t){.nthreads = POOL_THREADS};
    prim__parallel_use_pool(&pool);
    return 0;
}

typedef struct {
    atomic_int calls[MAX_MEMBERS];
    atomic_int nthr, nested_threads, nested_calls;
} record_t;

static void count_nested(int ithr, int nthr, void *arg)
{
    record_t *const record = arg;
    (void)ithr;
    if (nthr == 3) atomic_fetch_add(&record->nested_calls, 1);
}

static void count_member(int ithr, int nthr, void *arg)
{
    record_t *const record = arg;
    atomic_fetch_add(&record->calls[ithr], 1);
    atomic_store(&record->nthr, nthr);
    if (prim__max_threads() != 1) atomic_fetch_add(&record->nested_threads, 1);
    prim__parallel(3, count_nested, record);
}

static void check_region(int asked)
{
    record_t record = {.nthr = 0};
    const int expected = asked > 0 ? asked : prim__max_threads();
    prim__parallel(asked, count_member, &record);
    assert_int_equal(record.nthr, expected);
    for (int i = 0; i < MAX_MEMBERS; ++i) assert_int_equal(record.calls[i], i < expected);
    assert_int_equal(record.nested_threads, 0);
    assert_int_equal(record.nested_calls, 3 * expected);
}

static void every_member_runs_once(void **state)
{
    (void)state;
    for (int asked = 0; asked <= MAX_MEMBERS; ++asked) check_region(asked);
    // The mark of a region ends with it.
    const int before = prim__max_threads();
    check_region(0);
    assert_int_equal(prim__max_threads(), before);
}

static void mark(prim_dim_t i, void *arg)
{
    atomic_int *const marks = arg;
    atomic_fetch_add(&marks[i], 1);
}

static void every_item_runs_once(void **state)
{
    (void)state;
    enum { MAX_ITEMS = 100 };
    for (int n = 0; n <= MAX_ITEMS; ++n) {
        atomic_int marks[MAX_ITEMS] = {0};
        prim__parallel_for(n, mark, marks);
        for (int i = 0; i < MAX_ITEMS; ++i) assert_int_equal(marks[i], i < n);
    }
}

#if defined(PRIM_CPU_RUNTIME_THREADPOOL)

static void the_pool_is_asked(void **state)
{
    (void)state;
    assert_int_equal(prim__max_threads(), POOL_THREADS);
    check_region(0);
    assert_int_equal(test_pool.ncalls, 1); // nested regions stay away from it
    test_pool.is_parallel = true;
    assert_int_equal(prim__max_threads(), 1);
    check_region(7);
    assert_int_equal(test_pool.ncalls, 1);
    test_pool.is_parallel = false;
    test_pool.nthreads = 0; // against the rules; still one thread is there
    assert_int_equal(prim__max_threads(), 1);
    test_pool.nthreads = POOL_THREADS;
    prim__parallel_use_pool(NULL);
    assert_int_equal(prim__max_threads(), 1);
    check_region(5);
    assert_int_equal(test_pool.ncalls, 1);
}

#elif defined(PRIM_CPU_RUNTIME_OMP)

static void the_pool_is_not_asked(void **state)
{
    (void)state;
    assert_true(prim__max_threads() >= 1);
    check_region(0);
    check_region(7);
    assert_int_equal(test_pool.ncalls, 0);
}

static void inside_the_callers_region(void **state)
{
    (void)state;
    atomic_int nwrong = 0;
#pragma omp parallel num_threads(3)
    {
        if (prim__max_threads() != 1) atomic_fetch_add(&nwrong, 1);
    }
    assert_int_equal(nwrong, 0);
}

#else

static void one_thread_is_all(void **state)
{
    (void)state;
    assert_int_equal(prim__max_threads(), 1);
    check_region(7);
    assert_int_equal(test_pool.ncalls, 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_member_runs_once, use_pool),
        cmocka_unit_test_setup(every_item_runs_once, use_pool),
#if defined(PRIM_CPU_RUNTIME_THREADPOOL)
        cmocka_unit_test_setup(the_pool_is_asked, use_pool),
#elif defined(PRIM_CPU_RUNTIME_OMP)
        cmocka_unit_test_setup(the_pool_is_not_asked, use_pool),
        cmocka_unit_test_setup(inside_the_callers_region, use_pool),
#else
        cmocka_unit_test_setup(one_thread_is_all, use_pool),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
