// SPDX-License-Identifier: Apache-2.0
// Builds and runs the small kernels of self-tests, on the engine's service queue.
#define _POSIX_C_SOURCE 200809L
#include "ocl_selftest.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "gpu/ocl/program/ocl_retarget.h"

bool prim__ocl_selftest_say(ocl_selftest_t *test, const char *format, ...)
{
    if (test->why[0]) return false; // the first complaint is the cause of the others
    va_list args;
    va_start(args, format);
    (void)vsnprintf(test->why, sizeof test->why, format, args);
    va_end(args);
    // Part of a line of the log, and of a line on disk.
    for (char *c = test->why; *c; ++c) {
        if (*c == '\n' || *c == '\r') *c = ' ';
    }
    return false;
}

bool prim__ocl_selftest_say_code(ocl_selftest_t *test, const char *call, cl_int code)
{
    if (code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
            code == CL_OUT_OF_RESOURCES) {
        test->is_transient = true;
    }
    return prim__ocl_selftest_say(
            test, "%s failed: %s (%d)", call, prim__ocl_code_name(code), (int)code);
}

bool prim__ocl_selftest_build(ocl_selftest_t *test, const char *options)
{
    if (test->why[0]) return false;
    const ocl_engine_t *const engine = test->engine;
    cl_int code = CL_SUCCESS;
    if (prim__ocl_retarget_is_wanted(options)) {
        code = prim__ocl_retarget_build(
                &test->program, engine->context, engine->device.id, test->source, options);
        return code == CL_SUCCESS ||
               prim__ocl_selftest_say_code(test,
                       code == CL_BUILD_PROGRAM_FAILURE ? "clBuildProgram"
                                                        : "the build for the exact target",
                       code);
    }
    test->program = clCreateProgramWithSource(
            engine->context, 1, (const char *[]){test->source->text}, &test->source->bytes, &code);
    if (code != CL_SUCCESS)
        return prim__ocl_selftest_say_code(test, "clCreateProgramWithSource", code);
    code = clBuildProgram(test->program, 1, &engine->device.id, options, NULL, NULL);
    return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clBuildProgram", code);
}

static cl_mem keep(ocl_selftest_t *test, cl_mem mem, const char *call, cl_int code)
{
    if (code != CL_SUCCESS) {
        prim__ocl_selftest_say_code(test, call, code);
        return NULL;
    }
    test->mems[test->nmems++] = mem;
    return mem;
}

cl_mem prim__ocl_selftest_buffer(ocl_selftest_t *test, const void *data, size_t bytes)
{
    if (test->why[0]) return NULL;
    void *zeros = NULL;
    if (!data && !(zeros = prim__calloc(bytes))) {
        test->is_transient = true;
        prim__ocl_selftest_say(test, "no memory");
        return NULL;
    }
    cl_int code = CL_SUCCESS;
    const cl_mem mem =
            clCreateBuffer(test->engine->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                    (void *)(uintptr_t)(data ? data : zeros), &code);
    prim__free(zeros);
    return keep(test, mem, "clCreateBuffer", code);
}

cl_mem prim__ocl_selftest_image(
        ocl_selftest_t *test, cl_channel_type type, size_t width, size_t height, const void *data)
{
    if (test->why[0]) return NULL;
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int code = CL_SUCCESS;
    const cl_mem mem = clCreateImage(
            test->engine->context, flags, &format, &desc, (void *)(uintptr_t)data, &code);
    return keep(test, mem, "clCreateImage", code);
}

bool prim__ocl_selftest_enqueue(ocl_selftest_t *test, cl_kernel kernel, size_t nitems, size_t group)
{
    const cl_command_queue queue = test->engine->service;
    cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &nitems, &group, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return prim__ocl_selftest_say_code(test, "clEnqueueNDRangeKernel", code);
    code = clFinish(queue);
    return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clFinish", code);
}

static bool run(ocl_selftest_t *test, cl_kernel kernel, size_t nitems, size_t group,
        const cl_mem *mems, int nmems)
{
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < nmems; ++i) {
        code = clSetKernelArg(kernel, (cl_uint)i, sizeof mems[i], &mems[i]);
        if (code != CL_SUCCESS) return prim__ocl_selftest_say_code(test, "clSetKernelArg", code);
    }
    return prim__ocl_selftest_enqueue(test, kernel, nitems, group);
}

bool prim__ocl_selftest_run(ocl_selftest_t *test, const char *kernel, size_t nitems, size_t group,
        const cl_mem *mems, int nmems)
{
    if (test->why[0]) return false;
    cl_int code = CL_SUCCESS;
    const cl_kernel handle = clCreateKernel(test->program, kernel, &code);
    if (code != CL_SUCCESS) return prim__ocl_selftest_say_code(test, "clCreateKernel", code);
    const bool is_done = run(test, handle, nitems, group, mems, nmems);
    clReleaseKernel(handle);
    return is_done;
}

bool prim__ocl_selftest_read(ocl_selftest_t *test, cl_mem buffer, void *data, size_t bytes)
{
    if (test->why[0]) return false;
    const cl_int code = clEnqueueReadBuffer(
            test->engine->service, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clEnqueueReadBuffer", code);
}

bool prim__ocl_selftest_read_image(
        ocl_selftest_t *test, cl_mem image, size_t width, size_t height, void *data)
{
    if (test->why[0]) return false;
    const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    const cl_int code = clEnqueueReadImage(
            test->engine->service, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
    return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clEnqueueReadImage", code);
}

void prim__ocl_selftest_fini(ocl_selftest_t *test)
{
    for (int i = 0; i < test->nmems; ++i) clReleaseMemObject(test->mems[i]);
    if (test->program) clReleaseProgram(test->program);
}

typedef struct {
    ocl_selftest_t test;
    bool (*check)(ocl_selftest_t *part, int i);
    int i;
    bool is_right;
} part_t;

static void *check_part(void *argument)
{
    part_t *const part = argument;
    part->is_right = part->check(&part->test, part->i);
    prim__ocl_selftest_fini(&part->test);
    return NULL;
}

/// The last part, and those for which no thread can be had, are the caller's.
bool prim__ocl_selftest_parts(
        ocl_selftest_t *test, int n, bool (*check)(ocl_selftest_t *part, int i))
{
    part_t parts[OCL_SELFTEST_PARTS];
    pthread_t threads[OCL_SELFTEST_PARTS];
    bool has_thread[OCL_SELFTEST_PARTS] = {false};
    assert(n <= OCL_SELFTEST_PARTS);
    for (int i = 0; i < n; ++i) {
        parts[i] = (part_t){
                .test = {.engine = test->engine, .source = test->source}, .check = check, .i = i};
        has_thread[i] = i + 1 < n && pthread_create(&threads[i], NULL, check_part, &parts[i]) == 0;
        if (!has_thread[i]) check_part(&parts[i]);
    }
    bool is_right = true;
    for (int i = 0; i < n; ++i) {
        if (has_thread[i]) (void)pthread_join(threads[i], NULL);
        test->is_transient = test->is_transient || parts[i].test.is_transient;
        if (!parts[i].is_right) is_right = prim__ocl_selftest_say(test, "%s", parts[i].test.why);
    }
    return is_right;
}
