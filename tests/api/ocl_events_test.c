// SPDX-License-Identifier: Apache-2.0
// Out-of-order streams and events: what runs before what, what is refused, and that no event is
// left behind.
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 1000 };

// One step x → x/2 + 1 on vectors of N, and streams of both orders on one engine.
typedef struct {
    prim_engine_t *engine;
    cl_context context;
    cl_device_id device;
    prim_stream_t *ordered, *unordered;
    prim_t *step;
    prim_memory_t *a, *b;
} rig_t;

static rig_t rig;

static prim_t *create(prim_desc_t *pd)
{
    prim_t *primitive = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return primitive;
}

static prim_t *create_step(prim_engine_t *engine, prim_dim_t n)
{
    const prim_memory_desc_t md = api_vector(n);
    prim_desc_t *pd = NULL;
    api_expect(prim_eltwise_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_LINEAR, &md, &md, 0.5f, 1, NULL),
            PRIM_SUCCESS);
    return create(pd);
}

static int open_rig(void **state)
{
    (void)state;
    if (prim_engine_create(&rig.engine, PRIM_GPU, 0) != PRIM_SUCCESS ||
            prim_ocl_engine_get_context(rig.engine, &rig.context) != PRIM_SUCCESS ||
            prim_ocl_engine_get_device(rig.engine, &rig.device) != PRIM_SUCCESS ||
            prim_stream_create(&rig.ordered, rig.engine, PRIM_STREAM_IN_ORDER) != PRIM_SUCCESS) {
        return -1;
    }
    const prim_status_t st =
            prim_stream_create(&rig.unordered, rig.engine, PRIM_STREAM_OUT_OF_ORDER);
    if (st != PRIM_SUCCESS && st != PRIM_UNIMPLEMENTED) return -1;
    const prim_memory_desc_t md = api_vector(N);
    rig.step = create_step(rig.engine, N);
    rig.a = api_memory(&md, rig.engine);
    rig.b = api_memory(&md, rig.engine);
    return 0;
}

static int close_rig(void **state)
{
    (void)state;
    prim_memory_destroy(rig.a);
    prim_memory_destroy(rig.b);
    prim_destroy(rig.step);
    prim_stream_destroy(rig.ordered);
    prim_stream_destroy(rig.unordered);
    prim_engine_destroy(rig.engine);
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

static void fill(prim_memory_t *memory, float value)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(memory));
    for (size_t i = 0; i < bytes / sizeof(float); ++i) values[i] = value;
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

static void expect_all(prim_memory_t *memory, float value)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(memory));
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
        if (values[i] != value) fail_msg("element %zu is %g, not %g", i, values[i], value);
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

// One step from `src` to `dst` after `ndeps` events; returns its own.
static cl_event run_step(prim_stream_t *stream, prim_memory_t *src, prim_memory_t *dst, int ndeps,
        const cl_event *deps)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    cl_event event = NULL;
    api_expect(prim_ocl_execute(rig.step, stream, 2, args, ndeps, deps, &event), PRIM_SUCCESS);
    assert_non_null(event);
    return event;
}

static cl_event user_event(void)
{
    cl_int code = CL_SUCCESS;
    const cl_event event = clCreateUserEvent(rig.context, &code);
    assert_int_equal(code, CL_SUCCESS);
    return event;
}

static cl_int state_of(cl_event event)
{
    cl_int state = CL_QUEUED;
    assert_int_equal(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
            CL_SUCCESS);
    return state;
}

// The fewest seen in 50 ms: drivers drop their own references behind the application's back.
static cl_uint references(cl_event event)
{
    cl_uint fewest = UINT32_MAX;
    for (int i = 0; i < 50; ++i) {
        cl_uint n = 0;
        assert_int_equal(
                clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL), CL_SUCCESS);
        if (n < fewest) fewest = n;
        (void)thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return fewest;
}

// References that a finished command and the user event it waited for have when the application
// holds one of each: more than one on some drivers.
typedef struct {
    cl_uint command, gate;
} references_t;

static references_t usual_references(prim_stream_t *stream)
{
    cl_command_queue queue = NULL;
    cl_mem buffer = NULL;
    size_t offset_bytes = 0;
    const float zero = 0;
    api_expect(prim_ocl_stream_get_queue(stream, &queue), PRIM_SUCCESS);
    api_expect(prim_ocl_memory_get_buffer(rig.b, &buffer, &offset_bytes), PRIM_SUCCESS);
    const cl_event gate = user_event();
    cl_event done = NULL;
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, offset_bytes,
                             sizeof zero, 1, &gate, &done),
            CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    const references_t usual = {references(done), references(gate)};
    clReleaseEvent(done);
    clReleaseEvent(gate);
    return usual;
}

static bool has_unordered_queues(void)
{
    cl_command_queue_properties properties = 0;
    assert_int_equal(clGetDeviceInfo(rig.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof properties,
                             &properties, NULL),
            CL_SUCCESS);
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

static void the_device_decides(void **state)
{
    (void)state;
    assert_int_equal(rig.unordered != NULL, has_unordered_queues());
    if (!rig.unordered) return;
    cl_command_queue queue = NULL;
    cl_command_queue_properties properties = 0;
    api_expect(prim_ocl_stream_get_queue(rig.unordered, &queue), PRIM_SUCCESS);
    assert_int_equal(
            clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
            CL_SUCCESS);
    assert_true(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const prim_arg_t args[] = {{PRIM_ARG_SRC, rig.a}, {PRIM_ARG_DST, rig.b}};
    cl_int code = CL_SUCCESS;
    const cl_context other = clCreateContext(NULL, 1, &rig.device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_event foreign = clCreateUserEvent(other, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_event out = UNTOUCHED(cl_event), nobody = NULL;
    prim_stream_t *const stream = rig.ordered;
    const struct {
        const prim_t *primitive;
        prim_stream_t *stream;
        int nargs;
        const prim_arg_t *args;
        int ndeps;
        const cl_event *deps;
        const char *sentence;
    } calls[] = {
            {NULL, stream, 2, args, 0, NULL, "primitive is NULL"},
            {rig.step, NULL, 2, args, 0, NULL, "stream is NULL"},
            {rig.step, stream, -1, args, 0, NULL, "negative"},
            {rig.step, stream, 2, NULL, 0, NULL, "args is NULL"},
            {rig.step, stream, 1, args, 0, NULL, "missing"},
            {rig.step, stream, 2, args, -1, &foreign, "ndeps -1 is negative"},
            {rig.step, stream, 2, args, 1, NULL, "deps is NULL"},
            {rig.step, stream, 2, args, 1, &nobody, "event 0 is NULL"},
            {rig.step, stream, 2, args, 1, &foreign, "another context"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        api_expect(prim_ocl_execute(calls[i].primitive, calls[i].stream, calls[i].nargs,
                           calls[i].args, calls[i].ndeps, calls[i].deps, &out),
                PRIM_INVALID_ARGUMENTS);
        if (!strstr(prim_last_error(), calls[i].sentence))
            fail_msg("call %zu: \"%s\" lacks %s", i, prim_last_error(), calls[i].sentence);
    }
    assert_ptr_equal(out, api_untouched());
    assert_int_equal(clSetUserEventStatus(foreign, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(foreign);
    clReleaseContext(other);
}

static void other_engines_are_refused(void **state)
{
    (void)state;
    prim_engine_t *cpu = NULL;
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    api_expect(prim_engine_create(&cpu, PRIM_CPU, 0), PRIM_SUCCESS);
    api_expect(prim_stream_create(&stream, cpu, PRIM_STREAM_OUT_OF_ORDER), PRIM_UNIMPLEMENTED);
    assert_ptr_equal(stream, api_untouched());
    stream = api_stream(cpu);
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const memory = api_memory(&md, cpu);
    prim_t *const step = create_step(cpu, N);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    cl_event out = UNTOUCHED(cl_event);
    api_expect(prim_ocl_execute(step, stream, 2, args, 0, NULL, &out), PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(prim_last_error(), "not an OpenCL stream"));
    api_expect(prim_ocl_execute(rig.step, stream, 2, args, 0, NULL, &out), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(out, api_untouched());
    prim_destroy(step);
    prim_memory_destroy(memory);
    prim_stream_destroy(stream);
    prim_engine_destroy(cpu);
}

// On streams of both orders: nothing starts before the event, everything is done after it.
static void waits_for_the_applications_event(void **state)
{
    (void)state;
    prim_stream_t *const streams[] = {rig.ordered, rig.unordered};
    for (int s = 0; s < 2 && streams[s]; ++s) {
        const references_t usual = usual_references(streams[s]);
        fill(rig.a, 4);
        fill(rig.b, 0);
        const cl_event gate = user_event();
        const cl_event done = run_step(streams[s], rig.a, rig.b, 1, &gate);
        cl_command_queue queue = NULL;
        api_expect(prim_ocl_stream_get_queue(streams[s], &queue), PRIM_SUCCESS);
        assert_int_equal(clFlush(queue), CL_SUCCESS);
        assert_true(state_of(done) > CL_RUNNING);
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        assert_int_equal(state_of(done), CL_COMPLETE);
        expect_all(rig.b, 3);
        api_expect(prim_stream_wait(streams[s]), PRIM_SUCCESS);
        // The library keeps neither its own event nor the application's.
        assert_int_equal(references(done), usual.command);
        assert_int_equal(references(gate), usual.gate);
        clReleaseEvent(done);
        clReleaseEvent(gate);
    }
}

// a → b → a → …, each step after the one before and nothing else.
static void events_order_a_chain(void **state)
{
    (void)state;
    if (!rig.unordered) skip();
    enum { NSTEPS = 100 };
    float expected = 77;
    fill(rig.a, expected);
    const cl_event gate = user_event();
    cl_event event = gate;
    for (int i = 0; i < NSTEPS; ++i) {
        const cl_event next =
                run_step(rig.unordered, i % 2 ? rig.b : rig.a, i % 2 ? rig.a : rig.b, 1, &event);
        if (i == NSTEPS / 2) assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        if (event != gate) clReleaseEvent(event);
        event = next;
        expected = expected * 0.5f + 1;
    }
    api_expect(prim_stream_wait(rig.unordered), PRIM_SUCCESS);
    assert_int_equal(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    clReleaseEvent(gate);
    expect_all(rig.a, expected);
}

/// Batch normalisation with statistics of its own: several kernels that share scratch memory.
static prim_t *create_norm(const prim_memory_desc_t *md)
{
    prim_desc_t *pd = NULL;
    api_expect(prim_batch_normalization_forward_desc_create(
                       &pd, rig.engine, PRIM_FORWARD_INFERENCE, md, md, 0.25f, 0, NULL),
            PRIM_SUCCESS);
    return create(pd);
}

// Far more executions with scratch memory than the stream has buffers for, all held back by one
// event and none ordered after another.
static void scratch_memory_is_not_shared_in_flight(void **state)
{
    (void)state;
    if (!rig.unordered) skip();
    enum { NRUNS = 21, NELEMS = 2 * 3 * 4 * 4 };
    const prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){2, 3, 4, 4}, PRIM_NCHW);
    prim_t *const norm = create_norm(&md);
    prim_memory_t *src[NRUNS], *dst[NRUNS], *expected[NRUNS];
    for (int i = 0; i < NRUNS; ++i) {
        float *values = NULL;
        src[i] = api_memory(&md, rig.engine);
        dst[i] = api_memory(&md, rig.engine);
        expected[i] = api_memory(&md, rig.engine);
        api_expect(prim_memory_map_data(src[i], (void **)&values), PRIM_SUCCESS);
        for (int e = 0; e < NELEMS; ++e)
            values[e] = (float)((e * (i + 3) * 7) % 31) / (float)(i + 1);
        api_expect(prim_memory_unmap_data(src[i], values), PRIM_SUCCESS);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src[i]}, {PRIM_ARG_DST, expected[i]}};
        api_expect(prim_execute(norm, rig.ordered, 2, args), PRIM_SUCCESS);
        api_expect(prim_stream_wait(rig.ordered), PRIM_SUCCESS);
    }
    const cl_event gate = user_event();
    for (int i = 0; i < NRUNS; ++i) {
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src[i]}, {PRIM_ARG_DST, dst[i]}};
        api_expect(prim_ocl_execute(norm, rig.unordered, 2, args, 1, &gate, NULL), PRIM_SUCCESS);
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    api_expect(prim_stream_wait(rig.unordered), PRIM_SUCCESS);
    clReleaseEvent(gate);
    for (int i = 0; i < NRUNS; ++i) {
        void *got = NULL, *wanted = NULL;
        api_expect(prim_memory_map_data(dst[i], &got), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(expected[i], &wanted), PRIM_SUCCESS);
        assert_memory_equal(got, wanted, NELEMS * sizeof(float));
        api_expect(prim_memory_unmap_data(dst[i], got), PRIM_SUCCESS);
        api_expect(prim_memory_unmap_data(expected[i], wanted), PRIM_SUCCESS);
        prim_memory_destroy(src[i]);
        prim_memory_destroy(dst[i]);
        prim_memory_destroy(expected[i]);
    }
    prim_destroy(norm);
}

// The application's event fails: the execution does not run, the wait says so once, and the stream
// goes on.
static void a_failed_dependency_surfaces_at_the_wait(void **state)
{
    (void)state;
    prim_stream_t *const streams[] = {rig.ordered, rig.unordered};
    for (int s = 0; s < 2 && streams[s]; ++s) {
        fill(rig.a, 4);
        fill(rig.b, -1);
        const cl_event gate = user_event();
        const cl_event done = run_step(streams[s], rig.a, rig.b, 1, &gate);
        assert_int_equal(clSetUserEventStatus(gate, -77), CL_SUCCESS);
        api_expect(prim_stream_wait(streams[s]), PRIM_RUNTIME_ERROR);
        assert_non_null(strstr(prim_last_error(), "a command of the stream failed"));
        assert_true(state_of(done) < 0);
        clReleaseEvent(done);
        clReleaseEvent(gate);
        expect_all(rig.b, -1);
        api_expect(prim_stream_wait(streams[s]), PRIM_SUCCESS);
        clReleaseEvent(run_step(streams[s], rig.a, rig.b, 0, NULL));
        api_expect(prim_stream_wait(streams[s]), PRIM_SUCCESS);
        expect_all(rig.b, 3);
    }
}

static void an_empty_execution_has_an_event(void **state)
{
    (void)state;
    prim_stream_t *const streams[] = {rig.ordered, rig.unordered};
    const prim_memory_desc_t empty = api_vector(0);
    prim_memory_t *const memory = api_memory(&empty, rig.engine);
    prim_t *const step = create_step(rig.engine, 0);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    for (int s = 0; s < 2 && streams[s]; ++s) {
        const cl_event gate = user_event();
        cl_event done = NULL;
        api_expect(prim_ocl_execute(step, streams[s], 2, args, 1, &gate, &done), PRIM_SUCCESS);
        assert_true(state_of(done) > CL_COMPLETE);
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
        clReleaseEvent(gate);
    }
    prim_destroy(step);
    prim_memory_destroy(memory);
}

// A recording orders its executions itself.
static void events_are_not_recorded(void **state)
{
    (void)state;
    const prim_arg_t args[] = {{PRIM_ARG_SRC, rig.a}, {PRIM_ARG_DST, rig.b}};
    const cl_event gate = user_event();
    cl_event out = UNTOUCHED(cl_event);
    prim_recording_t *recording = NULL;
    int count = 0;
    api_expect(prim_recording_begin(rig.ordered), PRIM_SUCCESS);
    api_expect(prim_ocl_execute(rig.step, rig.ordered, 2, args, 0, NULL, &out), PRIM_UNIMPLEMENTED);
    api_expect(
            prim_ocl_execute(rig.step, rig.ordered, 2, args, 1, &gate, NULL), PRIM_UNIMPLEMENTED);
    api_expect(prim_ocl_execute(rig.step, rig.ordered, 2, args, 0, NULL, NULL), PRIM_SUCCESS);
    api_expect(prim_recording_end(&recording, rig.ordered), PRIM_SUCCESS);
    assert_ptr_equal(out, api_untouched());
    api_expect(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
    assert_int_equal(count, 1);
    prim_recording_destroy(recording);
    // NVIDIA's clReleaseContext() waits for events of the application that nobody completed.
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(gate);
}

// An application's own queue, out of order and profiling: its properties are taken over, foreign
// commands take part through events, and times come out.
static void takes_the_applications_queue(void **state)
{
    (void)state;
    if (!rig.unordered) skip();
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue = clCreateCommandQueue(rig.context, rig.device,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    prim_stream_t *stream = NULL;
    api_expect(prim_ocl_stream_create(&stream, rig.engine, queue), PRIM_SUCCESS);
    cl_mem buffer = NULL;
    size_t offset_bytes = 0;
    api_expect(prim_ocl_memory_get_buffer(rig.a, &buffer, &offset_bytes), PRIM_SUCCESS);
    const float eight = 8;
    cl_event filled = NULL;
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, &eight, sizeof eight, offset_bytes,
                             N * sizeof eight, 0, NULL, &filled),
            CL_SUCCESS);
    cl_event steps[2];
    steps[0] = run_step(stream, rig.a, rig.b, 1, &filled);
    steps[1] = run_step(stream, rig.b, rig.a, 1, steps);
    float first = 0;
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset_bytes, sizeof first, &first,
                             1, &steps[1], NULL),
            CL_SUCCESS);
    assert_true(first == 3.5f);
    int count = 2;
    uint64_t ns[2];
    api_expect(prim_stream_get_profile(stream, &count, ns), PRIM_SUCCESS);
    assert_int_equal(count, 2);
    assert_true(ns[0] > 0 && ns[1] > 0);
    prim_stream_destroy(stream);
    for (int i = 0; i < 2; ++i) clReleaseEvent(steps[i]);
    clReleaseEvent(filled);
    clReleaseCommandQueue(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_device_decides),
            cmocka_unit_test(wrong_calls_are_refused),
            cmocka_unit_test(other_engines_are_refused),
            cmocka_unit_test(waits_for_the_applications_event),
            cmocka_unit_test(events_order_a_chain),
            cmocka_unit_test(scratch_memory_is_not_shared_in_flight),
            cmocka_unit_test(a_failed_dependency_surfaces_at_the_wait),
            cmocka_unit_test(an_empty_execution_has_an_event),
            cmocka_unit_test(events_are_not_recorded),
            cmocka_unit_test(takes_the_applications_queue),
    };
    return cmocka_run_group_tests(tests, open_rig, close_rig);
}
