// SPDX-License-Identifier: Apache-2.0
// CPU streams: times of executions, and the application's thread pool.
#include "cpu/cpu_stream.h"

#include <string.h>

#include "common/alloc.h"
#include "common/log.h"
#include "common/parallel.h"

prim_status_t prim__cpu_stream_create(prim_stream_t **out, prim_engine_t *engine, unsigned flags)
{
    if (flags & PRIM_STREAM_OUT_OF_ORDER)
        return prim__fail(PRIM_UNIMPLEMENTED, "the CPU engine has in-order streams only");
    cpu_stream_t *const stream = prim__calloc(sizeof *stream);
    if (!stream) return prim__fail_memory(sizeof *stream);
    if (pthread_mutex_init(&stream->lock, NULL) != 0) {
        prim__free(stream);
        return prim__fail(PRIM_RUNTIME_ERROR, "the stream's lock cannot be made");
    }
    prim__stream_init(&stream->base, engine, flags);
    stream->runtime = prim__parallel_default();
    prim__log_environment();
    *out = &stream->base;
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_stream_wait(prim_stream_t *stream)
{
    (void)stream;
    return PRIM_SUCCESS;
}

void prim__cpu_stream_destroy(prim_stream_t *base)
{
    cpu_stream_t *const stream = (cpu_stream_t *)base;
    prim__free(stream->times_ns);
    (void)pthread_mutex_destroy(&stream->lock);
    prim__stream_fini(base);
    prim__free(stream);
}

prim_status_t prim__cpu_stream_get_profile(prim_stream_t *base, int *count, uint64_t *ns)
{
    cpu_stream_t *const stream = (cpu_stream_t *)base;
    (void)pthread_mutex_lock(&stream->lock);
    if (!ns || *count > stream->ntimes) *count = stream->ntimes;
    if (ns && *count > 0) memcpy(ns, stream->times_ns, (size_t)*count * sizeof *ns);
    (void)pthread_mutex_unlock(&stream->lock);
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_stream_reset_profile(prim_stream_t *base)
{
    cpu_stream_t *const stream = (cpu_stream_t *)base;
    (void)pthread_mutex_lock(&stream->lock);
    stream->ntimes = 0;
    (void)pthread_mutex_unlock(&stream->lock);
    return PRIM_SUCCESS;
}

/// The lock is held.
static prim_status_t grow(cpu_stream_t *stream)
{
    const int room = stream->room ? stream->room * 2 : 64;
    const size_t bytes = (size_t)room * sizeof *stream->times_ns;
    uint64_t *const times_ns = prim__calloc(bytes);
    if (!times_ns) return prim__fail_memory(bytes);
    if (stream->ntimes > 0)
        memcpy(times_ns, stream->times_ns, (size_t)stream->ntimes * sizeof *times_ns);
    prim__free(stream->times_ns);
    stream->times_ns = times_ns;
    stream->room = room;
    return PRIM_SUCCESS;
}

static prim_status_t add_time(cpu_stream_t *stream, double ms)
{
    (void)pthread_mutex_lock(&stream->lock);
    const prim_status_t st = stream->ntimes < stream->room ? PRIM_SUCCESS : grow(stream);
    if (st == PRIM_SUCCESS) stream->times_ns[stream->ntimes++] = (uint64_t)(ms * 1e6 + 0.5);
    (void)pthread_mutex_unlock(&stream->lock);
    return st;
}

static bool is_profiling(const cpu_stream_t *stream)
{
    return (stream->base.flags & PRIM_STREAM_PROFILING) != 0;
}

prim_status_t prim__cpu_exec_begin(exec_ctx_t *ctx, exec_state_t *state)
{
    const cpu_stream_t *const stream = (const cpu_stream_t *)ctx->stream;
    state->number = is_profiling(stream) ? prim__now_ms() : 0;
    prim__parallel_use(stream->runtime, &stream->pool);
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_exec_end(exec_ctx_t *ctx, exec_state_t *state, prim_status_t st)
{
    cpu_stream_t *const stream = (cpu_stream_t *)ctx->stream;
    // The pool belongs to the application and may be destroyed before this thread needs threads
    // again.
    prim__parallel_use(PRIM_RUNTIME_NONE, NULL);
    if (!is_profiling(stream)) return st;
    const prim_status_t added = add_time(stream, prim__now_ms() - state->number);
    return st != PRIM_SUCCESS ? st : added;
}

prim_status_t prim__cpu_stream_run_timed(
        const prim_t *primitive, exec_ctx_t *ctx, double *ms, bool *is_host_time)
{
    const double begin_ms = prim__now_ms();
    TRY(prim__primitive_run(primitive, ctx));
    *ms = prim__now_ms() - begin_ms;
    *is_host_time = false; // the device is the host
    return PRIM_SUCCESS;
}

static prim_status_t check_cpu_stream(const prim_stream_t *stream)
{
    CHECK(stream->engine->ops->kind == PRIM_CPU, "the stream is not of a CPU engine");
    return PRIM_SUCCESS;
}

static prim_status_t check_runtime(prim_runtime_t runtime)
{
    CHECK(runtime != PRIM_RUNTIME_THREADPOOL,
            "a stream on a thread pool is made by prim_threadpool_stream_create()");
    CHECK(runtime == PRIM_RUNTIME_OMP || runtime == PRIM_RUNTIME_SEQ,
            "runtime %d is none of CPU streams", (int)runtime);
    if (runtime == PRIM_RUNTIME_SEQ || prim__parallel_has_omp()) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "this library is built without OpenMP");
}

prim_status_t prim_cpu_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, prim_runtime_t runtime, unsigned flags)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(engine);
    CHECK(engine->ops->kind == PRIM_CPU, "threads are chosen for streams of a CPU engine");
    TRY(check_runtime(runtime));
    prim_stream_t *made = NULL;
    TRY(prim_stream_create(&made, engine, flags));
    ((cpu_stream_t *)made)->runtime = runtime;
    *stream = made;
    return PRIM_SUCCESS;
}

prim_status_t prim_cpu_stream_get_runtime(const prim_stream_t *stream, prim_runtime_t *runtime)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(runtime);
    TRY(check_cpu_stream(stream));
    *runtime = ((const cpu_stream_t *)stream)->runtime;
    return PRIM_SUCCESS;
}

prim_status_t prim_threadpool_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, const prim_threadpool_t *pool)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(pool);
    CHECK(pool->get_num_threads && pool->get_in_parallel && pool->parallel_for,
            "a function of the thread pool is NULL");
    CHECK(engine->ops->kind == PRIM_CPU, "a thread pool needs a CPU engine");
    prim_stream_t *base = NULL;
    TRY(prim__cpu_stream_create(&base, engine, PRIM_STREAM_DEFAULT));
    cpu_stream_t *const cpu_stream = (cpu_stream_t *)base;
    cpu_stream->runtime = PRIM_RUNTIME_THREADPOOL;
    cpu_stream->pool = *pool;
    prim__parallel_plan_for(pool);
    *stream = base;
    return PRIM_SUCCESS;
}

prim_status_t prim_threadpool_stream_get_pool(
        const prim_stream_t *stream, const prim_threadpool_t **pool)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(pool);
    TRY(check_cpu_stream(stream));
    const cpu_stream_t *const cpu_stream = (const cpu_stream_t *)stream;
    CHECK(cpu_stream->runtime == PRIM_RUNTIME_THREADPOOL,
            "the stream was created without a thread pool");
    *pool = &cpu_stream->pool;
    return PRIM_SUCCESS;
}
