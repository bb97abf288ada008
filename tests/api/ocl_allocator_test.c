// SPDX-License-Identifier: Apache-2.0
// Device buffers from the application's functions: which are, each one refused in turn, wrong
// ones, several threads, and when the allocator may change.
#define _POSIX_C_SOURCE 200809L
#include <prim/prim_ocl.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { KIB = 1 << 10, NINPUTS = 20, NELEMS = 1000, ARENA_BYTES = 1 << 20, PLACE_BYTES = 4 * KIB };

/// What an application keeps of its allocations.
typedef struct {
    int ncalls, nreleased;
    int fail_at;         ///< from this call on; 0: never
    size_t budget_bytes; ///< 0: no limit
    size_t in_use_bytes; ///< counted where there is a budget
    cl_context instead;  ///< makes buffers of this context
    size_t less_bytes;   ///< makes them so much smaller
    cl_mem arena;        ///< makes sub-buffers of it, one after the other
    size_t arena_used;
    atomic_int ninside; ///< calls under way
    bool has_overlapped;
    long pause_ns;
} counts_t;

static void enter(counts_t *counts)
{
    if (atomic_fetch_add(&counts->ninside, 1) != 0) counts->has_overlapped = true;
    if (counts->pause_ns > 0) nanosleep(&(struct timespec){0, counts->pause_ns}, NULL);
}

static cl_mem from_arena(counts_t *counts, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    const cl_buffer_region region = {counts->arena_used, bytes};
    const size_t places = (bytes + PLACE_BYTES - 1) / PLACE_BYTES;
    if (counts->arena_used + bytes > ARENA_BYTES) return NULL;
    counts->arena_used += places * PLACE_BYTES;
    return clCreateSubBuffer(counts->arena, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
}

static cl_mem make(counts_t *counts, cl_context context, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    ++counts->ncalls;
    if (counts->fail_at > 0 && counts->ncalls >= counts->fail_at) return NULL;
    if (counts->arena) return from_arena(counts, bytes);
    if (counts->budget_bytes > 0 && counts->in_use_bytes + bytes > counts->budget_bytes)
        return NULL;
    counts->in_use_bytes += bytes;
    return clCreateBuffer(counts->instead ? counts->instead : context, CL_MEM_READ_WRITE,
            bytes - counts->less_bytes, NULL, &code);
}

static cl_mem allocate(void *user, cl_context context, cl_device_id device, size_t bytes)
{
    counts_t *const counts = user;
    enter(counts);
    const cl_mem made = device && bytes > 0 ? make(counts, context, bytes) : NULL;
    atomic_fetch_sub(&counts->ninside, 1);
    return made;
}

static void release(void *user, cl_mem buffer)
{
    counts_t *const counts = user;
    size_t bytes = 0;
    enter(counts);
    ++counts->nreleased;
    if (clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
        counts->in_use_bytes -= bytes;
    clReleaseMemObject(buffer);
    atomic_fetch_sub(&counts->ninside, 1);
}

/// An engine whose buffers come from `counts`.
static prim_engine_t *open_engine(counts_t *counts)
{
    prim_engine_t *engine = NULL;
    const prim_ocl_allocator_t allocator = {allocate, release, counts};
    api_expect(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_set_allocator(engine, &allocator), PRIM_SUCCESS);
    return engine;
}

/// The engine goes, and has given everything back.
static void close_engine(prim_engine_t *engine, const counts_t *counts)
{
    const int nfailed = counts->fail_at > 0 && counts->ncalls >= counts->fail_at
                                ? counts->ncalls - counts->fail_at + 1
                                : 0;
    prim_engine_destroy(engine);
    assert_int_equal(counts->nreleased, counts->ncalls - nfailed);
}

/// Twice the sum of more inputs than a kernel takes: it has a scratchpad.
static prim_status_t run_sum(prim_engine_t *engine)
{
    const prim_memory_desc_t md = api_vector(NELEMS);
    const prim_memory_desc_t *mds[NINPUTS];
    float scales[NINPUTS], values[NELEMS];
    prim_desc_t *pd = NULL;
    prim_t *sum = NULL;
    prim_stream_t *stream = NULL;
    prim_memory_t *src = NULL, *dst = NULL;
    for (int i = 0; i < NINPUTS; ++i) {
        mds[i] = &md;
        scales[i] = (float)i;
    }
    for (int i = 0; i < NELEMS; ++i) values[i] = (float)i;
    prim_status_t st = prim_sum_desc_create(&pd, engine, &md, NINPUTS, scales, mds, NULL);
    if (st == PRIM_SUCCESS) st = prim_create(&sum, pd);
    if (st == PRIM_SUCCESS) st = prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER);
    if (st == PRIM_SUCCESS) st = prim_memory_create(&src, &md, engine, PRIM_MEMORY_ALLOCATE);
    if (st == PRIM_SUCCESS) st = prim_memory_create(&dst, &md, engine, PRIM_MEMORY_ALLOCATE);
    if (st == PRIM_SUCCESS) st = prim_memory_write(src, values, sizeof values, 0);
    prim_arg_t args[NINPUTS + 1] = {{PRIM_ARG_DST, dst}};
    for (int i = 0; i < NINPUTS; ++i) args[i + 1] = (prim_arg_t){PRIM_ARG_MULTIPLE_SRC + i, src};
    if (st == PRIM_SUCCESS) st = prim_execute(sum, stream, NINPUTS + 1, args);
    if (st == PRIM_SUCCESS) st = prim_stream_wait(stream);
    if (st == PRIM_SUCCESS) st = prim_memory_read(dst, values, sizeof values, 0);
    for (int i = 0; st == PRIM_SUCCESS && i < NELEMS; ++i)
        assert_true(values[i] == (float)(i * NINPUTS * (NINPUTS - 1) / 2));
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_stream_destroy(stream);
    prim_destroy(sum);
    prim_desc_destroy(pd);
    return st;
}

/// Tensors and scratchpads; each allocation refused in turn is a failure that costs nothing.
static void serves_all_buffers(void **state)
{
    (void)state;
    counts_t counts = {0};
    prim_engine_t *engine = open_engine(&counts);
    api_expect(run_sum(engine), PRIM_SUCCESS);
    const int ncalls = counts.ncalls;
    assert_true(ncalls >= 3); // src, dst, scratchpad
    prim_memory_stats_t stats;
    api_expect(prim_engine_get_memory_stats(engine, &stats), PRIM_SUCCESS);
    assert_int_equal(stats.ncreated, ncalls);
    assert_int_equal(stats.in_use_bytes, 0);
    assert_true(counts.nreleased < ncalls); // some are idle
    api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
    assert_int_equal(counts.nreleased, ncalls);
    close_engine(engine, &counts);

    for (int n = 1; n <= ncalls; ++n) {
        counts = (counts_t){.fail_at = n};
        engine = open_engine(&counts);
        api_expect(run_sum(engine), PRIM_OUT_OF_MEMORY);
        assert_non_null(strstr(prim_last_error(), "application's device allocator"));
        counts.ncalls = counts.nreleased = counts.fail_at = 0; // memory is there again
        api_expect(run_sum(engine), PRIM_SUCCESS);
        api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
        prim_engine_destroy(engine);
        assert_true(counts.ncalls > 0);
    }
}

static void takes_parts_of_one_buffer(void **state)
{
    (void)state;
    counts_t counts = {0};
    prim_engine_t *const engine = open_engine(&counts);
    cl_context context = NULL;
    cl_int code = CL_SUCCESS;
    api_expect(prim_ocl_engine_get_context(engine, &context), PRIM_SUCCESS);
    counts.arena = clCreateBuffer(context, CL_MEM_READ_WRITE, ARENA_BYTES, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    api_expect(run_sum(engine), PRIM_SUCCESS);
    assert_true(counts.ncalls >= 3);
    api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
    clReleaseMemObject(counts.arena);
    close_engine(engine, &counts);
}

/// What lies idle is given back before a request fails.
static void asks_again_without_idle_buffers(void **state)
{
    (void)state;
    counts_t counts = {.budget_bytes = 600 * KIB};
    prim_engine_t *const engine = open_engine(&counts);
    const prim_memory_desc_t small = api_vector(100 * KIB), large = api_vector(125 * KIB);
    prim_memory_destroy(api_memory(&small, engine));
    assert_int_equal(counts.nreleased, 0);
    prim_memory_t *const memory = api_memory(&large, engine);
    assert_int_equal(counts.ncalls, 3);
    assert_int_equal(counts.nreleased, 1);
    prim_memory_t *more = UNTOUCHED(prim_memory_t *);
    api_expect(prim_memory_create(&more, &small, engine, PRIM_MEMORY_ALLOCATE), PRIM_OUT_OF_MEMORY);
    assert_ptr_equal(more, api_untouched());
    prim_memory_destroy(memory);
    prim_engine_destroy(engine);
    assert_int_equal(counts.nreleased, 2);
    assert_int_equal(counts.in_use_bytes, 0);
}

static void wrong_buffers_are_handed_back(void **state)
{
    (void)state;
    cl_context other = NULL;
    prim_engine_t *foreign = NULL;
    api_expect(prim_engine_create(&foreign, PRIM_GPU, 0), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_context(foreign, &other), PRIM_SUCCESS);
    const prim_memory_desc_t md = api_vector(KIB);
    counts_t wrong[] = {{.instead = other}, {.less_bytes = 4}};
    for (int i = 0; i < 2; ++i) {
        prim_engine_t *const engine = open_engine(&wrong[i]);
        prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
        api_expect(
                prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE), PRIM_RUNTIME_ERROR);
        assert_non_null(strstr(prim_last_error(), "with 4096 bytes"));
        assert_ptr_equal(memory, api_untouched());
        close_engine(engine, &wrong[i]);
    }
    prim_engine_destroy(foreign);
}

static void *come_and_go(void *arg)
{
    for (int i = 0; i < 10; ++i) {
        prim_engine_t *const engine = arg;
        const prim_memory_desc_t md = api_vector(KIB * (1 + i % 3 * 7));
        prim_memory_t *memory = NULL;
        void *handle = NULL;
        if (prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE) != PRIM_SUCCESS)
            return NULL;
        // Seen by the application, so it is released instead of kept.
        const prim_status_t st = prim_memory_get_data_handle(memory, &handle);
        prim_memory_destroy(memory);
        if (st != PRIM_SUCCESS) return NULL;
    }
    return arg;
}

static void calls_never_overlap(void **state)
{
    (void)state;
    enum { NTHREADS = 4 };
    counts_t counts = {.pause_ns = 200000};
    prim_engine_t *const engine = open_engine(&counts);
    pthread_t threads[NTHREADS];
    for (int i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, engine), 0);
    for (int i = 0; i < NTHREADS; ++i) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, engine);
    }
    assert_false(counts.has_overlapped);
    assert_int_equal(counts.ncalls, NTHREADS * 10);
    close_engine(engine, &counts);
}

static void changes_only_while_nothing_is_in_use(void **state)
{
    (void)state;
    counts_t counts = {0};
    prim_engine_t *const engine = open_engine(&counts);
    const prim_ocl_allocator_t good = {allocate, release, &counts},
                               bad[] = {{NULL, release, &counts}, {allocate, NULL, &counts}};
    const prim_memory_desc_t md = api_vector(KIB);
    prim_memory_t *const memory = api_memory(&md, engine);
    api_expect(prim_ocl_engine_set_allocator(engine, NULL), PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(prim_last_error(), "uses 4096 bytes"));
    api_expect(prim_ocl_engine_set_allocator(engine, &good), PRIM_INVALID_ARGUMENTS);
    prim_memory_destroy(memory);
    for (int i = 0; i < 2; ++i)
        api_expect(prim_ocl_engine_set_allocator(engine, &bad[i]), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_set_allocator(NULL, &good), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_set_allocator(api_engine(0), &good), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(counts.ncalls, 1);
    api_expect(prim_ocl_engine_set_allocator(engine, NULL), PRIM_SUCCESS);
    assert_int_equal(counts.nreleased, 1); // what was idle went back to where it came from
    prim_memory_destroy(api_memory(&md, engine));
    assert_int_equal(counts.ncalls, 1);
    prim_engine_destroy(engine);
    assert_int_equal(counts.nreleased, 1);
}

static int open_all(void **state)
{
    // Primitives in the cache would keep the engines.
    if (prim_set_primitive_cache_capacity(0) != PRIM_SUCCESS) return -1;
    return api_open_engines(state) != 0 || !api_engine(1) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(serves_all_buffers),
            cmocka_unit_test(takes_parts_of_one_buffer),
            cmocka_unit_test(asks_again_without_idle_buffers),
            cmocka_unit_test(wrong_buffers_are_handed_back),
            cmocka_unit_test(calls_never_overlap),
            cmocka_unit_test(changes_only_while_nothing_is_in_use),
    };
    return cmocka_run_group_tests(tests, open_all, api_close_engines);
}
