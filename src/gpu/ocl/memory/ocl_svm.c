// SPDX-License-Identifier: Apache-2.0
// SVM through weak references: where the OpenCL loader lacks a function, its address is NULL.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#include "ocl_svm.h"

#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_buffer_pool.h"
#include "ocl_live_queues.h"

#pragma weak clSVMAlloc
#pragma weak clSVMFree
#pragma weak clEnqueueSVMMap
#pragma weak clEnqueueSVMUnmap
#pragma weak clEnqueueSVMMemcpy
#pragma weak clEnqueueSVMMemFill
#pragma weak clSetKernelArgSVMPointer

static bool loader_has_svm(void)
{
    return clSVMAlloc && clSVMFree && clEnqueueSVMMap && clEnqueueSVMUnmap && clEnqueueSVMMemcpy &&
           clEnqueueSVMMemFill && clSetKernelArgSVMPointer;
}

static bool device_has_svm(const ocl_device_t *device)
{
    return (device->svm_capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
}

bool prim__ocl_svm_is_claimed(const ocl_device_t *device)
{
    return device_has_svm(device) && loader_has_svm();
}

prim_status_t prim__ocl_svm_require(const ocl_engine_t *engine)
{
    const char *name = engine->device.name;
    if (!device_has_svm(&engine->device))
        return prim__fail(PRIM_UNIMPLEMENTED, "%s has no shared virtual memory (SVM)", name);
    if (!loader_has_svm()) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "the OpenCL loader is older than 2.0 and has no shared virtual memory (SVM)");
    }
    const ocl_verdict_t verdict = prim__ocl_feature_verdict(&engine->base, OCL_FEATURE_SVM);
    if (verdict.is_trusted) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED,
            "shared virtual memory (SVM) of %s did not pass its self-test: %s", name, verdict.why);
}

void *prim__ocl_svm_alloc_uncounted(cl_context context, size_t bytes)
{
    return clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
}

void prim__ocl_svm_free_uncounted(cl_context context, void *pointer)
{
    clSVMFree(context, pointer);
}

cl_int prim__ocl_svm_set_kernel_arg(cl_kernel kernel, cl_uint index, const void *pointer)
{
    return clSetKernelArgSVMPointer(kernel, index, pointer);
}

static prim_status_t fill_with_zeros(const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    const cl_uchar zero = 0;
    const char *call = "clEnqueueSVMMemFill";
    cl_int code =
            clEnqueueSVMMemFill(engine->service, pointer, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        call = "clFinish";
        code = clFinish(engine->service);
    }
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail_allocation(code, call, bytes);
}

prim_status_t prim__ocl_svm_alloc(
        void **pointer, ocl_engine_t *engine, size_t bytes, bool wants_zeros)
{
    prim_status_t st = PRIM_SUCCESS;
    TRY(prim__ocl_buffer_pool_book(engine->pool, bytes));
    void *const made = clSVMAlloc(engine->context, CL_MEM_READ_WRITE, bytes, 0);
    if (!made) {
        st = prim__fail(PRIM_OUT_OF_MEMORY, "clSVMAlloc of %zu bytes failed", bytes);
        goto unbook;
    }
    if (wants_zeros) TRY_OR(free, fill_with_zeros(engine, made, bytes));
    *pointer = made;
    return PRIM_SUCCESS;

free:
    (void)clFinish(engine->service); // the fill may be under way, and nothing else keeps the memory
    clSVMFree(engine->context, made);
unbook:
    prim__ocl_buffer_pool_unbook(engine->pool, bytes);
    return st;
}

void prim__ocl_svm_free(ocl_engine_t *engine, void *pointer, size_t bytes)
{
    // A failure is the streams' to report. Twice: one for want of memory may pass, and one of a
    // lost device leaves no command that could run.
    if (prim__ocl_live_queues_finish(engine) != PRIM_SUCCESS) {
        (void)prim__ocl_live_queues_finish(engine);
    }
    clSVMFree(engine->context, pointer);
    prim__ocl_buffer_pool_unbook(engine->pool, bytes);
}

prim_status_t prim__ocl_svm_map(const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    OCL_TRY(clEnqueueSVMMap(
            engine->service, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, pointer, bytes, 0, NULL, NULL));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_svm_unmap(const ocl_engine_t *engine, void *pointer)
{
    OCL_TRY(clEnqueueSVMUnmap(engine->service, pointer, 0, NULL, NULL));
    OCL_TRY(clFinish(engine->service));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_svm_set_arg(cl_kernel kernel, cl_uint index, const void *pointer)
{
    OCL_TRY(clSetKernelArgSVMPointer(kernel, index, pointer));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_svm_copy(
        const ocl_command_t *command, void *dst, const void *src, size_t bytes)
{
    OCL_TRY(clEnqueueSVMMemcpy(command->queue, CL_FALSE, dst, src, bytes, command->nwaits,
            command->waits, command->event_out));
    return PRIM_SUCCESS;
}
