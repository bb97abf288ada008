// SPDX-License-Identifier: Apache-2.0
// The backends of this build.
#include "common/engine.h"

extern const engine_ops_t prim__cpu_engine_ops;
#if PRIM_GPU_RUNTIME_OCL
extern const engine_ops_t prim__ocl_engine_ops;
#endif

const engine_ops_t *const *prim__engine_backends(void)
{
    static const engine_ops_t *const backends[] = {
        &prim__cpu_engine_ops,
#if PRIM_GPU_RUNTIME_OCL
        &prim__ocl_engine_ops,
#endif
        NULL,
    };
    return backends;
}
