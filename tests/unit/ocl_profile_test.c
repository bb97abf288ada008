// SPDX-License-Identifier: Apache-2.0
// Times of executions from the events of their kernels, with events of the test's own: the calls of
// OpenCL are replaced at link time (-Wl,--wrap).
#include <string.h>

#include "gpu/ocl/queue/ocl_profile.h"
#include "support/unit_test.h"

typedef struct {
    cl_ulong start, end;
    int nreleases;
} fake_event_t;

static cl_event event_of(fake_event_t *fake)
{
    return (cl_event)(void *)fake;
}

cl_int __wrap_clGetEventProfilingInfo(
        cl_event event, cl_profiling_info what, size_t room, void *value, size_t *bytes);
cl_int __wrap_clReleaseEvent(cl_event event);

cl_int __wrap_clGetEventProfilingInfo(
        cl_event event, cl_profiling_info what, size_t room, void *value, size_t *bytes)
{
    const fake_event_t *const fake = (const fake_event_t *)(const void *)event;
    (void)bytes;
    assert_int_equal(room, sizeof(cl_ulong));
    assert_true(what == CL_PROFILING_COMMAND_START || what == CL_PROFILING_COMMAND_END);
    memcpy(value, what == CL_PROFILING_COMMAND_START ? &fake->start : &fake->end, room);
    return CL_SUCCESS;
}

cl_int __wrap_clReleaseEvent(cl_event event)
{
    ((fake_event_t *)(void *)event)->nreleases++;
    return CL_SUCCESS;
}

enum { NEVENTS = 6 };

static void executions_span_their_kernels(void **state)
{
    (void)state;
    // Three executions: three kernels, one that overlaps them out of order; none; one kernel.
    fake_event_t events[NEVENTS] = {
            {100, 110, 0}, {120, 150, 0}, {90, 95, 0}, {130, 140, 0}, {500, 507, 0}, {7, 9, 0}};
    ocl_profile_t profile = {0};
    uint64_t ns[4] = {0};
    int count = 4;
    assert_int_equal(prim__ocl_profile_init(&profile), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_profile_begin(&profile), PRIM_SUCCESS);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(prim__ocl_profile_add(&profile, event_of(&events[i])), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_profile_begin(&profile), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_profile_begin(&profile), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_profile_add(&profile, event_of(&events[4])), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_profile_begin(&profile), PRIM_SUCCESS); // fails, and has no time
    assert_int_equal(prim__ocl_profile_add(&profile, event_of(&events[5])), PRIM_SUCCESS);
    prim__ocl_profile_cancel(&profile);
    assert_int_equal(events[5].nreleases, 1);

    assert_int_equal(prim__ocl_profile_read(&profile), PRIM_SUCCESS);
    prim__ocl_profile_copy(&profile, &count, ns);
    assert_int_equal(count, 3);
    assert_int_equal(ns[0], 150 - 90);
    assert_int_equal(ns[1], 0);
    assert_int_equal(ns[2], 7);
    for (int i = 0; i < NEVENTS; ++i) assert_int_equal(events[i].nreleases, 1);

    count = 1; // room for one
    prim__ocl_profile_copy(&profile, &count, ns);
    assert_int_equal(count, 1);
    prim__ocl_profile_clear(&profile);
    count = 4;
    prim__ocl_profile_copy(&profile, &count, ns);
    assert_int_equal(count, 0);
    prim__ocl_profile_fini(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(executions_span_their_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
