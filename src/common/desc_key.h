// SPDX-License-Identifier: Apache-2.0
// What tells descriptors apart: for the primitive cache, and for cache blobs.
#ifndef PRIM_COMMON_DESC_KEY_H
#define PRIM_COMMON_DESC_KEY_H

#include "desc.h"

/// Whether two descriptors would make the same primitive, and a hash that agrees with it.
bool prim__desc_equal(const prim_desc_t *a, const prim_desc_t *b);
uint64_t prim__desc_hash(const prim_desc_t *pd);

/// Whether the engine's programs can be kept in blobs.
bool prim__desc_has_blob_id(const prim_desc_t *pd);
/// Fills pd->blob_id: problem, implementation, device, driver, library.
void prim__desc_set_blob_id(prim_desc_t *pd);

#endif
