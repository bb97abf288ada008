// SPDX-License-Identifier: Apache-2.0
// Weak references: where the OpenCL loader lacks a function, its address is NULL. The only file
// that calls functions beyond OpenCL 1.2 by name.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#include "ocl_svm_api.h"

#pragma weak clSVMAlloc
#pragma weak clSVMFree
#pragma weak clEnqueueSVMMap
#pragma weak clEnqueueSVMUnmap
#pragma weak clEnqueueSVMMemcpy
#pragma weak clEnqueueSVMMemFill
#pragma weak clSetKernelArgSVMPointer

bool prim__ocl_svm_is_loaded(void)
{
    return clSVMAlloc && clSVMFree && clEnqueueSVMMap && clEnqueueSVMUnmap && clEnqueueSVMMemcpy &&
           clEnqueueSVMMemFill && clSetKernelArgSVMPointer;
}

bool prim__ocl_svm_is_on_device(const ocl_device_t *device)
{
    return (device->svm_capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
}

bool prim__ocl_svm_is_claimed(const ocl_device_t *device)
{
    return prim__ocl_svm_is_on_device(device) && prim__ocl_svm_is_loaded();
}

void *prim__ocl_svm_api_alloc(cl_context context, size_t bytes)
{
    return clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
}

void prim__ocl_svm_api_free(cl_context context, void *pointer)
{
    clSVMFree(context, pointer);
}

cl_int prim__ocl_svm_api_fill(cl_command_queue queue, void *pointer, size_t bytes)
{
    const cl_uchar zero = 0;
    return clEnqueueSVMMemFill(queue, pointer, &zero, sizeof zero, bytes, 0, NULL, NULL);
}

cl_int prim__ocl_svm_api_map(cl_command_queue queue, void *pointer, size_t bytes)
{
    return clEnqueueSVMMap(
            queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, pointer, bytes, 0, NULL, NULL);
}

cl_int prim__ocl_svm_api_unmap(cl_command_queue queue, void *pointer)
{
    return clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL);
}

cl_int prim__ocl_svm_api_copy(cl_command_queue queue, void *dst, const void *src, size_t bytes,
        cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    return clEnqueueSVMMemcpy(queue, CL_FALSE, dst, src, bytes, nwaits, waits, event);
}

cl_int prim__ocl_svm_api_set_arg(cl_kernel kernel, cl_uint index, const void *pointer)
{
    return clSetKernelArgSVMPointer(kernel, index, pointer);
}
