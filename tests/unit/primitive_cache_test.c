// SPDX-License-Identifier: Apache-2.0
// The primitive cache: order of eviction, capacity, one creation for concurrent requests, failures.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/primitive_cache.h"
#include "fake_problem.h"

static atomic_int ncreated, ndestroyed, nfailures_left;
static atomic_bool is_slow;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static prim_status_t init(prim_t *primitive)
{
    (void)primitive;
    atomic_fetch_add(&ncreated, 1);
    if (atomic_load(&is_slow)) nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    if (atomic_load(&nfailures_left) > 0) {
        atomic_fetch_sub(&nfailures_left, 1);
        return prim__fail(PRIM_RUNTIME_ERROR, "the kernel does not build");
    }
    return PRIM_SUCCESS;
}

static void fini(prim_t *primitive)
{
    (void)primitive;
    atomic_fetch_add(&ndestroyed, 1);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    return PRIM_SUCCESS;
}

static const impl_t impl = {.name = "t:cache:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = fini};
static const impl_t *const list[] = {&impl, NULL};

static prim_engine_t *engine;

static int set_up(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
    atomic_store(&ncreated, 0);
    atomic_store(&ndestroyed, 0);
    atomic_store(&nfailures_left, 0);
    atomic_store(&is_slow, false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ndestroyed), atomic_load(&ncreated));
    prim_engine_destroy(engine);
    return 0;
}

/// Creates the primitive of a problem with n elements and lets it go again; tells whether it was a
/// hit.
static bool touch(prim_dim_t n)
{
    const fake_problem_t problem = fake_problem(n);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    prim_t *primitive = NULL;
    bool was_hit = false;
    assert_int_equal(prim__cache_get(&primitive, pd, &was_hit), PRIM_SUCCESS);
    assert_int_equal(primitive->pd->tensors[0].md.dims[0], n);
    prim_desc_destroy(pd);
    prim_destroy(primitive);
    return was_hit;
}

static void keeps_what_was_made(void **state)
{
    (void)state;
    assert_false(touch(1));
    assert_true(touch(1));
    assert_false(touch(2));
    assert_true(touch(1));
    assert_int_equal(atomic_load(&ncreated), 2);
}

static void the_least_recently_used_goes_first(void **state)
{
    (void)state;
    assert_int_equal(prim_set_primitive_cache_capacity(3), PRIM_SUCCESS);
    for (prim_dim_t n = 1; n <= 3; ++n) assert_false(touch(n));
    assert_true(touch(1));  // order of use: 2 3 1
    assert_false(touch(4)); // 2 goes: 3 1 4
    assert_int_equal(atomic_load(&ndestroyed), 1);
    assert_true(touch(3));  // 1 4 3
    assert_true(touch(1));  // 4 3 1
    assert_false(touch(2)); // 4 goes: 3 1 2
    assert_false(touch(4)); // 3 goes: 1 2 4
    assert_true(touch(1));
    assert_true(touch(2));
    assert_true(touch(4));
    assert_false(touch(3));
}

static void capacity_shrinks_and_switches_off(void **state)
{
    (void)state;
    int capacity = -1;
    for (prim_dim_t n = 1; n <= 8; ++n) assert_false(touch(n));
    assert_int_equal(prim_set_primitive_cache_capacity(2), PRIM_SUCCESS);
    assert_int_equal(prim_get_primitive_cache_capacity(&capacity), PRIM_SUCCESS);
    assert_int_equal(capacity, 2);
    assert_int_equal(atomic_load(&ndestroyed), 6);
    assert_true(touch(7));
    assert_true(touch(8));

    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ndestroyed), 8);
    assert_false(touch(8));
    assert_false(touch(8));

    assert_int_equal(prim_set_primitive_cache_capacity(-1), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_get_primitive_cache_capacity(NULL), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_get_primitive_cache_capacity(&capacity), PRIM_SUCCESS);
    assert_int_equal(capacity, 0);
}

static void grows_with_its_contents(void **state)
{
    (void)state;
    assert_int_equal(prim_set_primitive_cache_capacity(1000), PRIM_SUCCESS);
    for (prim_dim_t n = 1; n <= 1000; ++n) assert_false(touch(n));
    for (prim_dim_t n = 1; n <= 1000; ++n) assert_true(touch(n));
    assert_false(touch(1001));
    assert_false(touch(1)); // the oldest had gone for it
    assert_true(touch(3));
}

static void users_keep_what_the_cache_drops(void **state)
{
    (void)state;
    const fake_problem_t problem = fake_problem(3);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    prim_t *a = NULL, *b = NULL;
    assert_int_equal(prim_create(&a, pd), PRIM_SUCCESS);
    assert_int_equal(prim_create(&b, pd), PRIM_SUCCESS);
    assert_ptr_equal(a, b);
    prim_desc_destroy(pd);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ndestroyed), 0);
    prim_destroy(a);
    assert_int_equal(atomic_load(&ndestroyed), 0);
    assert_int_equal(b->pd->tensors[0].md.dims[0], 3);
    prim_destroy(b);
    assert_int_equal(atomic_load(&ndestroyed), 1);
}

static void a_failed_creation_is_forgotten(void **state)
{
    (void)state;
    const fake_problem_t problem = fake_problem(5);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    prim_t *const untouched = (prim_t *)(void *)pd;
    prim_t *primitive = untouched;
    atomic_store(&nfailures_left, 1);
    assert_int_equal(prim_create(&primitive, pd), PRIM_RUNTIME_ERROR);
    assert_ptr_equal(primitive, untouched);
    assert_string_equal(prim_last_error(), "the kernel does not build");
    assert_int_equal(atomic_load(&ndestroyed), 1); // fini ran after the failed init
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ncreated), 2);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

enum { NTHREADS = 8 };

typedef struct {
    prim_desc_t *pd;
    pthread_barrier_t *barrier;
    prim_t *primitive;
    prim_status_t status;
    bool has_sentence;
} request_t;

static void *request(void *arg)
{
    request_t *const r = arg;
    pthread_barrier_wait(r->barrier);
    r->status = prim_create(&r->primitive, r->pd);
    r->has_sentence = strcmp(prim_last_error(), "the kernel does not build") == 0;
    return NULL;
}

/// NTHREADS requests for the same thing at once, each with a descriptor of its own.
static void request_at_once(request_t *requests)
{
    const fake_problem_t problem = fake_problem(7);
    pthread_barrier_t barrier;
    pthread_t threads[NTHREADS];
    assert_int_equal(pthread_barrier_init(&barrier, NULL, NTHREADS), 0);
    for (int i = 0; i < NTHREADS; ++i) {
        requests[i] =
                (request_t){.pd = fake_desc(list, &problem, engine, NULL), .barrier = &barrier};
        assert_int_equal(pthread_create(&threads[i], NULL, request, &requests[i]), 0);
    }
    for (int i = 0; i < NTHREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < NTHREADS; ++i) prim_desc_destroy(requests[i].pd);
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
}

static void concurrent_requests_create_once(void **state)
{
    (void)state;
    request_t requests[NTHREADS];
    atomic_store(&is_slow, true);
    request_at_once(requests);
    assert_int_equal(atomic_load(&ncreated), 1);
    for (int i = 0; i < NTHREADS; ++i) {
        assert_int_equal(requests[i].status, PRIM_SUCCESS);
        assert_ptr_equal(requests[i].primitive, requests[0].primitive);
        prim_destroy(requests[i].primitive);
    }
}

static void those_who_wait_hear_of_a_failure(void **state)
{
    (void)state;
    request_t requests[NTHREADS];
    atomic_store(&is_slow, true);
    atomic_store(&nfailures_left, NTHREADS);
    request_at_once(requests);
    for (int i = 0; i < NTHREADS; ++i) {
        assert_int_equal(requests[i].status, PRIM_RUNTIME_ERROR);
        assert_true(requests[i].has_sentence);
        assert_null(requests[i].primitive);
    }
    atomic_store(&nfailures_left, 0);
    assert_false(touch(7));
}

static void *churn(void *arg)
{
    unsigned seed = (unsigned)(size_t)arg;
    for (int i = 0; i < 300; ++i) {
        seed = seed * 1103515245u + 12345u;
        const unsigned r = seed >> 16;
        if (r % 64 == 0)
            (void)prim_set_primitive_cache_capacity((int)(r / 64 % 5));
        else
            (void)touch((prim_dim_t)(r % 7));
    }
    return NULL;
}

static void survives_threads_that_evict_each_other(void **state)
{
    (void)state;
    pthread_t threads[NTHREADS];
    for (size_t i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < NTHREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    // Read once, at the first use of the cache.
    if (setenv("PRIM_PRIMITIVE_CACHE_CAPACITY", "17", 1) != 0) return 1;
    int capacity = 0;
    if (prim_get_primitive_cache_capacity(&capacity) != PRIM_SUCCESS || capacity != 17) return 1;

    const struct CMUnitTest tests[] = {
            TEST(keeps_what_was_made),
            TEST(the_least_recently_used_goes_first),
            TEST(capacity_shrinks_and_switches_off),
            TEST(grows_with_its_contents),
            TEST(users_keep_what_the_cache_drops),
            TEST(a_failed_creation_is_forgotten),
            TEST(concurrent_requests_create_once),
            TEST(those_who_wait_hear_of_a_failure),
            TEST(survives_threads_that_evict_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
