// SPDX-License-Identifier: Apache-2.0
// The process-wide cache of primitives: evicts the least recently used; concurrent requests for the
// same primitive create it once.
#ifndef PRIM_COMMON_PRIMITIVE_CACHE_H
#define PRIM_COMMON_PRIMITIVE_CACHE_H

#include "impl.h"

/// Gives the primitive of `pd` with one reference for the caller: from the cache, or created and
/// kept there. If another thread is creating the same one, waits for it. `*was_hit` says which.
prim_status_t prim__cache_get(prim_t **out, const prim_desc_t *pd, bool *was_hit);

int prim__cache_get_capacity(void);
/// Shrinking evicts the least recently used.
prim_status_t prim__cache_set_capacity(int capacity);

#endif
