// SPDX-License-Identifier: Apache-2.0
// Buffers from clCreateBuffer(), or from the application's functions, one call at a time.
#include "ocl_allocator.h"

#include "gpu/ocl/device/ocl_status.h"

prim_status_t prim__ocl_allocator_init(ocl_allocator_t *allocator)
{
    allocator->hook = (prim_ocl_allocator_t){0};
    if (pthread_mutex_init(&allocator->lock, NULL) == 0) return PRIM_SUCCESS;
    return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
}

void prim__ocl_allocator_fini(ocl_allocator_t *allocator)
{
    (void)pthread_mutex_destroy(&allocator->lock);
}

// Whether a kernel may have it as `bytes` of its memory: otherwise the device would find out, by
// writing where it should not.
static bool is_buffer_of(cl_mem buffer, cl_context context, size_t bytes)
{
    cl_mem_object_type type = 0;
    cl_context its_context = NULL;
    size_t its_bytes = 0;
    return clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof its_context, &its_context, NULL) ==
                   CL_SUCCESS &&
           clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof its_bytes, &its_bytes, NULL) ==
                   CL_SUCCESS &&
           type == CL_MEM_OBJECT_BUFFER && its_context == context && its_bytes >= bytes;
}

cl_mem prim__ocl_allocator_allocate(ocl_allocator_t *allocator, cl_context context,
        cl_device_id device, size_t bytes, cl_int *code)
{
    const prim_ocl_allocator_t *const hook = &allocator->hook;
    if (!hook->allocate) return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, code);
    (void)pthread_mutex_lock(&allocator->lock);
    cl_mem made = hook->allocate(hook->user, context, device, bytes);
    *code = made ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (made && !is_buffer_of(made, context, bytes)) {
        hook->release(hook->user, made);
        made = NULL;
        *code = CL_INVALID_MEM_OBJECT;
    }
    (void)pthread_mutex_unlock(&allocator->lock);
    return made;
}

prim_status_t prim__ocl_allocator_fail(const ocl_allocator_t *allocator, cl_int code, size_t bytes)
{
    if (!allocator->hook.allocate) return prim__ocl_fail_allocation(code, "clCreateBuffer", bytes);
    if (code != CL_INVALID_MEM_OBJECT) {
        return prim__fail(PRIM_OUT_OF_MEMORY,
                "the application's device allocator has no buffer of %zu bytes", bytes);
    }
    return prim__fail(PRIM_RUNTIME_ERROR,
            "what the application's device allocator gave is not a buffer of the engine's context "
            "with %zu bytes",
            bytes);
}

void prim__ocl_allocator_release(ocl_allocator_t *allocator, cl_mem buffer)
{
    const prim_ocl_allocator_t *const hook = &allocator->hook;
    if (!hook->release) {
        clReleaseMemObject(buffer);
        return;
    }
    (void)pthread_mutex_lock(&allocator->lock);
    hook->release(hook->user, buffer);
    (void)pthread_mutex_unlock(&allocator->lock);
}
