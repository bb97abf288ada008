// SPDX-License-Identifier: Apache-2.0
// The functions of OpenCL 2.0 for shared virtual memory (SVM), where the loader has them. The
// prim__ocl_svm_api_… may be called only where prim__ocl_svm_is_claimed(). Codes are OpenCL's own.
#ifndef PRIM_OCL_SVM_API_H
#define PRIM_OCL_SVM_API_H

#include "ocl_device.h"

/// Whether the loader has the functions.
bool prim__ocl_svm_is_loaded(void);
/// Whether the device says that it has coarse-grained SVM.
bool prim__ocl_svm_is_on_device(const ocl_device_t *device);
/// Both.
bool prim__ocl_svm_is_claimed(const ocl_device_t *device);

/// clSVMAlloc(), read and written by kernels; NULL when there is none.
void *prim__ocl_svm_api_alloc(cl_context context, size_t bytes);
void prim__ocl_svm_api_free(cl_context context, void *pointer);
/// clEnqueueSVMMemFill() with zeros.
cl_int prim__ocl_svm_api_fill(cl_command_queue queue, void *pointer, size_t bytes);
/// clEnqueueSVMMap(), which returns when the host may read and write.
cl_int prim__ocl_svm_api_map(cl_command_queue queue, void *pointer, size_t bytes);
cl_int prim__ocl_svm_api_unmap(cl_command_queue queue, void *pointer);
/// clEnqueueSVMMemcpy(), which does not wait.
cl_int prim__ocl_svm_api_copy(cl_command_queue queue, void *dst, const void *src, size_t bytes,
        cl_uint nwaits, const cl_event *waits, cl_event *event);
/// clSetKernelArgSVMPointer(): the pointer may point into an allocation.
cl_int prim__ocl_svm_api_set_arg(cl_kernel kernel, cl_uint index, const void *pointer);

#endif
