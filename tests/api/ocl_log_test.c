// SPDX-License-Identifier: Apache-2.0
// What the log tells of executions on OpenCL streams of every sort: a line each, with the time on
// the device.
#define _POSIX_C_SOURCE 200112L
#include <prim/prim_ocl.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "recording_rig.h"

enum { MAX_LINES = 64, LINE_BYTES = 512 };

static int nlines; // the logger calls back under its lock
static char lines[MAX_LINES][LINE_BYTES];

static void keep_line(void *user, const char *line)
{
    (void)user;
    if (nlines < MAX_LINES) (void)snprintf(lines[nlines++], LINE_BYTES, "%s", line);
}

static void begin_log(void)
{
    nlines = 0;
    api_expect(prim_set_log_callback(keep_line, NULL), PRIM_SUCCESS);
    api_expect(prim_set_verbose("profile_exec"), PRIM_SUCCESS);
}

static void end_log(void)
{
    api_expect(prim_set_verbose("none"), PRIM_SUCCESS);
    api_expect(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
}

// The time of an execution by the device's clock.
static double logged_ms(const char *line)
{
    static const char start[] = "prim_verbose,v1,primitive,exec,gpu,eltwise,";
    double ms = -1;
    if (strncmp(line, start, sizeof start - 1) != 0) fail_msg("\"%s\"", line);
    assert_int_equal(sscanf(strrchr(line, ',') + 1, "%lf", &ms), 1);
    return ms;
}

// The streams of an engine: in order, out of order, profiling, on the application's queue.
enum { NSTREAMS = 4 };

typedef struct {
    rig_t rig;
    cl_context context;
    prim_stream_t *streams[NSTREAMS]; ///< NULL: the device has none
} sorts_t;

static void open_sort(prim_stream_t **stream, prim_engine_t *engine, unsigned flags)
{
    const prim_status_t st = prim_stream_create(stream, engine, flags);
    if (st != PRIM_UNIMPLEMENTED) api_expect(st, PRIM_SUCCESS);
}

static sorts_t open_sorts(void)
{
    sorts_t sorts = {.rig = rig_open(api_engine(1))};
    prim_engine_t *const engine = sorts.rig.engine;
    cl_device_id device = NULL;
    cl_int code = CL_SUCCESS;
    api_expect(prim_ocl_engine_get_context(engine, &sorts.context), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_device(engine, &device), PRIM_SUCCESS);
    open_sort(&sorts.streams[0], engine, PRIM_STREAM_IN_ORDER);
    open_sort(&sorts.streams[1], engine, PRIM_STREAM_OUT_OF_ORDER);
    open_sort(&sorts.streams[2], engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING);
    const cl_command_queue queue = clCreateCommandQueue(sorts.context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    api_expect(prim_ocl_stream_create(&sorts.streams[3], engine, queue), PRIM_SUCCESS);
    clReleaseCommandQueue(queue);
    return sorts;
}

static void close_sorts(sorts_t *sorts)
{
    for (int i = 0; i < NSTREAMS; ++i) prim_stream_destroy(sorts->streams[i]);
    rig_close(&sorts->rig);
}

enum { GATE_MS = 100 };

static void *open_gate(void *event)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = GATE_MS * 1000000L}, NULL);
    return clSetUserEventStatus((cl_event)event, CL_COMPLETE) == CL_SUCCESS ? event : NULL;
}

// An execution that waits 100 ms for an event does not take them on the device.
static void tells_device_times(void **state)
{
    (void)state;
    sorts_t sorts = open_sorts();
    const prim_arg_t args[] = {{PRIM_ARG_SRC, sorts.rig.a}, {PRIM_ARG_DST, sorts.rig.b}};
    for (int i = 0; i < NSTREAMS; ++i) {
        if (!sorts.streams[i]) continue;
        cl_int code = CL_SUCCESS;
        cl_event gate = clCreateUserEvent(sorts.context, &code), done = NULL;
        assert_int_equal(code, CL_SUCCESS);
        rig_fill(sorts.rig.a, 4);
        rig_fill(sorts.rig.b, 0);
        pthread_t thread;
        void *result = NULL;
        begin_log();
        assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
        api_expect(prim_ocl_execute(sorts.rig.step, sorts.streams[i], 2, args, 1, &gate, &done),
                PRIM_SUCCESS);
        end_log();
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_non_null(result);
        assert_int_equal(nlines, 1);
        const double ms = logged_ms(lines[0]);
        assert_true(ms > 0 && ms < GATE_MS / 2);
        cl_int progress = CL_QUEUED;
        assert_int_equal(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress,
                                 &progress, NULL),
                CL_SUCCESS);
        assert_int_equal(progress, CL_COMPLETE);
        assert_true(rig_read(sorts.rig.b) == 3);
        clReleaseEvent(done);
        clReleaseEvent(gate);
    }
    close_sorts(&sorts);
}

// Executions without a line and with one follow each other on the stream.
static void keeps_the_order(void **state)
{
    (void)state;
    sorts_t sorts = open_sorts();
    prim_memory_t *const a = sorts.rig.a, *const b = sorts.rig.b;
    const prim_arg_t there[] = {{PRIM_ARG_SRC, a}, {PRIM_ARG_DST, b}};
    const prim_arg_t back[] = {{PRIM_ARG_SRC, b}, {PRIM_ARG_DST, a}};
    for (int i = 0; i < NSTREAMS; ++i) {
        if (!sorts.streams[i] || i == 1) continue;
        float expected = 77;
        rig_fill(a, expected);
        for (int k = 0; k < 10; ++k) {
            if (k % 3 == 1) begin_log();
            api_expect(prim_execute(sorts.rig.step, sorts.streams[i], 2, k % 2 ? back : there),
                    PRIM_SUCCESS);
            if (k % 3 == 1) end_log();
            expected = expected / 2 + 1;
        }
        api_expect(prim_stream_wait(sorts.streams[i]), PRIM_SUCCESS);
        assert_true(rig_read(a) == expected);
    }
    close_sorts(&sorts);
}

static void tells_of_replays(void **state)
{
    (void)state;
    sorts_t sorts = open_sorts();
    rig_t *const rig = &sorts.rig;
    api_expect(prim_recording_begin(rig->stream), PRIM_SUCCESS);
    for (int k = 0; k < 3; ++k) rig_step(rig, k % 2 ? rig->b : rig->a, k % 2 ? rig->a : rig->b);
    prim_recording_t *const recording = rig_end(rig->stream);
    for (int i = 0; i < NSTREAMS; ++i) {
        if (!sorts.streams[i] || i == 1) continue;
        rig_fill(rig->a, 6);
        begin_log();
        rig_replay(recording, sorts.streams[i], 0, NULL);
        end_log();
        assert_int_equal(nlines, 3);
        for (int k = 0; k < 3; ++k) assert_true(logged_ms(lines[k]) > 0);
        assert_true(rig_read(rig->b) == 2.5f);
    }
    prim_recording_destroy(recording);
    close_sorts(&sorts);
}

// What the stream's own profile has of logged executions, beside others.
static void the_profile_has_them_too(void **state)
{
    (void)state;
    sorts_t sorts = open_sorts();
    const prim_arg_t args[] = {{PRIM_ARG_SRC, sorts.rig.a}, {PRIM_ARG_DST, sorts.rig.b}};
    rig_fill(sorts.rig.a, 1);
    for (int k = 0; k < 4; ++k) {
        if (k == 1) begin_log();
        api_expect(prim_execute(sorts.rig.step, sorts.streams[2], 2, args), PRIM_SUCCESS);
        if (k == 2) end_log();
    }
    uint64_t ns[8];
    int count = 8;
    api_expect(prim_stream_get_profile(sorts.streams[2], &count, ns), PRIM_SUCCESS);
    assert_int_equal(count, 4);
    assert_int_equal(nlines, 2);
    for (int k = 0; k < 2; ++k) {
        const double difference = logged_ms(lines[k]) * 1e6 - (double)ns[1 + k];
        assert_true(
                difference < 1e-4 * (double)ns[1 + k] && difference > -1e-4 * (double)ns[1 + k]);
    }
    close_sorts(&sorts);
}

typedef struct {
    const rig_t *rig;
    prim_memory_t *src, *dst;
} worker_t;

static void *work(void *user)
{
    worker_t *const w = user;
    const prim_arg_t args[] = {{PRIM_ARG_SRC, w->src}, {PRIM_ARG_DST, w->dst}};
    for (int k = 0; k < 20; ++k)
        if (prim_execute(w->rig->step, w->rig->stream, 2, args) != PRIM_SUCCESS) return NULL;
    return user;
}

static void threads_share_a_stream(void **state)
{
    (void)state;
    rig_t rig = rig_open(api_engine(1));
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const c = api_memory(&md, rig.engine);
    worker_t workers[] = {{&rig, rig.a, rig.b}, {&rig, rig.a, c}};
    pthread_t threads[2];
    rig_fill(rig.a, 8);
    begin_log();
    for (int t = 0; t < 2; ++t)
        assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    for (int t = 0; t < 2; ++t) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[t], &result), 0);
        assert_non_null(result);
    }
    end_log();
    assert_int_equal(nlines, 40);
    for (int k = 0; k < nlines; ++k) assert_true(logged_ms(lines[k]) > 0);
    assert_true(rig_read(rig.b) == 5);
    assert_true(rig_read(c) == 5);
    prim_memory_destroy(c);
    rig_close(&rig);
}

static int open_engines(void **state)
{
    return api_open_engines(state) == 0 && api_engine(1) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tells_device_times),
            cmocka_unit_test(keeps_the_order),
            cmocka_unit_test(tells_of_replays),
            cmocka_unit_test(the_profile_has_them_too),
            cmocka_unit_test(threads_share_a_stream),
    };
    return cmocka_run_group_tests(tests, open_engines, api_close_engines);
}
