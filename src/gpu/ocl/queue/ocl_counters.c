// SPDX-License-Identifier: Apache-2.0
// The counters of a stream.
#include "ocl_counters.h"

#include "common/alloc.h"
#include "gpu/ocl/memory/ocl_upload.h"

prim_status_t prim__ocl_counters_init(ocl_counters_t *counters)
{
    if (pthread_mutex_init(&counters->lock, NULL) != 0)
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    return PRIM_SUCCESS;
}

void prim__ocl_counters_fini(ocl_counters_t *counters, const prim_engine_t *engine)
{
    prim__ocl_upload_release(engine, counters->buffer);
    pthread_mutex_destroy(&counters->lock);
}

static prim_status_t make(cl_mem *buffer, const prim_engine_t *engine)
{
    const size_t bytes = OCL_NCOUNTERS * sizeof(cl_uint);
    void *const zeros = prim__calloc(bytes);
    if (!zeros) return prim__fail_memory(bytes);
    const prim_status_t st = prim__ocl_upload(buffer, engine, zeros, bytes);
    prim__free(zeros);
    return st;
}

prim_status_t prim__ocl_counters_get(
        cl_mem *buffer, ocl_counters_t *counters, const prim_engine_t *engine)
{
    prim_status_t st = PRIM_SUCCESS;
    pthread_mutex_lock(&counters->lock);
    if (!counters->buffer) st = make(&counters->buffer, engine);
    if (st == PRIM_SUCCESS) *buffer = counters->buffer;
    pthread_mutex_unlock(&counters->lock);
    return st;
}
