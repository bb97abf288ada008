// SPDX-License-Identifier: Apache-2.0
// Tickets: launches and replays of what was recorded each have a number that no other one has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/ocl/launch/ocl_nodes.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_ticket_test_cl;

enum { NDIRECT = 3, NREPLAYS = 3, NTICKETS = NDIRECT + NREPLAYS };

static cl_mem zeros(const ocl_rig_t *rig, size_t bytes)
{
    static uint64_t zero[NTICKETS];
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(prim__ocl_engine(rig->engine)->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zero, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static void launch_and_replay(
        const ocl_rig_t *rig, const ocl_kernel_t *kernel, cl_mem tickets, cl_mem count)
{
    const exec_ctx_t ctx = {.stream = rig->stream};
    const ocl_range_t range = {1, {1}, {1}};
    ocl_nodes_t nodes = {0};
    for (int i = 0; i <= NDIRECT; ++i) {
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_buffer(&args, tickets);
        prim__ocl_args_buffer(&args, count);
        prim__ocl_args_ticket(&args);
        assert_int_equal(i < NDIRECT ? prim__ocl_launch(&ctx, kernel, &range, &args)
                                     : prim__ocl_nodes_add_kernel(&nodes, kernel, &range, &args),
                PRIM_SUCCESS);
    }
    for (int i = 0; i < NREPLAYS; ++i)
        assert_int_equal(prim__ocl_nodes_enqueue(&nodes, &ctx), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(rig->stream), PRIM_SUCCESS);
    prim__ocl_nodes_fini(&nodes);
}

static void no_two_launches_share_a_ticket(void **state)
{
    const ocl_rig_t *rig = *state;
    ocl_options_t options;
    ocl_kernel_t *kernel = NULL;
    uint64_t found[NTICKETS];
    prim__ocl_options_init(&options);
    assert_int_equal(prim__ocl_kernel_create(
                             &kernel, rig->engine, &prim__ocl_ticket_test_cl, &options, "note"),
            PRIM_SUCCESS);
    const cl_mem tickets = zeros(rig, sizeof found), count = zeros(rig, sizeof(cl_int));
    launch_and_replay(rig, kernel, tickets, count);
    assert_int_equal(clEnqueueReadBuffer(prim__ocl_engine(rig->engine)->service, tickets, CL_TRUE,
                             0, sizeof found, found, 0, NULL, NULL),
            CL_SUCCESS);
    for (int i = 0; i < NTICKETS; ++i) {
        assert_true(found[i] != 0 && found[i] % 2 == 0);
        for (int k = 0; k < i; ++k) assert_true(found[i] != found[k]);
    }
    prim__ocl_kernel_destroy(kernel);
    clReleaseMemObject(tickets);
    clReleaseMemObject(count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(no_two_launches_share_a_ticket),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
