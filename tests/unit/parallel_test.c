// SPDX-License-Identifier: Apache-2.0
// Parallel regions. Built once for each way to build the library, with parallel.c itself: on each
// runtime every member runs, once, nested regions run in turn, and the pool's own rules are kept.
#define _POSIX_C_SOURCE 200809L
#include "common/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#if defined(PRIM_CPU_RUNTIME_OMP)
#include <omp.h>
#endif

#include "common/environment.h"
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

static int on_pool(void **state)
{
    (void)state;
    test_pool = (test_pool_t){.nthreads = POOL_THREADS};
    prim__parallel_use(PRIM_RUNTIME_THREADPOOL, &pool);
    return 0;
}

static int on_caller(void **state)
{
    (void)on_pool(state);
    prim__parallel_use(PRIM_RUNTIME_SEQ, &pool);
    return 0;
}

static int on_omp(void **state)
{
    (void)on_pool(state);
    prim__parallel_use(PRIM_RUNTIME_OMP, NULL);
    return 0;
}

/// As threads are outside of executions.
static int on_default(void **state)
{
    (void)on_pool(state);
    prim__parallel_use(PRIM_RUNTIME_NONE, NULL);
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
    check_region(5);
    assert_int_equal(test_pool.ncalls, 1);
}

static void the_pool_is_not_asked(void **state)
{
    (void)state;
    assert_true(prim__max_threads() >= 1);
    check_region(0);
    check_region(7);
    assert_int_equal(test_pool.ncalls, 0);
}

static void stay_on(int ithr, int nthr, void *arg)
{
    (void)ithr;
    (void)nthr;
    if (!pthread_equal(pthread_self(), *(const pthread_t *)arg)) fail();
}

static void one_thread_is_all(void **state)
{
    (void)state;
    pthread_t self = pthread_self();
    assert_int_equal(prim__max_threads(), 1);
    prim__parallel(7, stay_on, &self);
    prim__parallel(0, stay_on, &self);
    check_region(7);
    assert_int_equal(test_pool.ncalls, 0);
}

static void *ask_threads(void *arg)
{
    *(int *)arg = prim__max_threads();
    return NULL;
}

/// What one thread's executions use does not touch another thread's.
static void the_choice_is_the_threads_own(void **state)
{
    (void)state;
    pthread_t thread;
    int nthreads = 0;
    (void)on_default(state);
    const int expected = prim__max_threads();
    (void)on_pool(state);
    test_pool.nthreads = 33;
    assert_int_equal(pthread_create(&thread, NULL, ask_threads, &nthreads), 0);
    pthread_join(thread, NULL);
    assert_int_equal(nthreads, expected);
    assert_int_equal(prim__max_threads(), 33);
}

/// Pools raise the plan, and never lower it.
static void plans_for_the_largest_pool(void **state)
{
    (void)state;
    const int before = prim__planned_threads();
    test_pool.nthreads = before + 5;
    prim__parallel_plan_for(&pool);
    assert_int_equal(prim__planned_threads(), before + 5);
    test_pool.nthreads = before + 2;
    prim__parallel_plan_for(&pool);
    assert_int_equal(prim__planned_threads(), before + 5);
}

static void the_environment_chooses(void **state)
{
    (void)state;
    const prim_runtime_t best = prim__parallel_has_omp() ? PRIM_RUNTIME_OMP : PRIM_RUNTIME_SEQ;
    unsetenv("PRIM_CPU_RUNTIME");
    assert_int_equal(prim__parallel_default(), best);
    setenv("PRIM_CPU_RUNTIME", "seq", 1);
    assert_int_equal(prim__parallel_default(), PRIM_RUNTIME_SEQ);
    setenv("PRIM_CPU_RUNTIME", "omp", 1);
    assert_int_equal(prim__parallel_default(), best);
    setenv("PRIM_CPU_RUNTIME", "tbb", 1);
    assert_int_equal(prim__parallel_default(), best);
    char sentence[200];
    assert_true(prim__env_take_fault(sentence, sizeof sentence));
    assert_string_equal(sentence, "PRIM_CPU_RUNTIME=tbb is ignored: it takes omp or seq");
    unsetenv("PRIM_CPU_RUNTIME");
}

#if defined(PRIM_CPU_RUNTIME_OMP)
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

static void omp_has_threads(void **state)
{
    (void)state;
    assert_true(prim__parallel_has_omp());
    omp_set_num_threads(3);
    assert_int_equal(prim__max_threads(), 3);
    check_region(0);
}

static atomic_int nseen;

/// Counts the threads that work here for the first time.
static void count_new_threads(int ithr, int nthr, void *arg)
{
    static _Thread_local bool is_known;
    (void)ithr;
    (void)nthr;
    (void)arg;
    if (!is_known) atomic_fetch_add(&nseen, 1);
    is_known = true;
}

/// Small and large regions in turn: a runtime that ends threads after the small ones would start
/// others for the large ones.
static void omp_keeps_its_threads(void **state)
{
    (void)state;
    omp_set_num_threads(4);
    atomic_store(&nseen, 0);
    for (int i = 0; i < 20; ++i) prim__parallel(i % 2 == 0 ? 4 : 2, count_new_threads, NULL);
    assert_in_range(atomic_load(&nseen), 1, 4);
}
#else
static void without_omp_one_thread_is_left(void **state)
{
    assert_false(prim__parallel_has_omp());
    one_thread_is_all(state);
}
#endif

#define ON(where, test)                                \
    {                                                  \
#test " " #where, test, on_##where, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(pool, every_member_runs_once),
        ON(omp, every_member_runs_once),
        ON(caller, every_member_runs_once),
        ON(default, every_member_runs_once),
        ON(pool, every_item_runs_once),
        ON(omp, every_item_runs_once),
        ON(caller, every_item_runs_once),
        ON(pool, the_pool_is_asked),
        ON(omp, the_pool_is_not_asked),
        ON(default, the_pool_is_not_asked),
        ON(caller, one_thread_is_all),
        ON(pool, the_choice_is_the_threads_own),
        ON(default, plans_for_the_largest_pool),
        ON(default, the_environment_chooses),
#if defined(PRIM_CPU_RUNTIME_OMP)
        ON(omp, inside_the_callers_region),
        ON(default, inside_the_callers_region),
        ON(omp, omp_has_threads),
        ON(default, omp_has_threads),
        ON(omp, omp_keeps_its_threads),
#else
        ON(omp, without_omp_one_thread_is_left),
        ON(default, without_omp_one_thread_is_left),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
