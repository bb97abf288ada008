// SPDX-License-Identifier: Apache-2.0
// The live OpenCL engines of the process, without references of their own: whoever brings a device
// and a context that an engine is on gets that engine, with its programs, primitives and memory.
#ifndef PRIM_OCL_ENGINE_TABLE_H
#define PRIM_OCL_ENGINE_TABLE_H

#include "gpu/ocl/device/ocl_engine.h"

/// The engine on both, with a reference for the caller; NULL when there is none.
ocl_engine_t *prim__ocl_engine_table_find(cl_device_id device, cl_context context);
/// Adds a new engine. If one on the same device and context came first, gives that instead (with a
/// reference for the caller), and `engine` stays the caller's to let go.
ocl_engine_t *prim__ocl_engine_table_add(ocl_engine_t *engine);
/// When the engine goes; one that is not in the table is left alone.
void prim__ocl_engine_table_remove(ocl_engine_t *engine);

#endif
