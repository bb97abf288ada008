// SPDX-License-Identifier: Apache-2.0
// Memories of an OpenCL engine: a buffer and a byte offset into it, an image, or a pointer.
#ifndef PRIM_OCL_MEMORY_H
#define PRIM_OCL_MEMORY_H

#include "common/memory.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "prim/prim_ocl.h"

typedef struct {
    prim_memory_t base;
    prim_ocl_memory_kind_t kind;
    cl_mem buffer;  ///< NULL: none yet, or SVM, USM. An image, if the descriptor is one of an image
    void *pointer;  ///< SVM, USM, or the host memory behind the buffer; NULL: none yet
    bool is_pooled; ///< from the engine's pool (SVM, USM, images: counted by it); else the
                    ///< application's
    size_t offset_bytes;
    atomic_int nmaps;            ///< mappings of a buffer that have not ended
    _Atomic(void *) mapped_copy; ///< the host's, while an image or a device's own USM is mapped
} ocl_memory_t;

_Static_assert(sizeof(ocl_memory_t) <= MEMORY_VIEW_BYTES, "a view is too small for its memory");

/// Whether there is something that a kernel could use.
bool prim__ocl_memory_has_storage(const ocl_memory_t *memory);

/// The OpenCL memory behind a memory, which must be one; NULL for NULL.
const ocl_memory_t *prim__ocl_memory(const prim_memory_t *memory);

prim_status_t prim__ocl_memory_create(prim_memory_t **memory, prim_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle);
void prim__ocl_memory_destroy(prim_memory_t *memory);
prim_status_t prim__ocl_memory_map(const prim_memory_t *memory, void **pointer);
prim_status_t prim__ocl_memory_unmap(const prim_memory_t *memory, void *pointer);
prim_status_t prim__ocl_memory_write(
        const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes);
prim_status_t prim__ocl_memory_read(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes);
bool prim__ocl_memory_has_buffer(const prim_memory_t *memory);
prim_status_t prim__ocl_memory_get_handle(const prim_memory_t *memory, void **handle);
prim_status_t prim__ocl_memory_set_handle(prim_memory_t *memory, void *handle, size_t offset_bytes);
void prim__ocl_memory_view(
        void *storage, const prim_memory_t *memory, size_t offset_bytes, size_t bytes);

#endif
