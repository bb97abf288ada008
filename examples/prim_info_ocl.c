// SPDX-License-Identifier: Apache-2.0
// What an OpenCL device reaches: a copying kernel, the driver's own copy, and chains of fused
// multiply-adds, on a queue of the application's that times each command. No data are zeros: some
// devices draw less power, and run faster, on those.
#include <stdio.h>

#include <prim/prim_ocl.h>

#include "prim_info.h"

static const char *const source =
        "#define JOIN2(a, b) a##b\n"
        "#define JOIN(a, b) JOIN2(a, b)\n"
        "typedef JOIN(float, WIDTH) vec_t;\n"
        "__kernel void copy(__global vec_t *dst, __global const vec_t *src)\n"
        "{\n"
        "    const size_t i = get_global_id(0);\n"
        "    dst[i] = src[i];\n"
        "}\n"
        // Eight chains that do not wait for each other; all of them end in dst.
        "__kernel void fma_chains(__global vec_t *dst, float a, float b, int n)\n"
        "{\n"
        "    const size_t i = get_global_id(0);\n"
        "    vec_t x[8];\n"
        "    for (int k = 0; k < 8; ++k) x[k] = (vec_t)((float)(i % 61) + (float)k);\n"
        "    for (int j = 0; j < n; ++j)\n"
        "        for (int k = 0; k < 8; ++k) x[k] = fma(x[k], (vec_t)(a), (vec_t)(b));\n"
        "    dst[i] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];\n"
        "}\n";

enum { NRUNS = 9, GROUP = 64 };
#define MAX_COPY_BYTES ((int64_t)256 << 20)
#define MIN_NS 5e6 // shorter chains measure the launch

typedef struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel copy, chains;
    cl_mem src, dst;
    int width;    // floats of a vector
    size_t bytes; // of a buffer
} rig_t;

static int fail(const char *what, cl_int code)
{
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)code);
    return 1;
}

static void close_rig(rig_t *rig)
{
    if (rig->dst) clReleaseMemObject(rig->dst);
    if (rig->src) clReleaseMemObject(rig->src);
    if (rig->chains) clReleaseKernel(rig->chains);
    if (rig->copy) clReleaseKernel(rig->copy);
    if (rig->program) clReleaseProgram(rig->program);
    if (rig->queue) clReleaseCommandQueue(rig->queue);
}

// Fills a buffer on the device by mapping it.
static cl_int fill(const rig_t *rig, cl_mem buffer)
{
    cl_int code = CL_SUCCESS;
    float *const data = clEnqueueMapBuffer(
            rig->queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, rig->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS) return code;
    for (size_t i = 0; i < rig->bytes / sizeof *data; ++i)
        data[i] = 1.0f + (float)(i % 251) * 0.01f;
    code = clEnqueueUnmapMemObject(rig->queue, buffer, data, 0, NULL, NULL);
    return code != CL_SUCCESS ? code : clFinish(rig->queue);
}

// A power of two of bytes that the device holds four times.
static size_t choose_bytes(const prim_engine_t *engine)
{
    int64_t total = 0, largest = 0, bytes = MAX_COPY_BYTES;
    if (prim_engine_query(engine, PRIM_ENGINE_QUERY_GLOBAL_BYTES_S64, &total) != PRIM_SUCCESS ||
            prim_engine_query(engine, PRIM_ENGINE_QUERY_MAX_ALLOCATION_BYTES_S64, &largest) !=
                    PRIM_SUCCESS) {
        return 0;
    }
    while (bytes > largest || bytes > total / 4) bytes /= 2;
    return (size_t)bytes;
}

static int choose_width(const prim_engine_t *engine)
{
    int width = 0;
    if (prim_engine_query(engine, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F32_S32, &width) !=
            PRIM_SUCCESS)
        return 4;
    return width >= 16 ? 16 : width >= 8 ? 8 : 4;
}

static int build(rig_t *rig)
{
    char options[32];
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DWIDTH=%d", rig->width);
    rig->program =
            clCreateProgramWithSource(rig->context, 1, (const char *[]){source}, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(rig->program, 1, &rig->device, options, NULL, NULL);
    if (code == CL_SUCCESS) rig->copy = clCreateKernel(rig->program, "copy", &code);
    if (code == CL_SUCCESS) rig->chains = clCreateKernel(rig->program, "fma_chains", &code);
    return code == CL_SUCCESS ? 0 : fail("the kernels", code);
}

static int open_rig(rig_t *rig, prim_engine_t *engine)
{
    cl_int code = CL_SUCCESS;
    if (prim_ocl_engine_get_context(engine, &rig->context) != PRIM_SUCCESS ||
            prim_ocl_engine_get_device(engine, &rig->device) != PRIM_SUCCESS ||
            (rig->bytes = choose_bytes(engine)) == 0) {
        fprintf(stderr, "%s\n", prim_last_error());
        return 1;
    }
    rig->width = choose_width(engine);
    rig->queue = clCreateCommandQueue(rig->context, rig->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) return fail("clCreateCommandQueue", code);
    if (build(rig)) return 1;
    rig->src = clCreateBuffer(rig->context, CL_MEM_READ_WRITE, rig->bytes, NULL, &code);
    if (code == CL_SUCCESS)
        rig->dst = clCreateBuffer(rig->context, CL_MEM_READ_WRITE, rig->bytes, NULL, &code);
    if (code == CL_SUCCESS) code = fill(rig, rig->src);
    if (code == CL_SUCCESS) code = fill(rig, rig->dst);
    return code == CL_SUCCESS ? 0 : fail("the buffers", code);
}

// Nanoseconds on the device of a command that was just enqueued; < 0 when something failed.
static double take_ns(const rig_t *rig, cl_int code, cl_event event)
{
    cl_ulong start = 0, end = 0;
    if (code != CL_SUCCESS) return -fail("a command", code);
    code = clFinish(rig->queue);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(
                event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return code == CL_SUCCESS ? (double)(end - start) : -fail("a command's time", code);
}

static double time_kernel(const rig_t *rig, cl_kernel kernel, size_t nitems)
{
    cl_event event = NULL;
    const size_t group = GROUP;
    const cl_int code =
            clEnqueueNDRangeKernel(rig->queue, kernel, 1, NULL, &nitems, &group, 0, NULL, &event);
    return take_ns(rig, code, event);
}

static double time_copy_kernel(const rig_t *rig, size_t nitems)
{
    return time_kernel(rig, rig->copy, nitems);
}

static double time_copy_command(const rig_t *rig, size_t nitems)
{
    (void)nitems;
    cl_event event = NULL;
    const cl_int code =
            clEnqueueCopyBuffer(rig->queue, rig->src, rig->dst, 0, 0, rig->bytes, 0, NULL, &event);
    return take_ns(rig, code, event);
}

static double time_chains(const rig_t *rig, size_t nitems)
{
    return time_kernel(rig, rig->chains, nitems);
}

// The median of NRUNS after two that warm up; < 0 when something failed.
static double time_of(const rig_t *rig, double (*run)(const rig_t *, size_t), size_t nitems)
{
    double ns[NRUNS];
    for (int i = -2; i < NRUNS; ++i) {
        const double one = run(rig, nitems);
        if (one < 0) return one;
        if (i >= 0) ns[i] = one;
    }
    return median(ns, NRUNS);
}

static int measure_copies(const rig_t *rig)
{
    const size_t nitems = rig->bytes / sizeof(float) / (size_t)rig->width;
    cl_int code = clSetKernelArg(rig->copy, 0, sizeof rig->dst, &rig->dst);
    if (code == CL_SUCCESS) code = clSetKernelArg(rig->copy, 1, sizeof rig->src, &rig->src);
    if (code != CL_SUCCESS) return fail("clSetKernelArg", code);
    const double kernel_ns = time_of(rig, time_copy_kernel, nitems);
    const double command_ns = time_of(rig, time_copy_command, 0);
    if (kernel_ns <= 0 || command_ns <= 0) return 1;
    const double moved = 2.0 * (double)rig->bytes; // read and written
    printf("    copy kernel, float%-10d  %.1f GB/s\n", rig->width, moved / kernel_ns);
    printf("    %-28s  %.1f GB/s\n", "clEnqueueCopyBuffer", moved / command_ns);
    return 0;
}

static int measure_chains(const rig_t *rig)
{
    // x ← a·x + b stays near 2 for ever.
    const float a = 0.5f, b = 1.0f;
    size_t nitems = (size_t)1 << 18;
    while (nitems * sizeof(float) * (size_t)rig->width > rig->bytes) nitems /= 2;
    cl_int code = clSetKernelArg(rig->chains, 0, sizeof rig->dst, &rig->dst);
    if (code == CL_SUCCESS) code = clSetKernelArg(rig->chains, 1, sizeof a, &a);
    if (code == CL_SUCCESS) code = clSetKernelArg(rig->chains, 2, sizeof b, &b);
    double ns = 0;
    int n = 16;
    for (; code == CL_SUCCESS && n < 1 << 20 && ns < MIN_NS; n *= 2) {
        code = clSetKernelArg(rig->chains, 3, sizeof n, &n);
        if (code == CL_SUCCESS) ns = time_chains(rig, nitems);
        if (ns < 0) return 1;
    }
    if (code != CL_SUCCESS) return fail("clSetKernelArg", code);
    ns = time_of(rig, time_chains, nitems);
    if (ns <= 0) return 1;
    const double flops = 2.0 * 8.0 * (n / 2) * (double)rig->width * (double)nitems;
    printf("    f32 multiply-adds, float%-4d  %.1f GFLOP/s\n", rig->width, flops / ns);
    return 0;
}

int measure_ocl(prim_engine_t *engine)
{
    rig_t rig = {0};
    int failed = open_rig(&rig, engine);
    if (!failed) failed = measure_copies(&rig);
    if (!failed) failed = measure_chains(&rig);
    close_rig(&rig);
    return failed;
}
