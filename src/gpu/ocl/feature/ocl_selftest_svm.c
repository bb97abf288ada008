// SPDX-License-Identifier: Apache-2.0
// Self-test of shared virtual memory: one kernel, whose arguments are a buffer one time and a
// pointer the next, as those of a primitive are. A driver was seen that refuses to run it then.
#include "gpu/ocl/device/ocl_svm_api.h"
#include "ocl_selftest.h"

enum { NITEMS = 64, NPOINTERS = 2, NSTEPS = 4, SKIP = 16 };

// Exactly one of both.
typedef struct {
    cl_mem buffer;
    float *pointer;
} place_t;

static bool set_arg(ocl_selftest_t *test, cl_kernel kernel, cl_uint index, const place_t *place)
{
    if (place->buffer) {
        const cl_int code = clSetKernelArg(kernel, index, sizeof place->buffer, &place->buffer);
        return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clSetKernelArg", code);
    }
    const cl_int code = prim__ocl_svm_api_set_arg(kernel, index, place->pointer);
    return code == CL_SUCCESS ||
           prim__ocl_selftest_say_code(test, "clSetKernelArgSVMPointer", code);
}

static bool run(ocl_selftest_t *test, const place_t places[NSTEPS + 1])
{
    cl_int code = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(test->program, "svm_next", &code);
    if (code != CL_SUCCESS) return prim__ocl_selftest_say_code(test, "clCreateKernel", code);
    bool is_right = true;
    for (int i = 0; i < NSTEPS && is_right; ++i) {
        is_right = set_arg(test, kernel, 0, &places[i]) &&
                   set_arg(test, kernel, 1, &places[i + 1]) &&
                   prim__ocl_selftest_enqueue(test, kernel, NITEMS, NITEMS);
    }
    clReleaseKernel(kernel);
    return is_right;
}

static bool is_right(ocl_selftest_t *test, const float *x, const float *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        if (got[i] != x[i] + NSTEPS) {
            return prim__ocl_selftest_say(test, "element %d is %g instead of %g", i, (double)got[i],
                    (double)x[i] + NSTEPS);
        }
    }
    return true;
}

bool prim__ocl_selftest_svm(ocl_selftest_t *test)
{
    float x[NITEMS], got[NITEMS];
    for (int i = 0; i < NITEMS; ++i) x[i] = (float)(3 * i - 50);
    const cl_mem first = prim__ocl_selftest_buffer(test, x, sizeof x);
    const cl_mem last = prim__ocl_selftest_buffer(test, NULL, sizeof got);
    if (!prim__ocl_selftest_build(test, "-cl-std=CL1.2")) return false;
    const cl_context context = test->engine->context;
    float *const a = prim__ocl_svm_api_alloc(context, sizeof x);
    float *const b = prim__ocl_svm_api_alloc(context, sizeof x + SKIP * sizeof *x);
    test->is_transient |= !a || !b;
    const place_t places[NSTEPS + 1] = {
            {first, NULL}, {NULL, a}, {NULL, b + (b ? SKIP : 0)}, {first, NULL}, {last, NULL}};
    const bool is_done = (a && b) ? run(test, places)
                                  : prim__ocl_selftest_say(test, "clSVMAlloc gives no memory");
    if (a) prim__ocl_svm_api_free(context, a);
    if (b) prim__ocl_svm_api_free(context, b);
    return is_done && prim__ocl_selftest_read(test, last, got, sizeof got) &&
           is_right(test, x, got);
}
