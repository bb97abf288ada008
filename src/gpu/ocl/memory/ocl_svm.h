// SPDX-License-Identifier: Apache-2.0
// Coarse-grained shared virtual memory of OpenCL 2.0, where the device, its driver and the loader
// have it. All but require() may be called only after it has succeeded.
#ifndef PRIM_OCL_SVM_H
#define PRIM_OCL_SVM_H

#include "gpu/ocl/device/ocl_engine.h"

/// PRIM_UNIMPLEMENTED with the reason where there is none, or where its self-test failed.
prim_status_t prim__ocl_svm_require(const ocl_engine_t *engine);

/// `bytes` > 0 of the engine's context, counted by its pool; zeroed on request.
prim_status_t prim__ocl_svm_alloc(
        void **pointer, ocl_engine_t *engine, size_t bytes, bool wants_zeros);
/// Waits for the engine's streams: OpenCL keeps no count of the commands that use a pointer.
void prim__ocl_svm_free(ocl_engine_t *engine, void *pointer, size_t bytes);

/// For the host to read and write, until unmapped.
prim_status_t prim__ocl_svm_map(const ocl_engine_t *engine, void *pointer, size_t bytes);
prim_status_t prim__ocl_svm_unmap(const ocl_engine_t *engine, void *pointer);

/// clSetKernelArgSVMPointer(): the pointer may point into an allocation.
prim_status_t prim__ocl_svm_set_arg(cl_kernel kernel, cl_uint index, const void *pointer);

#endif
