// SPDX-License-Identifier: Apache-2.0
// Images as memories: what an engine can hold, creation, the application's own, mapping. A mapped
// image is a copy of its rows on the host: drivers may map with gaps between the rows.
#ifndef PRIM_OCL_IMAGE_H
#define PRIM_OCL_IMAGE_H

#include "ocl_memory.h"

/// PRIM_UNIMPLEMENTED with a sentence unless the engine has images of the descriptor's size and
/// type.
prim_status_t prim__ocl_image_check(const ocl_engine_t *engine, const prim_memory_desc_t *md);

/// From a handle as in prim_memory_create() to an image with a reference, or NULL. An own one has
/// zeros in its padding.
prim_status_t prim__ocl_image_resolve(
        cl_mem *image, const ocl_engine_t *engine, const prim_memory_desc_t *md, void *handle);

/// As prim_memory_map_data() and prim_memory_unmap_data(), after streams have been waited for.
prim_status_t prim__ocl_image_map(ocl_memory_t *memory, void **pointer);
prim_status_t prim__ocl_image_unmap(ocl_memory_t *memory, void *pointer);

#endif
