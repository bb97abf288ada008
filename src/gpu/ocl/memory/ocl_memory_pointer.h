// SPDX-License-Identifier: Apache-2.0
// Memories by pointer: shared virtual memory, unified shared memory, and host memory that a device
// of unified memory works on. ocl_memory.c comes here for every kind but buffers.
#ifndef PRIM_OCL_MEMORY_POINTER_H
#define PRIM_OCL_MEMORY_POINTER_H

#include "ocl_memory.h"

/// What the handle, as in prim_ocl_memory_create_shared(), stands for becomes the storage of `m`,
/// which has its kind and no storage.
prim_status_t prim__ocl_memory_pointer_attach(ocl_memory_t *m, ocl_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle);
/// Lets it go; `m` stays as it was before attach().
void prim__ocl_memory_pointer_detach(ocl_memory_t *m, ocl_engine_t *engine);

/// Of memories with a pointer and no buffer, on an idle engine; as the public functions.
prim_status_t prim__ocl_memory_pointer_map(ocl_memory_t *m, void **pointer);
prim_status_t prim__ocl_memory_pointer_unmap(ocl_memory_t *m, void *pointer);

#endif
