// SPDX-License-Identifier: Apache-2.0
// Runs kernels of a test on arrays of the host.
#include "ocl_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static ocl_rig_t the_rig;

int ocl_rig_open(void **state)
{
    if (prim_engine_create(&the_rig.engine, PRIM_GPU, 0) != PRIM_SUCCESS) {
        print_error("no OpenCL engine: %s\n", prim_last_error());
        return -1;
    }
    if (prim_stream_create(&the_rig.stream, the_rig.engine, PRIM_STREAM_DEFAULT) != PRIM_SUCCESS) {
        return -1;
    }
    *state = &the_rig;
    return 0;
}

int ocl_rig_close(void **state)
{
    (void)state;
    prim_stream_destroy(the_rig.stream);
    prim_engine_destroy(the_rig.engine);
    the_rig = (ocl_rig_t){0};
    return 0;
}

static cl_mem upload(const ocl_rig_t *rig, const ocl_array_t *array)
{
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(prim__ocl_engine(rig->engine)->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, array->bytes, array->host, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static void run(const ocl_rig_t *rig, const ocl_source_t *source, const ocl_options_t *options,
        const char *name, int64_t nitems, const ocl_array_t *arrays, int narrays,
        const ocl_args_t *args, bool is_one_group)
{
    enum { MAX_ARRAYS = 16 };
    cl_mem buffers[MAX_ARRAYS];
    assert_true(narrays <= MAX_ARRAYS);
    ocl_kernel_t *kernel = NULL;
    if (prim__ocl_kernel_create(&kernel, rig->engine, source, options, name) != PRIM_SUCCESS) {
        fail_msg("%s", prim_last_error());
    }
    ocl_args_t all;
    prim__ocl_args_init(&all);
    for (int i = 0; i < narrays; ++i) {
        buffers[i] = upload(rig, &arrays[i]);
        prim__ocl_args_buffer(&all, buffers[i]);
    }
    for (int i = 0; args && i < args->nargs; ++i) all.entries[all.nargs++] = args->entries[i];
    const exec_ctx_t ctx = {.stream = rig->stream};
    const ocl_range_t range = is_one_group ? prim__ocl_range_groups(1, (size_t)nitems)
                                           : prim__ocl_range_1d(kernel, nitems);
    if (prim__ocl_launch(&ctx, kernel, &range, &all) != PRIM_SUCCESS) {
        fail_msg("%s", prim_last_error());
    }
    assert_int_equal(prim_stream_wait(rig->stream), PRIM_SUCCESS);
    const cl_command_queue service = prim__ocl_engine(rig->engine)->service;
    for (int i = 0; i < narrays; ++i) {
        assert_int_equal(clEnqueueReadBuffer(service, buffers[i], CL_TRUE, 0, arrays[i].bytes,
                                 arrays[i].host, 0, NULL, NULL),
                CL_SUCCESS);
        clReleaseMemObject(buffers[i]);
    }
    prim__ocl_kernel_destroy(kernel);
}

void ocl_rig_run(const ocl_rig_t *rig, const ocl_source_t *source, const ocl_options_t *options,
        const char *name, int64_t nitems, const ocl_array_t *arrays, int narrays,
        const ocl_args_t *args)
{
    run(rig, source, options, name, nitems, arrays, narrays, args, false);
}

void ocl_rig_run_group(const ocl_rig_t *rig, const ocl_source_t *source,
        const ocl_options_t *options, const char *name, int64_t nitems, const ocl_array_t *arrays,
        int narrays, const ocl_args_t *args)
{
    run(rig, source, options, name, nitems, arrays, narrays, args, true);
}
