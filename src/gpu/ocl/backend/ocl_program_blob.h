// SPDX-License-Identifier: Apache-2.0
// The programs of a primitive as bytes, and back: entries of the cache on disk, in memory.
#ifndef PRIM_OCL_PROGRAM_BLOB_H
#define PRIM_OCL_PROGRAM_BLOB_H

#include "gpu/ocl/device/ocl_engine.h"

/// engine_ops_t.programs_export and .programs_import
prim_status_t prim__ocl_programs_export(
        unsigned char **payload, size_t *payload_bytes, const prim_t *primitive);
prim_status_t prim__ocl_programs_import(
        prim_engine_t *engine, const unsigned char *payload, size_t payload_bytes);

#endif
