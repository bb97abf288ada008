// SPDX-License-Identifier: Apache-2.0
// A list under the engine's lock, not the pool's: other threads allocate while one waits for a
// queue.
#include "ocl_live_queues.h"

#include "ocl_buffer_pool.h"

void prim__ocl_live_queues_add(
        ocl_engine_t *engine, ocl_watched_queue_t *watched, cl_command_queue queue)
{
    prim__ocl_buffer_pool_add_queue(engine->pool, watched, queue);
    pthread_mutex_lock(&engine->lock);
    watched->next_live = engine->queues;
    engine->queues = watched;
    pthread_mutex_unlock(&engine->lock);
}

void prim__ocl_live_queues_remove(
        ocl_engine_t *engine, ocl_watched_queue_t *watched, bool is_finished)
{
    pthread_mutex_lock(&engine->lock);
    ocl_watched_queue_t **at = &engine->queues;
    while (*at && *at != watched) at = &(*at)->next_live;
    if (*at) *at = watched->next_live;
    pthread_mutex_unlock(&engine->lock);
    prim__ocl_buffer_pool_remove_queue(engine->pool, watched, is_finished);
}

prim_status_t prim__ocl_live_queues_finish(ocl_engine_t *engine)
{
    cl_int code = CL_SUCCESS;
    const uint64_t moment = prim__ocl_buffer_pool_now(engine->pool);
    pthread_mutex_lock(&engine->lock);
    for (ocl_watched_queue_t *w = engine->queues; w && code == CL_SUCCESS; w = w->next_live) {
        code = clFinish(w->queue);
        if (code == CL_SUCCESS) prim__ocl_buffer_pool_queue_passed(engine->pool, w, moment);
    }
    pthread_mutex_unlock(&engine->lock);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clFinish");
}
