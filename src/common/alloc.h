// SPDX-License-Identifier: Apache-2.0
// Host memory: every byte of the library passes here, so that users can bring an allocator and
// tests can make the n-th allocation fail.
#ifndef PRIM_COMMON_ALLOC_H
#define PRIM_COMMON_ALLOC_H

#include "prim/prim_types.h"

/// Zeroed, aligned for any object. NULL when there is no memory (or for 0 bytes).
void *prim__calloc(size_t bytes);

/// Uninitialised, aligned to 64 bytes: tensors and scratchpads.
void *prim__malloc_aligned(size_t bytes);

/// Takes what either gave, or NULL.
void prim__free(void *pointer);

/// A copy of a zero-terminated string; NULL when there is no memory.
char *prim__strdup(const char *text);

/// Takes another allocator, or the system's for NULL, if nothing is outstanding. Returns the number
/// of blocks that are; all but 0 means that nothing has changed.
size_t prim__alloc_set_hook(const prim_allocator_t *allocator);

#endif
