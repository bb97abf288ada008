// SPDX-License-Identifier: Apache-2.0
// Memory by pointers of OpenCL 2.0, filled, mapped and freed.
#include "ocl_svm.h"

#include "gpu/ocl/device/ocl_svm_api.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_buffer_pool.h"
#include "ocl_live_queues.h"

prim_status_t prim__ocl_svm_require(const ocl_engine_t *engine)
{
    const char *const name = engine->device.name;
    if (!prim__ocl_svm_is_on_device(&engine->device))
        return prim__fail(PRIM_UNIMPLEMENTED, "%s has no shared virtual memory (SVM)", name);
    if (!prim__ocl_svm_is_loaded()) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "the OpenCL loader is older than 2.0 and has no shared virtual memory (SVM)");
    }
    const ocl_verdict_t verdict = prim__ocl_feature_verdict(&engine->base, OCL_FEATURE_SVM);
    if (verdict.is_trusted) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED,
            "shared virtual memory (SVM) of %s did not pass its self-test: %s", name, verdict.why);
}

static prim_status_t fill_with_zeros(const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    const char *call = "clEnqueueSVMMemFill";
    cl_int code = prim__ocl_svm_api_fill(engine->service, pointer, bytes);
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
    void *const made = prim__ocl_svm_api_alloc(engine->context, bytes);
    if (!made) {
        st = prim__fail(PRIM_OUT_OF_MEMORY, "clSVMAlloc of %zu bytes failed", bytes);
        goto unbook;
    }
    if (wants_zeros) TRY_OR(free, fill_with_zeros(engine, made, bytes));
    *pointer = made;
    return PRIM_SUCCESS;

free:
    (void)clFinish(engine->service); // the fill may be under way, and nothing else keeps the memory
    prim__ocl_svm_api_free(engine->context, made);
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
    prim__ocl_svm_api_free(engine->context, pointer);
    prim__ocl_buffer_pool_unbook(engine->pool, bytes);
}

prim_status_t prim__ocl_svm_map(const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    const cl_int code = prim__ocl_svm_api_map(engine->service, pointer, bytes);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clEnqueueSVMMap");
}

prim_status_t prim__ocl_svm_unmap(const ocl_engine_t *engine, void *pointer)
{
    const cl_int code = prim__ocl_svm_api_unmap(engine->service, pointer);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clEnqueueSVMUnmap");
    OCL_TRY(clFinish(engine->service));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_svm_set_arg(cl_kernel kernel, cl_uint index, const void *pointer)
{
    const cl_int code = prim__ocl_svm_api_set_arg(kernel, index, pointer);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clSetKernelArgSVMPointer");
}
