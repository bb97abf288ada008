// SPDX-License-Identifier: Apache-2.0
// The programs built from embedded sources, kept for the life of their engine.
#ifndef PRIM_OCL_PROGRAM_H
#define PRIM_OCL_PROGRAM_H

#include "common/status.h"
#include "gpu/ocl/device/ocl_device.h"
#include "ocl_source.h"

struct ocl_program_cache;

/// The program of a source with options: from the engine's cache, from the disk, or built now;
/// retained for the caller. Threads that need the same one wait for a single build. A failed
/// build is PRIM_RUNTIME_ERROR whose sentence holds the start of the build log; the log has it
/// whole.
prim_status_t prim__ocl_program_get(cl_program *program, const prim_engine_t *engine,
        const ocl_source_t *source, const char *options);

/// Tells that a kernel of the program was made: if it was built from source, it goes to the disk.
void prim__ocl_program_was_used(const prim_engine_t *engine, cl_program program);

/// What a program of the engine was built from; both live as long as the engine. False for a
/// program that is not the engine's.
bool prim__ocl_program_describe(const ocl_source_t **source, const char **options,
        const prim_engine_t *engine, cl_program program);

/// Whether the engine has the program of this source and these options, or is building it.
bool prim__ocl_program_is_there(
        const prim_engine_t *engine, const ocl_source_t *source, const char *options);
/// Gives the engine a built program, whose reference it takes in any case; `source` and `options`
/// are copied. One that is there already stays instead.
prim_status_t prim__ocl_program_adopt(const prim_engine_t *engine, const ocl_source_t *source,
        const char *options, cl_program program);

/// prim__ocl_cache_key_of_device() of the engine's device, or NULL.
const char *prim__ocl_program_device_text(const prim_engine_t *engine);

prim_status_t prim__ocl_program_cache_create(
        struct ocl_program_cache **cache, const ocl_device_t *device);
void prim__ocl_program_cache_destroy(struct ocl_program_cache *cache);

#endif
