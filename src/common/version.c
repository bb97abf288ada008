// SPDX-License-Identifier: Apache-2.0
// The version of the running library, with what it was built for.
#include <pthread.h>

#include "engine.h"
#include "prim/prim_version.h"

#ifndef PRIM_SOURCE_REVISION
#define PRIM_SOURCE_REVISION "N/A"
#endif

static prim_version_t version = {
        .major = PRIM_VERSION_MAJOR,
        .minor = PRIM_VERSION_MINOR,
        .patch = PRIM_VERSION_PATCH,
        .hash = PRIM_SOURCE_REVISION,
};

static void ask_backends(void)
{
    for (const engine_ops_t *const *ops = prim__engine_backends(); *ops; ++ops)
        *((*ops)->kind == PRIM_CPU ? &version.cpu_runtime : &version.gpu_runtime) = (*ops)->runtime;
}

const prim_version_t *prim_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, ask_backends);
    return &version;
}
