// SPDX-License-Identifier: Apache-2.0
// Memories as the backends extend them.
#ifndef PRIM_COMMON_MEMORY_H
#define PRIM_COMMON_MEMORY_H

#include <stdatomic.h>

#include "prim/prim.h"

/// Why a memory's own buffer takes no offset (%zu).
#define OWNED_BUFFER_SENTENCE \
    "the memory owns this buffer, which holds its tensor alone: nothing starts at byte %zu"

/// Room for any backend's memory.
enum { MEMORY_VIEW_BYTES = 1024 };

struct prim_memory {
    atomic_int nrefs;      ///< the caller's, and one for each recording
    unsigned generation;   ///< changes when the buffer does
    prim_engine_t *engine; ///< retained
    prim_memory_desc_t md;
    size_t bytes;
};

/// One more reference; prim_memory_destroy() gives it up.
void prim__memory_retain(prim_memory_t *memory);

/// Whether a tensor may start there in a buffer of the application's: PRIM_INVALID_ARGUMENTS with a
/// sentence if not.
prim_status_t prim__memory_check_offset(const prim_memory_desc_t *md, size_t offset_bytes);

/// memory_write() and memory_read() by mapping the memory, for backends without a better way.
prim_status_t prim__memory_write_mapped(
        const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes);
prim_status_t prim__memory_read_mapped(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes);

/// Makes a memory of `bytes` raw bytes (a 1-D u8 tensor): scratchpads, constant buffers.
prim_status_t prim__memory_create_raw(prim_memory_t **memory, prim_engine_t *engine, size_t bytes);

#endif
