// SPDX-License-Identifier: Apache-2.0
// Creation of streams, waiting for them, and asynchronous errors.
#include "ocl_stream.h"

#include <assert.h>

#include "common/alloc.h"
#include "common/stream.h"
#include "gpu/ocl/memory/ocl_buffer_pool.h"
#include "gpu/ocl/memory/ocl_live_queues.h"
#include "prim/prim_ocl.h"

ocl_stream_t *prim__ocl_stream(const prim_stream_t *stream)
{
    assert(prim__ocl_is_engine(stream->engine));
    return (ocl_stream_t *)(uintptr_t)stream;
}

static void free_stream(ocl_stream_t *s)
{
    if (s->queue) clReleaseCommandQueue(s->queue);
    prim__free(s);
}

// The parts that have locks; on failure those made are destroyed again.
static prim_status_t init_parts(ocl_stream_t *s)
{
    prim_status_t st = PRIM_SUCCESS;
    TRY(prim__ocl_arena_init(&s->arena, s->is_out_of_order));
    TRY_OR(no_inflight, prim__ocl_inflight_init(&s->inflight));
    TRY_OR(no_profile, prim__ocl_profile_init(&s->profile));
    TRY_OR(no_counters, prim__ocl_counters_init(&s->counters));
    if (pthread_mutex_init(&s->timer_lock, NULL) == 0) return PRIM_SUCCESS;
    st = prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");

    prim__ocl_counters_fini(&s->counters, s->base.engine);
no_counters:
    prim__ocl_profile_fini(&s->profile);
no_profile:
    prim__ocl_inflight_fini(&s->inflight);
no_inflight:
    prim__ocl_arena_fini(&s->arena);
    return st;
}

// Takes over a reference of the queue, also on failure.
static prim_status_t wrap(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags, cl_command_queue queue)
{
    ocl_stream_t *const s = prim__calloc(sizeof *s);
    if (!s) {
        clReleaseCommandQueue(queue);
        return prim__fail_memory(sizeof *s);
    }
    s->queue = queue;
    s->is_profiling = (flags & PRIM_STREAM_PROFILING) != 0;
    s->is_out_of_order = (flags & PRIM_STREAM_OUT_OF_ORDER) != 0;
    const prim_status_t st = init_parts(s);
    if (st != PRIM_SUCCESS) {
        free_stream(s);
        return st;
    }
    prim__stream_init(&s->base, engine, flags);
    prim__ocl_live_queues_add(prim__ocl_engine(engine), &s->watched, queue);
    *stream = &s->base;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_create(prim_stream_t **stream, prim_engine_t *engine, unsigned flags)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    const bool is_out_of_order = (flags & PRIM_STREAM_OUT_OF_ORDER) != 0;
    if (is_out_of_order && !e->device.has_out_of_order_queues) {
        return prim__fail(PRIM_UNIMPLEMENTED, "%s has no out-of-order queues", e->device.name);
    }
    const cl_command_queue_properties properties =
            (flags & PRIM_STREAM_PROFILING ? CL_QUEUE_PROFILING_ENABLE : 0) |
            (is_out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue =
            clCreateCommandQueue(e->context, e->device.id, properties, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateCommandQueue");
    return wrap(stream, engine, flags, queue);
}

// The queue's code says little about the command that failed, and drivers let queues fail for good
// after a kernel's illegal access.
static prim_status_t fail_finish(cl_int code)
{
    if (code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE) {
        return prim__ocl_fail(code, "clFinish");
    }
    return prim__fail(PRIM_RUNTIME_ERROR,
            "clFinish failed: %s (%d): a command of the stream or the device has failed",
            prim__ocl_code_name(code), (int)code);
}

// A command that fails by itself makes clFinish() fail; one that fails because of an event it
// waited for may not, and its own event shows it.
prim_status_t prim__ocl_stream_finish(ocl_stream_t *s)
{
    struct ocl_buffer_pool *const pool = prim__ocl_engine(s->base.engine)->pool;
    const uint64_t moment = prim__ocl_buffer_pool_now(pool);
    const cl_int code = clFinish(s->queue);
    if (code == CL_SUCCESS) prim__ocl_buffer_pool_queue_passed(pool, &s->watched, moment);
    TRY(prim__ocl_inflight_finish(&s->inflight));
    return code != CL_SUCCESS ? fail_finish(code) : PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_wait(prim_stream_t *stream)
{
    ocl_stream_t *const s = prim__ocl_stream(stream);
    if (!s->is_profiling) return prim__ocl_stream_finish(s);
    pthread_mutex_lock(&s->profile.lock);
    prim_status_t st = prim__ocl_stream_finish(s);
    if (st == PRIM_SUCCESS) st = prim__ocl_profile_read(&s->profile);
    pthread_mutex_unlock(&s->profile.lock);
    return st;
}

void prim__ocl_stream_destroy(prim_stream_t *stream)
{
    ocl_stream_t *const s = prim__ocl_stream(stream);
    if (s->timer) prim__ocl_stream_destroy(&s->timer->base);
    const cl_int code = clFinish(s->queue); // a failure was wait's to report
    prim__ocl_live_queues_remove(prim__ocl_engine(stream->engine), &s->watched, code == CL_SUCCESS);
    pthread_mutex_destroy(&s->timer_lock);
    prim__ocl_counters_fini(&s->counters, s->base.engine);
    prim__ocl_profile_fini(&s->profile);
    prim__ocl_inflight_fini(&s->inflight);
    prim__ocl_arena_fini(&s->arena);
    prim__stream_fini(&s->base);
    free_stream(s);
}

prim_status_t prim__ocl_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns)
{
    TRY(prim__ocl_stream_wait(stream));
    ocl_stream_t *const s = prim__ocl_stream(stream);
    pthread_mutex_lock(&s->profile.lock);
    prim__ocl_profile_copy(&s->profile, count, ns);
    pthread_mutex_unlock(&s->profile.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_reset_profile(prim_stream_t *stream)
{
    TRY(prim__ocl_stream_wait(stream));
    ocl_stream_t *const s = prim__ocl_stream(stream);
    pthread_mutex_lock(&s->profile.lock);
    s->profile.ntimes = 0;
    pthread_mutex_unlock(&s->profile.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, cl_command_queue queue)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(queue);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    OCL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    OCL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    OCL_TRY(clGetCommandQueueInfo(
            queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    CHECK(context == e->context, "queue belongs to another context than the engine");
    CHECK(device == e->device.id, "queue belongs to another device than the engine");
    OCL_TRY(clRetainCommandQueue(queue));
    const unsigned order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                   ? PRIM_STREAM_OUT_OF_ORDER
                                   : PRIM_STREAM_IN_ORDER;
    const unsigned profiling = properties & CL_QUEUE_PROFILING_ENABLE ? PRIM_STREAM_PROFILING : 0;
    return wrap(stream, engine, order | profiling, queue);
}

prim_status_t prim_ocl_stream_get_queue(const prim_stream_t *stream, cl_command_queue *queue)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(queue);
    CHECK(prim__ocl_is_engine(stream->engine), "stream is not an OpenCL stream");
    *queue = prim__ocl_stream(stream)->queue;
    return PRIM_SUCCESS;
}
