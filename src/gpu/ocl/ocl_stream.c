// SPDX-License-Identifier: Apache-2.0
// In-order queues with the engine's list of live ones, asynchronous errors, and the scratch arena.
#include "ocl_stream.h"

#include <assert.h>

#include "common/alloc.h"
#include "ocl_profile.h"
#include "prim/prim_ocl.h"

// The arena grows in steps, so that a sequence of slightly larger requests does not reallocate.
enum { ARENA_STEP_BYTES = 1 << 16 };

ocl_stream_t *prim__ocl_stream(const prim_stream_t *stream)
{
    assert(stream->engine->ops == &prim__ocl_engine_ops);
    return (ocl_stream_t *)(uintptr_t)stream;
}

static void link_stream(ocl_stream_t *s)
{
    ocl_engine_t *engine = prim__ocl_engine(s->base.engine);
    pthread_mutex_lock(&engine->lock);
    s->next = engine->streams;
    engine->streams = s;
    pthread_mutex_unlock(&engine->lock);
}

static void unlink_stream(ocl_stream_t *s)
{
    ocl_engine_t *engine = prim__ocl_engine(s->base.engine);
    pthread_mutex_lock(&engine->lock);
    ocl_stream_t **at = &engine->streams;
    while (*at && *at != s) at = &(*at)->next;
    if (*at) *at = s->next;
    pthread_mutex_unlock(&engine->lock);
}

// Takes over a reference of the queue, also on failure.
static prim_status_t wrap(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags, cl_command_queue queue)
{
    ocl_stream_t *s = prim__calloc(sizeof *s);
    if (!s) {
        clReleaseCommandQueue(queue);
        return prim__fail_memory(sizeof *s);
    }
    if (pthread_mutex_init(&s->arena_lock, NULL) != 0) {
        prim__free(s);
        clReleaseCommandQueue(queue);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    if (pthread_mutex_init(&s->profile.lock, NULL) != 0) {
        pthread_mutex_destroy(&s->arena_lock);
        prim__free(s);
        clReleaseCommandQueue(queue);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    s->queue = queue;
    s->is_profiling = (flags & PRIM_STREAM_PROFILING) != 0;
    prim__stream_init(&s->base, engine, flags);
    link_stream(s);
    *stream = &s->base;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_create(prim_stream_t **stream, prim_engine_t *engine, unsigned flags)
{
    if (flags & PRIM_STREAM_OUT_OF_ORDER) {
        return prim__fail(
                PRIM_UNIMPLEMENTED, "OpenCL engines do not offer out-of-order streams yet");
    }
    const ocl_engine_t *e = prim__ocl_engine(engine);
    const cl_command_queue_properties properties =
            flags & PRIM_STREAM_PROFILING ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue =
            clCreateCommandQueue(e->context, e->device.id, properties, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateCommandQueue");
    return wrap(stream, engine, flags, queue);
}

// clFinish() alone does not tell on every driver that a command failed; a marker's status does.
static prim_status_t finish(const ocl_stream_t *s)
{
    cl_event marker = NULL;
    OCL_TRY(clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &marker));
    const cl_int code = clFinish(s->queue);
    cl_int state = CL_COMPLETE;
    const cl_int query_code =
            clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    clReleaseEvent(marker);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clFinish");
    if (query_code != CL_SUCCESS) return prim__ocl_fail(query_code, "clGetEventInfo");
    return state < 0 ? prim__ocl_fail(state, "a command of the stream") : PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_wait(prim_stream_t *stream)
{
    ocl_stream_t *s = prim__ocl_stream(stream);
    if (!s->is_profiling) return finish(s);
    pthread_mutex_lock(&s->profile.lock);
    prim_status_t st = finish(s);
    if (st == PRIM_SUCCESS) st = prim__ocl_profile_read(&s->profile);
    pthread_mutex_unlock(&s->profile.lock);
    return st;
}

void prim__ocl_stream_destroy(prim_stream_t *stream)
{
    ocl_stream_t *s = prim__ocl_stream(stream);
    clFinish(s->queue); // a failure was wait's to report
    unlink_stream(s);
    prim__ocl_profile_fini(&s->profile);
    if (s->arena.buffer) clReleaseMemObject(s->arena.buffer);
    clReleaseCommandQueue(s->queue);
    pthread_mutex_destroy(&s->profile.lock);
    pthread_mutex_destroy(&s->arena_lock);
    prim__stream_fini(&s->base);
    prim__free(s);
}

// Work submitted before keeps the old buffer alive until it is done (clReleaseMemObject's promise).
static prim_status_t grow_arena(ocl_stream_t *s, size_t bytes)
{
    const size_t rounded = (bytes + ARENA_STEP_BYTES - 1) / ARENA_STEP_BYTES * ARENA_STEP_BYTES;
    const ocl_engine_t *engine = prim__ocl_engine(s->base.engine);
    const prim_dims_t dims = {(prim_dim_t)rounded};
    prim_memory_desc_t md;
    TRY(prim_memory_desc_init_by_strides(&md, 1, dims, PRIM_U8, NULL));
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(engine->context, CL_MEM_READ_WRITE, rounded, NULL, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail_allocation(code, "clCreateBuffer", rounded);
    if (s->arena.buffer) clReleaseMemObject(s->arena.buffer);
    s->arena.buffer = buffer;
    s->arena.base = (prim_memory_t){.engine = s->base.engine, .md = md, .bytes = rounded};
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_scratchpad_acquire(
        prim_memory_t **scratchpad, prim_stream_t *stream, size_t bytes)
{
    ocl_stream_t *s = prim__ocl_stream(stream);
    // Held until release: the kernels of two executions that share the arena must not interleave.
    pthread_mutex_lock(&s->arena_lock);
    if (!s->arena.buffer || s->arena.base.bytes < bytes) {
        const prim_status_t st = grow_arena(s, bytes);
        if (st != PRIM_SUCCESS) {
            pthread_mutex_unlock(&s->arena_lock);
            return st;
        }
    }
    *scratchpad = &s->arena.base;
    return PRIM_SUCCESS;
}

void prim__ocl_scratchpad_release(prim_stream_t *stream, prim_memory_t *scratchpad)
{
    (void)scratchpad;
    pthread_mutex_unlock(&prim__ocl_stream(stream)->arena_lock);
}

prim_status_t prim__ocl_stream_keep_event(ocl_stream_t *stream, cl_event event)
{
    return prim__ocl_profile_add(&stream->profile, event);
}

prim_status_t prim__ocl_stream_begin(prim_stream_t *stream)
{
    ocl_stream_t *s = prim__ocl_stream(stream);
    if (!s->is_profiling) return PRIM_SUCCESS;
    pthread_mutex_lock(&s->profile.lock);
    const prim_status_t st = prim__ocl_profile_begin(&s->profile);
    if (st != PRIM_SUCCESS) pthread_mutex_unlock(&s->profile.lock);
    return st;
}

prim_status_t prim__ocl_stream_end(prim_stream_t *stream)
{
    ocl_stream_t *s = prim__ocl_stream(stream);
    if (s->is_profiling) pthread_mutex_unlock(&s->profile.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns)
{
    TRY(prim__ocl_stream_wait(stream));
    ocl_stream_t *s = prim__ocl_stream(stream);
    pthread_mutex_lock(&s->profile.lock);
    prim__ocl_profile_copy(&s->profile, count, ns);
    pthread_mutex_unlock(&s->profile.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_reset_profile(prim_stream_t *stream)
{
    TRY(prim__ocl_stream_wait(stream));
    ocl_stream_t *s = prim__ocl_stream(stream);
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
    CHECK(engine->ops == &prim__ocl_engine_ops, "engine is not an OpenCL engine");
    const ocl_engine_t *e = prim__ocl_engine(engine);
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    OCL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    OCL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    OCL_TRY(clGetCommandQueueInfo(
            queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    CHECK(context == e->context, "queue belongs to another context than the engine");
    CHECK(device == e->device.id, "queue belongs to another device than the engine");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        return prim__fail(PRIM_UNIMPLEMENTED, "out-of-order queues are not supported yet");
    }
    OCL_TRY(clRetainCommandQueue(queue));
    const unsigned profiling = properties & CL_QUEUE_PROFILING_ENABLE ? PRIM_STREAM_PROFILING : 0;
    return wrap(stream, engine, PRIM_STREAM_IN_ORDER | profiling, queue);
}

prim_status_t prim_ocl_stream_get_queue(const prim_stream_t *stream, cl_command_queue *queue)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(queue);
    CHECK(stream->engine->ops == &prim__ocl_engine_ops, "stream is not an OpenCL stream");
    *queue = prim__ocl_stream(stream)->queue;
    return PRIM_SUCCESS;
}
