// SPDX-License-Identifier: Apache-2.0
// The CPU engine and its table of functions.
#define _DEFAULT_SOURCE // sysconf and its names

#include "cpu/cpu_engine.h"

#include <unistd.h>

#include "common/alloc.h"
#include "cpu/cpu_memory.h"
#include "cpu/cpu_stream.h"
#include "cpu_engine_query.h"

const engine_ops_t prim__cpu_engine_ops;

/// The host is one device: everyone who opens it gets the same object, so that memories and streams
/// of one part of an application work with the primitives of another.
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static cpu_engine_t *the_engine;

static size_t count(void)
{
    return 1;
}

static prim_status_t create_new(cpu_engine_t **out)
{
    cpu_engine_t *const engine = prim__calloc(sizeof *engine);
    if (!engine) return prim__fail_memory(sizeof *engine);
    const prim_status_t st = prim__cpu_scratchpads_init(&engine->scratchpads);
    if (st != PRIM_SUCCESS) {
        prim__free(engine);
        return st;
    }
    prim__engine_init(&engine->base, &prim__cpu_engine_ops, 0, "cpu");
    prim__cpu_engine_identify(engine);
    *out = engine;
    return PRIM_SUCCESS;
}

static prim_status_t engine_create(prim_engine_t **engine, size_t index)
{
    (void)index;
    prim_status_t st = PRIM_SUCCESS;
    (void)pthread_mutex_lock(&the_lock);
    if (!the_engine || !prim__engine_share(&the_engine->base)) st = create_new(&the_engine);
    if (st == PRIM_SUCCESS) *engine = &the_engine->base;
    (void)pthread_mutex_unlock(&the_lock);
    return st;
}

static void engine_destroy(prim_engine_t *base)
{
    cpu_engine_t *const engine = (cpu_engine_t *)base;
    (void)pthread_mutex_lock(&the_lock);
    if (the_engine == engine) the_engine = NULL;
    (void)pthread_mutex_unlock(&the_lock);
    prim__cpu_scratchpads_fini(&engine->scratchpads);
    prim__free(engine);
}

static prim_status_t engine_get_memory_limits(
        const prim_engine_t *engine, size_t *total_bytes, size_t *max_allocation_bytes)
{
    (void)engine;
    const long npages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (npages <= 0 || page_bytes <= 0)
        return prim__fail(PRIM_RUNTIME_ERROR, "the system does not tell how much memory it has");
    *total_bytes = *max_allocation_bytes = (size_t)npages * (size_t)page_bytes;
    return PRIM_SUCCESS;
}

#if PRIM_CPU_RUNTIME_OMP
#define CPU_RUNTIME PRIM_RUNTIME_OMP
#elif PRIM_CPU_RUNTIME_THREADPOOL
#define CPU_RUNTIME PRIM_RUNTIME_THREADPOOL
#else
#define CPU_RUNTIME PRIM_RUNTIME_SEQ
#endif

const engine_ops_t prim__cpu_engine_ops = {
        .kind = PRIM_CPU,
        .runtime = CPU_RUNTIME,
        .count = count,
        .engine_create = engine_create,
        .engine_destroy = engine_destroy,
        .engine_get_memory_limits = engine_get_memory_limits,
        .engine_query = prim__cpu_engine_query,
        .stream_create = prim__cpu_stream_create,
        .stream_wait = prim__cpu_stream_wait,
        .stream_destroy = prim__cpu_stream_destroy,
        .stream_get_profile = prim__cpu_stream_get_profile,
        .stream_reset_profile = prim__cpu_stream_reset_profile,
        .exec_begin = prim__cpu_exec_begin,
        .exec_end = prim__cpu_exec_end,
        .stream_run_timed = prim__cpu_stream_run_timed,
        .memory_create = prim__cpu_memory_create,
        .memory_destroy = prim__cpu_memory_destroy,
        .memory_map = prim__cpu_memory_map,
        .memory_unmap = prim__cpu_memory_unmap,
        .memory_write = prim__memory_write_mapped,
        .memory_read = prim__memory_read_mapped,
        .memory_has_buffer = prim__cpu_memory_has_buffer,
        .memory_get_handle = prim__cpu_memory_get_handle,
        .memory_set_handle = prim__cpu_memory_set_handle,
        .memory_view = prim__cpu_memory_view,
        .scratchpad_acquire = prim__cpu_scratchpad_acquire,
        .scratchpad_release = prim__cpu_scratchpad_release,
};
