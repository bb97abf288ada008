// SPDX-License-Identifier: Apache-2.0
// A locked list of live engines. Engines retain their contexts, so no context in the list can be
// another's.
#include "ocl_engine_table.h"

static struct {
    pthread_mutex_t lock;
    ocl_engine_t *engines; ///< linked through `next`
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

// With the lock held. One whose last reference has just gone is not found.
static ocl_engine_t *find(cl_device_id device, cl_context context)
{
    for (ocl_engine_t *e = table.engines; e; e = e->next) {
        if (e->device.id == device && e->context == context && prim__engine_share(&e->base)) {
            return e;
        }
    }
    return NULL;
}

ocl_engine_t *prim__ocl_engine_table_find(cl_device_id device, cl_context context)
{
    pthread_mutex_lock(&table.lock);
    ocl_engine_t *const found = find(device, context);
    pthread_mutex_unlock(&table.lock);
    return found;
}

ocl_engine_t *prim__ocl_engine_table_add(ocl_engine_t *engine)
{
    pthread_mutex_lock(&table.lock);
    ocl_engine_t *const first = find(engine->device.id, engine->context);
    if (!first) {
        engine->next = table.engines;
        table.engines = engine;
    }
    pthread_mutex_unlock(&table.lock);
    return first ? first : engine;
}

void prim__ocl_engine_table_remove(ocl_engine_t *engine)
{
    pthread_mutex_lock(&table.lock);
    ocl_engine_t **at = &table.engines;
    while (*at && *at != engine) at = &(*at)->next;
    if (*at) *at = engine->next;
    pthread_mutex_unlock(&table.lock);
}
