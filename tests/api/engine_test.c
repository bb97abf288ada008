// SPDX-License-Identifier: Apache-2.0
// The public functions of engines and streams.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <prim/prim_threadpool.h>

#include "api_fixture.h"

static void tells_its_version(void **state)
{
    (void)state;
    const prim_version_t *const version = prim_version();
    assert_int_equal(version->major, PRIM_VERSION_MAJOR);
    assert_int_equal(version->minor, PRIM_VERSION_MINOR);
    assert_int_equal(version->patch, PRIM_VERSION_PATCH);
    assert_true(strlen(version->hash) > 0);
    assert_true(version->cpu_runtime == PRIM_RUNTIME_SEQ ||
                version->cpu_runtime == PRIM_RUNTIME_OMP ||
                version->cpu_runtime == PRIM_RUNTIME_THREADPOOL);
    assert_true(
            version->gpu_runtime == PRIM_RUNTIME_NONE || version->gpu_runtime == PRIM_RUNTIME_OCL);
    if (version->gpu_runtime == PRIM_RUNTIME_NONE)
        assert_int_equal(prim_engine_get_count(PRIM_GPU), 0);
}

static void counts_engines(void **state)
{
    (void)state;
    assert_int_equal(prim_engine_get_count(PRIM_CPU), 1);
    assert_int_equal(prim_engine_get_count(PRIM_ANY_ENGINE), 0);
    assert_int_equal(prim_engine_get_count((prim_engine_kind_t)77), 0);
}

static void creates_engines_that_exist(void **state)
{
    (void)state;
    static const prim_engine_kind_t kinds[] = {PRIM_CPU, PRIM_GPU};
    for (int k = 0; k < 2; ++k) {
        const size_t count = prim_engine_get_count(kinds[k]);
        prim_engine_t *engine = NULL;
        for (size_t i = 0; i < count; ++i) {
            api_expect(prim_engine_create(&engine, kinds[k], i), PRIM_SUCCESS);
            prim_engine_kind_t kind = PRIM_ANY_ENGINE;
            api_expect(prim_engine_get_kind(engine, &kind), PRIM_SUCCESS);
            assert_int_equal(kind, kinds[k]);
            assert_true(strlen(prim_engine_name(engine)) > 0);
            size_t total = 0, largest = 0;
            api_expect(prim_engine_get_memory_limits(engine, &total, &largest), PRIM_SUCCESS);
            assert_true(largest > 0 && total >= largest);
            prim_engine_destroy(engine);
        }
        engine = UNTOUCHED(prim_engine_t *);
        api_expect(prim_engine_create(&engine, kinds[k], count), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_engine_create(&engine, kinds[k], (size_t)-1), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(engine, api_untouched());
    }
}

static void refuses_bad_engine_arguments(void **state)
{
    (void)state;
    prim_engine_t *engine = UNTOUCHED(prim_engine_t *);
    api_expect(prim_engine_create(NULL, PRIM_CPU, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_create(&engine, PRIM_ANY_ENGINE, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_create(&engine, (prim_engine_kind_t)3, 0), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(engine, api_untouched());

    prim_engine_kind_t kind = (prim_engine_kind_t)77;
    size_t total = 77, largest = 77;
    api_expect(prim_engine_get_kind(NULL, &kind), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_get_kind(api_engine(0), NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_get_memory_limits(NULL, &total, &largest), PRIM_INVALID_ARGUMENTS);
    api_expect(
            prim_engine_get_memory_limits(api_engine(0), NULL, &largest), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_get_memory_limits(api_engine(0), &total, NULL), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(kind, 77);
    assert_int_equal(total, 77);
    assert_int_equal(largest, 77);
    assert_null(prim_engine_name(NULL));
    prim_engine_destroy(NULL);
}

static void everything_keeps_its_engine_alive(void **state)
{
    (void)state;
    static const prim_engine_kind_t kinds[] = {PRIM_CPU, PRIM_GPU};
    for (int k = 0; k < 2 && prim_engine_get_count(kinds[k]) > 0; ++k) {
        prim_engine_t *engine = NULL;
        api_expect(prim_engine_create(&engine, kinds[k], 0), PRIM_SUCCESS);
        const prim_memory_desc_t md = api_vector(4);
        prim_memory_t *const memory = api_memory(&md, engine);
        prim_stream_t *const stream = api_stream(engine);
        prim_desc_t *const pd = api_relu_desc(engine, 4, NULL);
        prim_engine_destroy(engine);

        prim_engine_t *of_memory = NULL, *of_stream = NULL, *of_pd = NULL;
        api_expect(prim_memory_get_engine(memory, &of_memory), PRIM_SUCCESS);
        api_expect(prim_stream_get_engine(stream, &of_stream), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_ENGINE, 0, &of_pd), PRIM_SUCCESS);
        assert_ptr_equal(of_memory, engine);
        assert_ptr_equal(of_stream, engine);
        assert_ptr_equal(of_pd, engine);
        assert_true(strlen(prim_engine_name(of_memory)) > 0);
        prim_memory_destroy(memory);
        prim_stream_destroy(stream);
        prim_desc_destroy(pd);
    }
}

static void creates_streams(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_stream_t *stream = NULL;
        prim_engine_t *engine = NULL;
        api_expect(prim_stream_create(&stream, api_engine(e), PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
        api_expect(prim_stream_get_engine(stream, &engine), PRIM_SUCCESS);
        assert_ptr_equal(engine, api_engine(e));
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        prim_stream_destroy(stream);

        stream = UNTOUCHED(prim_stream_t *);
        if (e == 0) // the CPU; ocl_events_test.c has the others
            api_expect(prim_stream_create(&stream, api_engine(e), PRIM_STREAM_OUT_OF_ORDER),
                    PRIM_UNIMPLEMENTED);
        api_expect(prim_stream_create(
                           &stream, api_engine(e), PRIM_STREAM_IN_ORDER | PRIM_STREAM_OUT_OF_ORDER),
                PRIM_INVALID_ARGUMENTS);
        api_expect(prim_stream_create(&stream, api_engine(e), 8), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(stream, api_untouched());
    }
}

static void refuses_bad_stream_arguments(void **state)
{
    (void)state;
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    prim_engine_t *engine = UNTOUCHED(prim_engine_t *);
    api_expect(
            prim_stream_create(NULL, api_engine(0), PRIM_STREAM_DEFAULT), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_stream_create(&stream, NULL, PRIM_STREAM_DEFAULT), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(stream, api_untouched());
    api_expect(prim_stream_get_engine(NULL, &engine), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(engine, api_untouched());
    api_expect(prim_stream_wait(NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_stream_get_profile(NULL, NULL, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_stream_reset_profile(NULL), PRIM_INVALID_ARGUMENTS);
    prim_stream_destroy(NULL);

    prim_stream_t *const plain = api_stream(api_engine(0));
    int count = 77;
    api_expect(prim_stream_get_engine(plain, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_stream_get_profile(plain, &count, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_stream_reset_profile(plain), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(count, 77);
    prim_stream_destroy(plain);
}

static void execute_relu(prim_stream_t *stream, prim_engine_t *engine, prim_dim_t n)
{
    const prim_memory_desc_t md = api_vector(n);
    prim_desc_t *const pd = api_relu_desc(engine, n, NULL);
    prim_memory_t *const memory = api_memory(&md, engine);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    api_expect(prim_execute(relu, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    prim_destroy(relu);
    prim_desc_destroy(pd);
}

static void profiles_executions(void **state)
{
    (void)state;
    enum { N = 100 };
    for (int e = 0; api_engine(e); ++e) {
        prim_stream_t *stream = NULL;
        api_expect(prim_stream_create(
                           &stream, api_engine(e), PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING),
                PRIM_SUCCESS);
        int count = -1;
        api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
        assert_int_equal(count, 0);
        for (int i = 0; i < N; ++i) execute_relu(stream, api_engine(e), i == 0 ? 1 << 20 : 1);
        api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
        assert_int_equal(count, N);

        uint64_t ns[N + 1];
        memset(ns, 0xff, sizeof ns);
        count = N + 1; // more room than there are times
        api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_SUCCESS);
        assert_int_equal(count, N);
        // The oldest stands first, and a million elements take longer than one.
        assert_true(ns[0] > ns[1] && ns[0] < UINT64_C(60000000000));
        assert_true(ns[N] == UINT64_MAX);

        memset(ns, 0xff, sizeof ns);
        count = 2; // less
        api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_SUCCESS);
        assert_int_equal(count, 2);
        assert_true(ns[1] != UINT64_MAX && ns[2] == UINT64_MAX);

        count = -1;
        api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_stream_get_profile(stream, NULL, ns), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_stream_reset_profile(stream), PRIM_SUCCESS);
        api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
        assert_int_equal(count, 0);
        prim_stream_destroy(stream);
    }
}

enum { POOL_THREADS = 3 };
static int nregions;

static int pool_threads(void *user)
{
    assert_ptr_equal(user, &nregions);
    return POOL_THREADS;
}

static bool pool_in_parallel(void *user)
{
    (void)user;
    return false;
}

static void pool_run(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    (void)user;
    ++nregions;
    for (int i = n - 1; i >= 0; --i) work(i, n, arg);
}

static void expect_runtime(const prim_stream_t *stream, prim_runtime_t expected)
{
    prim_runtime_t runtime = PRIM_RUNTIME_NONE;
    api_expect(prim_cpu_stream_get_runtime(stream, &runtime), PRIM_SUCCESS);
    assert_int_equal(runtime, expected);
}

static void streams_choose_their_threads(void **state)
{
    (void)state;
    prim_engine_t *const cpu = api_engine(0);
    const bool has_omp = prim_version()->cpu_runtime == PRIM_RUNTIME_OMP;
    prim_stream_t *stream = NULL;
    api_expect(prim_cpu_stream_create(&stream, cpu, PRIM_RUNTIME_SEQ, PRIM_STREAM_PROFILING),
            PRIM_SUCCESS);
    expect_runtime(stream, PRIM_RUNTIME_SEQ);
    execute_relu(stream, cpu, 1 << 20);
    int count = 0;
    api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
    assert_int_equal(count, 1);
    prim_stream_destroy(stream);

    stream = UNTOUCHED(prim_stream_t *);
    api_expect(prim_cpu_stream_create(&stream, cpu, PRIM_RUNTIME_OMP, PRIM_STREAM_DEFAULT),
            has_omp ? PRIM_SUCCESS : PRIM_UNIMPLEMENTED);
    if (has_omp) {
        expect_runtime(stream, PRIM_RUNTIME_OMP);
        execute_relu(stream, cpu, 1 << 20);
        prim_stream_destroy(stream);
    } else {
        assert_ptr_equal(stream, api_untouched());
    }
    stream = api_stream(cpu);
    expect_runtime(stream, has_omp ? PRIM_RUNTIME_OMP : PRIM_RUNTIME_SEQ);
    prim_stream_destroy(stream);
}

static void refuses_wrong_threads(void **state)
{
    (void)state;
    prim_engine_t *const cpu = api_engine(0), *const gpu = api_engine(1);
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    const prim_runtime_t wrong[] = {
            PRIM_RUNTIME_NONE, PRIM_RUNTIME_THREADPOOL, PRIM_RUNTIME_OCL, (prim_runtime_t)99};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        api_expect(prim_cpu_stream_create(&stream, cpu, wrong[i], 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_cpu_stream_create(&stream, cpu, PRIM_RUNTIME_SEQ, 64), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_cpu_stream_create(&stream, cpu, PRIM_RUNTIME_SEQ, PRIM_STREAM_OUT_OF_ORDER),
            PRIM_UNIMPLEMENTED);
    api_expect(prim_cpu_stream_create(NULL, cpu, PRIM_RUNTIME_SEQ, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_cpu_stream_create(&stream, NULL, PRIM_RUNTIME_SEQ, 0), PRIM_INVALID_ARGUMENTS);
    prim_runtime_t runtime = PRIM_RUNTIME_OCL;
    api_expect(prim_cpu_stream_get_runtime(NULL, &runtime), PRIM_INVALID_ARGUMENTS);
    prim_stream_t *const good = api_stream(cpu);
    api_expect(prim_cpu_stream_get_runtime(good, NULL), PRIM_INVALID_ARGUMENTS);
    prim_stream_destroy(good);
    if (gpu) {
        api_expect(
                prim_cpu_stream_create(&stream, gpu, PRIM_RUNTIME_SEQ, 0), PRIM_INVALID_ARGUMENTS);
        prim_stream_t *const foreign = api_stream(gpu);
        api_expect(prim_cpu_stream_get_runtime(foreign, &runtime), PRIM_INVALID_ARGUMENTS);
        prim_stream_destroy(foreign);
    }
    assert_ptr_equal(stream, api_untouched());
    assert_int_equal(runtime, PRIM_RUNTIME_OCL);
}

static void streams_on_a_thread_pool(void **state)
{
    (void)state;
    const prim_threadpool_t pool = {pool_threads, pool_in_parallel, pool_run, &nregions};
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    const prim_threadpool_t *got = UNTOUCHED(const prim_threadpool_t *);
    api_expect(prim_threadpool_stream_create(NULL, api_engine(0), &pool), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_threadpool_stream_create(&stream, NULL, &pool), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_threadpool_stream_create(&stream, api_engine(0), NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_threadpool_stream_get_pool(NULL, &got), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(stream, api_untouched());

    prim_threadpool_t broken = pool;
    broken.parallel_for = NULL;
    api_expect(
            prim_threadpool_stream_create(&stream, api_engine(0), &broken), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_threadpool_stream_create(&stream, api_engine(0), &pool), PRIM_SUCCESS);
    api_expect(prim_threadpool_stream_get_pool(stream, &got), PRIM_SUCCESS);
    assert_memory_equal(got, &pool, sizeof pool);
    expect_runtime(stream, PRIM_RUNTIME_THREADPOOL);
    execute_relu(stream, api_engine(0), 1 << 20);
    assert_true(nregions > 0);
    prim_stream_destroy(stream);

    prim_stream_t *const plain = api_stream(api_engine(0));
    api_expect(prim_threadpool_stream_get_pool(plain, &got), PRIM_INVALID_ARGUMENTS);
    nregions = 0;
    execute_relu(plain, api_engine(0), 1 << 20);
    assert_int_equal(nregions, 0);
    prim_stream_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tells_its_version),
            cmocka_unit_test(counts_engines),
            cmocka_unit_test(creates_engines_that_exist),
            cmocka_unit_test(refuses_bad_engine_arguments),
            cmocka_unit_test(everything_keeps_its_engine_alive),
            cmocka_unit_test(creates_streams),
            cmocka_unit_test(refuses_bad_stream_arguments),
            cmocka_unit_test(profiles_executions),
            cmocka_unit_test(streams_choose_their_threads),
            cmocka_unit_test(refuses_wrong_threads),
            cmocka_unit_test(streams_on_a_thread_pool),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
