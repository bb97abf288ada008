// SPDX-License-Identifier: Apache-2.0
// prim_ocl.h: the application's device, context, queue and buffers, and what is refused; the
// promises of streams and memories that are special on OpenCL engines.
#include <prim/prim_ocl.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

// The application's own objects on the first OpenCL device that Prim lists.
typedef struct {
    cl_device_id device;
    cl_context context, other_context;
    cl_command_queue queue;
    prim_engine_t *engine; ///< on `context`
    prim_stream_t *stream; ///< on `queue`
} app_t;

static app_t app;

static cl_command_queue new_queue(cl_context context, cl_command_queue_properties properties)
{
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue = clCreateCommandQueue(context, app.device, properties, &code);
    return code == CL_SUCCESS ? queue : NULL;
}

static cl_mem new_buffer(cl_context context, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static int open_app(void **state)
{
    prim_engine_t *first = NULL;
    if (prim_engine_create(&first, PRIM_GPU, 0) != PRIM_SUCCESS) return -1;
    cl_int code = CL_SUCCESS;
    if (prim_ocl_engine_get_device(first, &app.device) != PRIM_SUCCESS) return -1;
    prim_engine_destroy(first);
    app.context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &code);
    if (code != CL_SUCCESS) return -1;
    app.other_context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &code);
    if (code != CL_SUCCESS) return -1;
    app.queue = new_queue(app.context, 0);
    if (!app.queue) return -1;
    if (prim_ocl_engine_create(&app.engine, app.device, app.context) != PRIM_SUCCESS) return -1;
    *state = &app;
    return prim_ocl_stream_create(&app.stream, app.engine, app.queue) == PRIM_SUCCESS ? 0 : -1;
}

static int close_app(void **state)
{
    (void)state;
    prim_stream_destroy(app.stream);
    prim_engine_destroy(app.engine);
    clReleaseCommandQueue(app.queue);
    clReleaseContext(app.other_context);
    clReleaseContext(app.context);
    // Primitives that the cache holds keep their engines.
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

static void expect_sentence(const char *part)
{
    if (!strstr(prim_last_error(), part)) fail_msg("\"%s\" lacks %s", prim_last_error(), part);
}

static void objects_come_back(void **state)
{
    (void)state;
    cl_device_id device = NULL;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    api_expect(prim_ocl_engine_get_device(app.engine, &device), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_context(app.engine, &context), PRIM_SUCCESS);
    api_expect(prim_ocl_stream_get_queue(app.stream, &queue), PRIM_SUCCESS);
    assert_ptr_equal(device, app.device);
    assert_ptr_equal(context, app.context);
    assert_ptr_equal(queue, app.queue);
}

static cl_uint context_references(cl_context context)
{
    cl_uint n = 0;
    assert_int_equal(
            clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL), CL_SUCCESS);
    return n;
}

static void objects_are_retained_and_released(void **state)
{
    (void)state;
    const cl_uint before = context_references(app.other_context);
    prim_engine_t *engine = NULL;
    api_expect(prim_ocl_engine_create(&engine, app.device, app.other_context), PRIM_SUCCESS);
    assert_true(context_references(app.other_context) > before);
    prim_engine_destroy(engine);
    assert_int_equal(context_references(app.other_context), before);

    cl_uint nbuffer = 0;
    const cl_mem buffer = new_buffer(app.context, 64);
    const prim_memory_desc_t md = api_vector(16);
    prim_memory_t *memory = NULL;
    api_expect(prim_memory_create(&memory, &md, app.engine, buffer), PRIM_SUCCESS);
    clReleaseMemObject(buffer); // the memory keeps it
    assert_int_equal(
            clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof nbuffer, &nbuffer, NULL),
            CL_SUCCESS);
    assert_int_equal(nbuffer, 1);
    prim_memory_destroy(memory);
}

static int nhits;

static void count_hits(void *user, const char *line)
{
    (void)user;
    nhits += strstr(line, "create:cache_hit") != NULL;
}

static void create_relu(prim_engine_t *engine)
{
    prim_desc_t *const pd = api_relu_desc(engine, 77, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    prim_destroy(relu);
    prim_desc_destroy(pd);
}

/// Whoever brings a context that an engine is on shares its primitives, until the last gives it up.
static void a_context_has_one_engine(void **state)
{
    (void)state;
    prim_engine_t *engine = NULL, *second = NULL, *other = NULL;
    cl_context context = NULL;
    api_expect(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    api_expect(prim_engine_create(&other, PRIM_GPU, 0), PRIM_SUCCESS);
    assert_ptr_not_equal(other, engine); // a context of its own
    prim_engine_destroy(other);
    api_expect(prim_ocl_engine_get_context(engine, &context), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_create(&second, app.device, context), PRIM_SUCCESS);
    assert_ptr_equal(second, engine);
    api_expect(prim_ocl_engine_create(&other, app.device, app.other_context), PRIM_SUCCESS);
    assert_ptr_not_equal(other, engine);
    prim_engine_destroy(other);

    nhits = 0;
    api_expect(prim_set_log_callback(count_hits, NULL), PRIM_SUCCESS);
    api_expect(prim_set_verbose("profile_create"), PRIM_SUCCESS);
    create_relu(engine);
    assert_int_equal(nhits, 0);
    create_relu(second);
    assert_int_equal(nhits, 1);
    prim_engine_destroy(engine);
    create_relu(second); // the cache still has it
    assert_int_equal(nhits, 2);
    api_expect(prim_set_verbose("error"), PRIM_SUCCESS);
    api_expect(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    prim_engine_destroy(second);
}

enum { NTHREADS = 4, NROUNDS = 50 };

/// Engines on one context come and go in all threads; each finds a whole one.
static void *open_and_close(void *failures)
{
    const prim_memory_desc_t md = api_vector(16);
    for (int i = 0; i < NROUNDS; ++i) {
        prim_engine_t *engine = NULL;
        prim_memory_t *memory = NULL;
        if (prim_ocl_engine_create(&engine, app.device, app.other_context) != PRIM_SUCCESS ||
                prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE) != PRIM_SUCCESS)
            ++*(int *)failures;
        prim_engine_destroy(engine);
        prim_memory_destroy(memory);
    }
    return NULL;
}

static void threads_share_the_engine_of_a_context(void **state)
{
    (void)state;
    const cl_uint before = context_references(app.other_context);
    pthread_t threads[NTHREADS];
    int failures[NTHREADS] = {0};
    for (int i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &failures[i]), 0);
    for (int i = 0; i < NTHREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(failures[i], 0);
    }
    assert_int_equal(context_references(app.other_context), before);
}

static void wrong_engines_are_refused(void **state)
{
    (void)state;
    prim_engine_t *engine = UNTOUCHED(prim_engine_t *);
    api_expect(prim_ocl_engine_create(NULL, app.device, app.context), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_create(&engine, NULL, app.context), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_create(&engine, app.device, NULL), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(engine, api_untouched());

    prim_engine_t *cpu = NULL;
    cl_device_id device = NULL;
    cl_context context = NULL;
    api_expect(prim_engine_create(&cpu, PRIM_CPU, 0), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_device(cpu, &device), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_context(cpu, &context), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_device(NULL, &device), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_device(app.engine, NULL), PRIM_INVALID_ARGUMENTS);
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    api_expect(prim_ocl_stream_create(&stream, cpu, app.queue), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(stream, api_untouched());
    prim_engine_destroy(cpu);
}

static void wrong_queues_are_refused(void **state)
{
    (void)state;
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    api_expect(prim_ocl_stream_create(NULL, app.engine, app.queue), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_stream_create(&stream, NULL, app.queue), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_stream_create(&stream, app.engine, NULL), PRIM_INVALID_ARGUMENTS);
    const cl_command_queue foreign = new_queue(app.other_context, 0);
    assert_non_null(foreign);
    api_expect(prim_ocl_stream_create(&stream, app.engine, foreign), PRIM_INVALID_ARGUMENTS);
    expect_sentence("another context");
    clReleaseCommandQueue(foreign);
    assert_ptr_equal(stream, api_untouched());
}

static void wrong_buffers_are_refused(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(16);
    const cl_mem buffer = new_buffer(app.context, 100);
    const cl_mem foreign = new_buffer(app.other_context, 100);
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    prim_memory_t **out = &memory;
    api_expect(prim_ocl_memory_create(NULL, &md, app.engine, buffer, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, NULL, app.engine, buffer, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, &md, NULL, buffer, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, &md, app.engine, NULL, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, &md, app.engine, foreign, 0), PRIM_INVALID_ARGUMENTS);
    expect_sentence("another context");
    api_expect(prim_ocl_memory_create(out, &md, app.engine, buffer, 2), PRIM_INVALID_ARGUMENTS);
    expect_sentence("multiple");
    api_expect(prim_ocl_memory_create(out, &md, app.engine, buffer, 40), PRIM_INVALID_ARGUMENTS);
    expect_sentence("does not fit");
    api_expect(prim_ocl_memory_create(out, &md, app.engine, buffer, (size_t)-4),
            PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_create(out, &md, app.engine, foreign), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(memory, api_untouched());
    api_expect(prim_ocl_memory_create(out, &md, app.engine, buffer, 36), PRIM_SUCCESS);
    api_expect(prim_memory_set_data_handle(memory, foreign), PRIM_INVALID_ARGUMENTS);
    cl_mem kept = NULL;
    size_t offset_bytes = 0;
    api_expect(prim_ocl_memory_get_buffer(memory, &kept, &offset_bytes), PRIM_SUCCESS);
    assert_ptr_equal(kept, buffer);
    assert_int_equal(offset_bytes, 36);
    prim_memory_destroy(memory);
    clReleaseMemObject(buffer);
    clReleaseMemObject(foreign);
}

static void write_floats(cl_mem buffer, size_t first, const float *values, size_t n)
{
    assert_int_equal(clEnqueueWriteBuffer(app.queue, buffer, CL_TRUE, first * sizeof(float),
                             n * sizeof(float), values, 0, NULL, NULL),
            CL_SUCCESS);
}

static void read_floats(cl_mem buffer, float *values, size_t n)
{
    assert_int_equal(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, n * sizeof(float), values,
                             0, NULL, NULL),
            CL_SUCCESS);
}

// relu from element 3 of the application's buffer to element 5 of the same: neighbours stay, and
// the application's own commands on the queue come before and after without waiting.
static void executes_at_an_offset(void **state)
{
    (void)state;
    enum { N = 37, ROOM = 128, FROM = 3, TO = 60 };
    const prim_memory_desc_t md = api_vector(N);
    const cl_mem buffer = new_buffer(app.context, ROOM * sizeof(float));
    float values[ROOM], got[ROOM];
    for (int i = 0; i < ROOM; ++i) values[i] = (float)((i * 29) % 64 - 31);
    write_floats(buffer, 0, values, ROOM);
    prim_memory_t *src = NULL, *dst = NULL;
    api_expect(prim_ocl_memory_create(&src, &md, app.engine, buffer, FROM * sizeof(float)),
            PRIM_SUCCESS);
    api_expect(prim_ocl_memory_create(&dst, &md, app.engine, buffer, TO * sizeof(float)),
            PRIM_SUCCESS);
    prim_desc_t *pd = api_relu_desc(app.engine, N, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(relu, app.stream, 2, args), PRIM_SUCCESS);
    read_floats(buffer, got, ROOM); // the same queue: after the execution
    for (int i = 0; i < ROOM; ++i) {
        const bool is_dst = i >= TO && i < TO + N;
        const float x = is_dst ? values[i - TO + FROM] : values[i];
        assert_true(got[i] == (is_dst && x < 0 ? 0 : x));
    }

    float *mapped = NULL;
    api_expect(prim_memory_map_data(dst, (void **)&mapped), PRIM_SUCCESS);
    assert_memory_equal(mapped, got + TO, N * sizeof(float));
    mapped[0] = 123.0f;
    api_expect(prim_memory_unmap_data(dst, mapped), PRIM_SUCCESS);
    read_floats(buffer, got, ROOM);
    assert_true(got[TO] == 123.0f);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    clReleaseMemObject(buffer);
}

static void empty_and_missing_buffers(void **state)
{
    (void)state;
    const prim_memory_desc_t empty = api_vector(0), md = api_vector(8);
    prim_memory_t *src = api_memory(&empty, app.engine), *dst = api_memory(&empty, app.engine);
    prim_desc_t *pd = api_relu_desc(app.engine, 0, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(relu, app.stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(app.stream), PRIM_SUCCESS);
    void *mapped = NULL;
    api_expect(prim_memory_map_data(src, &mapped), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(src, mapped), PRIM_SUCCESS);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);

    api_expect(prim_memory_create(&src, &md, app.engine, PRIM_MEMORY_NONE), PRIM_SUCCESS);
    dst = api_memory(&md, app.engine);
    pd = api_relu_desc(app.engine, 8, NULL);
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t without[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(relu, app.stream, 2, without), PRIM_INVALID_ARGUMENTS);
    expect_sentence("buffer");
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

// The queue decides on profiling; every execution has one entry, also an empty one.
static void profiles_each_execution(void **state)
{
    (void)state;
    const cl_command_queue queue = new_queue(app.context, CL_QUEUE_PROFILING_ENABLE);
    assert_non_null(queue);
    prim_stream_t *stream = NULL;
    api_expect(prim_ocl_stream_create(&stream, app.engine, queue), PRIM_SUCCESS);
    clReleaseCommandQueue(queue);
    const prim_memory_desc_t md = api_vector(100000);
    prim_memory_t *const src = api_memory(&md, app.engine), *const dst =
                                                                    api_memory(&md, app.engine);
    prim_desc_t *pd = api_relu_desc(app.engine, 100000, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    for (int i = 0; i < 100; ++i) {
        api_expect(prim_execute(relu, stream, 2, args), PRIM_SUCCESS);
        if (i == 40) api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    }
    int count = 0;
    uint64_t ns[100];
    api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
    assert_int_equal(count, 100);
    count = 3;
    api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_SUCCESS);
    assert_int_equal(count, 3);
    count = 100;
    api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_SUCCESS);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; ++i) assert_true(ns[i] > 0 && ns[i] < 10000000000);
    api_expect(prim_stream_reset_profile(stream), PRIM_SUCCESS);
    api_expect(prim_stream_get_profile(stream, &count, NULL), PRIM_SUCCESS);
    assert_int_equal(count, 0);
    api_expect(prim_stream_get_profile(app.stream, &count, NULL), PRIM_INVALID_ARGUMENTS);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(objects_come_back),
            cmocka_unit_test(objects_are_retained_and_released),
            cmocka_unit_test(a_context_has_one_engine),
            cmocka_unit_test(threads_share_the_engine_of_a_context),
            cmocka_unit_test(wrong_engines_are_refused),
            cmocka_unit_test(wrong_queues_are_refused),
            cmocka_unit_test(wrong_buffers_are_refused),
            cmocka_unit_test(executes_at_an_offset),
            cmocka_unit_test(empty_and_missing_buffers),
            cmocka_unit_test(profiles_each_execution),
    };
    return cmocka_run_group_tests(tests, open_app, close_app);
}
