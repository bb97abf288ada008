// SPDX-License-Identifier: Apache-2.0
// Unordered streams: what has to wait does wait, the host too. Each test holds work back by an
// event of its own and looks whether what stands behind it has ended too early.
#include <prim/prim_ocl.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 1000, NINPUTS = 20 };

// A sum of more inputs than a kernel takes: several kernels, with partial sums in scratch memory.
typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_t *sum;
    prim_memory_t *src, *dst;
    cl_event gate;
} rig_t;

static rig_t rig;

static int open_rig(void **state)
{
    (void)state;
    cl_context context = NULL;
    cl_int code = CL_SUCCESS;
    prim_desc_t *pd = NULL;
    rig = (rig_t){0};
    if (prim_engine_create(&rig.engine, PRIM_GPU, 0) != PRIM_SUCCESS) return -1;
    const prim_status_t st = prim_stream_create(&rig.stream, rig.engine, PRIM_STREAM_OUT_OF_ORDER);
    if (st == PRIM_UNIMPLEMENTED) return 0; // every test skips
    const prim_memory_desc_t md = api_vector(N);
    const prim_memory_desc_t *mds[NINPUTS];
    float scales[NINPUTS];
    for (int i = 0; i < NINPUTS; ++i) {
        mds[i] = &md;
        scales[i] = (float)(i + 1);
    }
    api_expect(
            prim_sum_desc_create(&pd, rig.engine, &md, NINPUTS, scales, mds, NULL), PRIM_SUCCESS);
    int64_t scratch_bytes = 0;
    api_expect(prim_desc_query(pd, PRIM_QUERY_MEMORY_CONSUMPTION_S64, 0, &scratch_bytes),
            PRIM_SUCCESS);
    assert_true(scratch_bytes >= N * (int64_t)sizeof(float));
    api_expect(prim_create(&rig.sum, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    rig.src = api_memory(&md, rig.engine);
    rig.dst = api_memory(&md, rig.engine);
    api_expect(prim_ocl_engine_get_context(rig.engine, &context), PRIM_SUCCESS);
    rig.gate = clCreateUserEvent(context, &code);
    return code == CL_SUCCESS ? 0 : -1;
}

static int close_rig(void **state)
{
    (void)state;
    if (rig.gate) clReleaseEvent(rig.gate);
    prim_memory_destroy(rig.src);
    prim_memory_destroy(rig.dst);
    prim_destroy(rig.sum);
    prim_stream_destroy(rig.stream);
    prim_engine_destroy(rig.engine);
    return 0;
}

static cl_event run(int ndeps)
{
    prim_arg_t args[NINPUTS + 1];
    cl_event event = NULL;
    for (int i = 0; i < NINPUTS; ++i) args[i] = (prim_arg_t){PRIM_ARG_MULTIPLE_SRC + i, rig.src};
    args[NINPUTS] = (prim_arg_t){PRIM_ARG_DST, rig.dst};
    api_expect(prim_ocl_execute(rig.sum, rig.stream, NINPUTS + 1, args, ndeps, &rig.gate, &event),
            PRIM_SUCCESS);
    return event;
}

// After 100 ms, in which a device would run any of these many times.
static bool has_ended(cl_event event)
{
    cl_int status = CL_QUEUED;
    (void)thrd_sleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    assert_int_equal(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            CL_SUCCESS);
    return status == CL_COMPLETE;
}

static void open_gate(void)
{
    assert_int_equal(clSetUserEventStatus(rig.gate, CL_COMPLETE), CL_SUCCESS);
    api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
}

// The kernels behind the first one wait for it, and so for the application's event.
static void kernels_of_an_execution_follow_each_other(void **state)
{
    (void)state;
    if (!rig.stream) skip();
    const cl_event last = run(1);
    const bool was_early = has_ended(last);
    open_gate();
    assert_true(has_ended(last));
    clReleaseEvent(last);
    assert_false(was_early);
}

// More executions than there are scratch buffers: one that waits for nothing of its own waits for
// the buffer that it gets.
static void scratch_memory_in_use_is_waited_for(void **state)
{
    (void)state;
    if (!rig.stream) skip();
    enum { NHELD = 32 };
    cl_event held[NHELD];
    for (int i = 0; i < NHELD; ++i) held[i] = run(1);
    const cl_event free_one = run(0);
    const bool was_early = has_ended(free_one);
    open_gate();
    assert_true(has_ended(free_one));
    for (int i = 0; i < NHELD; ++i) clReleaseEvent(held[i]);
    clReleaseEvent(free_one);
    assert_false(was_early);
}

static void *open_gate_later(void *code)
{
    (void)thrd_sleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    *(cl_int *)code = clSetUserEventStatus(rig.gate, CL_COMPLETE);
    return NULL;
}

// Whichever stream writes the memory, and whichever came after it.
static void mapping_waits_for_every_stream(void **state)
{
    (void)state;
    if (!rig.stream) skip();
    prim_stream_t *idle = NULL;
    pthread_t opener;
    cl_int gate_code = CL_INVALID_VALUE, status = CL_QUEUED;
    void *pointer = NULL;
    api_expect(prim_stream_create(&idle, rig.engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    const cl_event last = run(1);
    assert_int_equal(pthread_create(&opener, NULL, open_gate_later, &gate_code), 0);
    const prim_status_t st = prim_memory_map_data(rig.dst, &pointer);
    const cl_int code =
            clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_equal(pthread_join(opener, NULL), 0);
    clReleaseEvent(last);
    prim_stream_destroy(idle);
    api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
    assert_int_equal(gate_code, CL_SUCCESS);
    api_expect(st, PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(rig.dst, pointer), PRIM_SUCCESS);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(status, CL_COMPLETE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(
                    kernels_of_an_execution_follow_each_other, open_rig, close_rig),
            cmocka_unit_test_setup_teardown(
                    scratch_memory_in_use_is_waited_for, open_rig, close_rig),
            cmocka_unit_test_setup_teardown(mapping_waits_for_every_stream, open_rig, close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
