// SPDX-License-Identifier: Apache-2.0
// Casts from an engine of the object model to an OpenCL one.
#include "ocl_engine.h"

#include <assert.h>

bool prim__ocl_is_engine(const prim_engine_t *engine)
{
    return engine->ops->runtime == PRIM_RUNTIME_OCL;
}

ocl_engine_t *prim__ocl_engine(const prim_engine_t *engine)
{
    assert(prim__ocl_is_engine(engine));
    return (ocl_engine_t *)(uintptr_t)engine;
}

const ocl_device_t *prim__ocl_device(const prim_engine_t *engine)
{
    return &prim__ocl_engine(engine)->device;
}
