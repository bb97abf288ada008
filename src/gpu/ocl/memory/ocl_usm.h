// SPDX-License-Identifier: Apache-2.0
// Pointers of cl_intel_unified_shared_memory, where the device and its driver have them. All but
// init() and require() may be called only after require() has succeeded.
#ifndef PRIM_OCL_USM_H
#define PRIM_OCL_USM_H

#include "gpu/ocl/device/ocl_engine.h"

/// Fetches the extension's functions, where the device has it.
void prim__ocl_usm_init(ocl_device_t *device);
/// PRIM_UNIMPLEMENTED with the reason where there is none.
prim_status_t prim__ocl_usm_require(const ocl_engine_t *engine);

/// `bytes` > 0 of the engine's context, counted by its pool, zeroed on request: shared memory
/// if the device has it, else its own, else the host's.
prim_status_t prim__ocl_usm_alloc(
        void **pointer, ocl_engine_t *engine, size_t bytes, bool wants_zeros);
/// Waits for the engine's streams: OpenCL keeps no count of the commands that use a pointer.
void prim__ocl_usm_free(ocl_engine_t *engine, void *pointer, size_t bytes);
/// Whether `bytes` from the pointer on lie in an allocation that the device may use.
prim_status_t prim__ocl_usm_check(const ocl_engine_t *engine, const void *pointer, size_t bytes);

/// For the host to read and write, until unmapped: `pointer` itself, or a copy for prim__free() of
/// what only the device can read. The streams must be idle.
prim_status_t prim__ocl_usm_map(
        void **mapped, const ocl_engine_t *engine, void *pointer, size_t bytes);
/// Writes a copy back and frees it; `mapped` is one or is `pointer`.
prim_status_t prim__ocl_usm_unmap(
        const ocl_engine_t *engine, void *pointer, void *mapped, size_t bytes);

/// clSetKernelArgMemPointerINTEL(): the pointer may point into an allocation.
prim_status_t prim__ocl_usm_set_arg(
        const ocl_device_t *device, cl_kernel kernel, cl_uint index, const void *pointer);

#endif
