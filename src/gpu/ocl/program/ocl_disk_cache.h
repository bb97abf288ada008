// SPDX-License-Identifier: Apache-2.0
// The cache of programs on disk. Nothing here fails: what cannot be had is built from source, what
// cannot be kept is not kept, and the log (`warn`) says why, once for each cause.
#ifndef PRIM_OCL_DISK_CACHE_H
#define PRIM_OCL_DISK_CACHE_H

#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_cache_key.h"

/// A built program of this source and these options from the disk, owned by the caller, or NULL.
/// `device_text` is prim__ocl_cache_key_of_device()'s; NULL: no cache.
cl_program prim__ocl_disk_cache_load(const ocl_engine_t *engine, const char *device_text,
        const ocl_source_t *source, const char *options);

/// Keeps a built program. Call it when a kernel of the program was made: some drivers compile only
/// then, and have no complete binary before.
void prim__ocl_disk_cache_store(const ocl_engine_t *engine, const char *device_text,
        const ocl_source_t *source, const char *options, cl_program program);

#endif
