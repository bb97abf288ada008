// SPDX-License-Identifier: Apache-2.0
// A kernel built at its first use, under a lock.
#define _POSIX_C_SOURCE 200809L
#include "ocl_on_demand.h"

#include <pthread.h>

#include "common/alloc.h"

struct ocl_on_demand {
    const prim_engine_t *engine;
    const ocl_source_t *source;
    const char *name;
    ocl_options_t options;
    pthread_mutex_t lock;
    ocl_kernel_t *kernel; ///< owned; NULL until it is built; under the lock
};

prim_status_t prim__ocl_on_demand_create(ocl_on_demand_t **on_demand, const prim_engine_t *engine,
        const ocl_source_t *source, const ocl_options_t *options, const char *name)
{
    ocl_on_demand_t *const made = prim__calloc(sizeof *made);
    if (!made) return prim__fail_memory(sizeof *made);
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        prim__free(made);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    made->engine = engine;
    made->source = source;
    made->name = name;
    made->options = *options;
    *on_demand = made;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_on_demand_get(const ocl_kernel_t **kernel, ocl_on_demand_t *on_demand)
{
    prim_status_t st = PRIM_SUCCESS;
    pthread_mutex_lock(&on_demand->lock);
    if (!on_demand->kernel)
        st = prim__ocl_kernel_create(&on_demand->kernel, on_demand->engine, on_demand->source,
                &on_demand->options, on_demand->name);
    *kernel = on_demand->kernel;
    pthread_mutex_unlock(&on_demand->lock);
    return st;
}

const ocl_kernel_t *prim__ocl_on_demand_peek(ocl_on_demand_t *on_demand)
{
    pthread_mutex_lock(&on_demand->lock);
    const ocl_kernel_t *const kernel = on_demand->kernel;
    pthread_mutex_unlock(&on_demand->lock);
    return kernel;
}

void prim__ocl_on_demand_destroy(ocl_on_demand_t *on_demand)
{
    if (!on_demand) return;
    prim__ocl_kernel_destroy(on_demand->kernel);
    pthread_mutex_destroy(&on_demand->lock);
    prim__free(on_demand);
}
