// SPDX-License-Identifier: Apache-2.0
// Prim inside an OpenCL application: its platform, device, context, queue and buffer; a kernel of
// the application's own runs between two primitives on the same in-order queue, without a wait
// between.
#include <math.h>
#include <string.h>

#include <prim/prim_ocl.h>

#include "example.h"

enum { N = 1000, OFFSET = 64 }; ///< floats, and where they start inside the application's buffer

/// The application's own kernel: x ← x + index.
static const char *const foreign_source = "kernel void add_index(global float *x, int offset)\n"
                                          "{\n"
                                          "    const int i = (int)get_global_id(0);\n"
                                          "    x[offset + i] += (float)i;\n"
                                          "}\n";

#define CL(call)                                                                           \
    do {                                                                                   \
        const cl_int cl_code = (call);                                                     \
        if (cl_code != CL_SUCCESS) {                                                       \
            fprintf(stderr, "%s:%d: OpenCL error %d\n", __FILE__, __LINE__, (int)cl_code); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

static cl_device_id any_device(void)
{
    cl_platform_id platforms[8];
    cl_uint n = 0;
    CL(clGetPlatformIDs(8, platforms, &n));
    cl_device_id device = NULL;
    for (cl_uint i = 0; i < n && i < 8 && !device; ++i)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device) {
        fprintf(stderr, "no OpenCL device\n");
        exit(1);
    }
    return device;
}

static cl_kernel foreign_kernel(cl_context context, cl_device_id device)
{
    cl_int code = CL_SUCCESS;
    const char *source = foreign_source;
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CL(code);
    CL(clBuildProgram(program, 1, &device, "", NULL, NULL));
    const cl_kernel kernel = clCreateKernel(program, "add_index", &code);
    CL(code);
    CL(clReleaseProgram(program));
    return kernel;
}

/// x ← α·x + β on the application's memory, in place.
static prim_t *linear(prim_engine_t *engine, const prim_memory_desc_t *md, float alpha, float beta)
{
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    DO(prim_eltwise_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_LINEAR, md, md, alpha, beta, NULL));
    DO(prim_create(&primitive, pd));
    prim_desc_destroy(pd);
    return primitive;
}

int main(void)
{
    // The application's own objects.
    cl_device_id device = any_device();
    cl_int code = CL_SUCCESS;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CL(code);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CL(code);
    float values[OFFSET + N];
    for (int i = 0; i < OFFSET + N; ++i) values[i] = i < OFFSET ? -1 : 1;
    const cl_mem buffer = clCreateBuffer(
            context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
    CL(code);
    const cl_kernel kernel = foreign_kernel(context, device);

    // Prim on top of them.
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    DO(prim_ocl_engine_create(&engine, device, context));
    DO(prim_ocl_stream_create(&stream, engine, queue));
    DO(prim_memory_desc_init_by_tag(&md, 1, (const prim_dim_t[]){N}, PRIM_F32, PRIM_a));
    DO(prim_ocl_memory_create(&memory, &md, engine, buffer, OFFSET * sizeof(float)));
    prim_t *const before = linear(engine, &md, 2, 1);    // 1 → 3
    prim_t *const after = linear(engine, &md, 0.5f, -1); // (3 + i) → (3 + i)/2 − 1

    // Primitive, foreign kernel, primitive: the queue's order is all the synchronisation.
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    DO(prim_execute(before, stream, 2, args));
    const cl_int offset = OFFSET;
    const size_t global = N;
    CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CL(clSetKernelArg(kernel, 1, sizeof offset, &offset));
    CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    DO(prim_execute(after, stream, 2, args));
    CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));

    int nwrong = 0;
    for (int i = 0; i < OFFSET; ++i) nwrong += values[i] != -1;
    for (int i = 0; i < N; ++i) nwrong += values[OFFSET + i] != (float)(3 + i) / 2 - 1;
    printf("%s: %d of %d values wrong\n", prim_engine_name(engine), nwrong, OFFSET + N);

    prim_destroy(after);
    prim_destroy(before);
    prim_memory_destroy(memory);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    CL(clReleaseKernel(kernel));
    CL(clReleaseMemObject(buffer));
    CL(clReleaseCommandQueue(queue));
    CL(clReleaseContext(context));
    return nwrong != 0;
}
