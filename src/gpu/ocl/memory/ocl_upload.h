// SPDX-License-Identifier: Apache-2.0
// Constant data of primitives: from the host into a buffer of the engine's pool.
#ifndef PRIM_OCL_UPLOAD_H
#define PRIM_OCL_UPLOAD_H

#include "gpu/ocl/device/ocl_engine.h"

/// A buffer of the pool that holds `bytes` > 0 bytes of `data`, given back by release(). For
/// primitives' constant data use prim__ocl_primitive_add_data(), which also owns it.
prim_status_t prim__ocl_upload(
        cl_mem *buffer, const prim_engine_t *engine, const void *data, size_t bytes);
/// Gives a buffer back to the pool: commands that were enqueued before still find it. Takes NULL.
void prim__ocl_upload_release(const prim_engine_t *engine, cl_mem buffer);

#endif
