// SPDX-License-Identifier: Apache-2.0
// Tensors in host memory, and how an implementation reaches their bytes.
#ifndef PRIM_CPU_MEMORY_H
#define PRIM_CPU_MEMORY_H

#include "common/impl.h"

typedef struct {
    prim_memory_t base;
    void *data; ///< NULL when there is no buffer
    bool owns_data;
} cpu_memory_t;

_Static_assert(sizeof(cpu_memory_t) <= MEMORY_VIEW_BYTES, "a view is too small for its memory");

/// The start of the buffer passed for `arg` (the descriptor's offset0 not added), or NULL when the
/// argument is not there. Scratchpads of the library are aligned to 64 bytes.
void *prim__cpu_ptr(const exec_ctx_t *ctx, int arg);

/// A memory of raw bytes that does not retain its engine; prim__cpu_memory_destroy() frees it.
prim_status_t prim__cpu_memory_create_scratch(
        prim_memory_t **memory, prim_engine_t *engine, size_t bytes);

/// See engine_ops_t; destroy takes NULL.
prim_status_t prim__cpu_memory_create(prim_memory_t **memory, prim_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle);
void prim__cpu_memory_destroy(prim_memory_t *memory);
prim_status_t prim__cpu_memory_map(const prim_memory_t *memory, void **pointer);
prim_status_t prim__cpu_memory_unmap(const prim_memory_t *memory, void *pointer);
bool prim__cpu_memory_has_buffer(const prim_memory_t *memory);
prim_status_t prim__cpu_memory_get_handle(const prim_memory_t *memory, void **handle);
prim_status_t prim__cpu_memory_set_handle(prim_memory_t *memory, void *handle, size_t offset_bytes);
void prim__cpu_memory_view(
        void *storage, const prim_memory_t *memory, size_t offset_bytes, size_t bytes);

#endif
