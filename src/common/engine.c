// SPDX-License-Identifier: Apache-2.0
// Engines: finding the backend of a kind, reference counting, the public functions.
#include "engine.h"

#include <stdio.h>

static const engine_ops_t *find_backend(prim_engine_kind_t kind)
{
    for (const engine_ops_t *const *ops = prim__engine_backends(); *ops; ++ops)
        if ((*ops)->kind == kind) return *ops;
    return NULL;
}

void prim__engine_init(
        prim_engine_t *engine, const engine_ops_t *ops, size_t index, const char *name)
{
    engine->ops = ops;
    atomic_init(&engine->nrefs, 1);
    atomic_init(&engine->nhandles, 1);
    engine->index = index;
    (void)snprintf(engine->name, sizeof engine->name, "%s", name);
}

void prim__engine_retain(prim_engine_t *engine)
{
    atomic_fetch_add_explicit(&engine->nrefs, 1, memory_order_relaxed);
}

bool prim__engine_share(prim_engine_t *engine)
{
    int nrefs = atomic_load(&engine->nrefs);
    while (nrefs > 0) {
        if (atomic_compare_exchange_weak(&engine->nrefs, &nrefs, nrefs + 1)) {
            atomic_fetch_add(&engine->nhandles, 1);
            return true;
        }
    }
    return false;
}

void prim__engine_release(prim_engine_t *engine)
{
    if (engine && atomic_fetch_sub_explicit(&engine->nrefs, 1, memory_order_acq_rel) == 1)
        engine->ops->engine_destroy(engine);
}

const char *prim__engine_difference(
        char *text, size_t bytes, const prim_engine_t *engine, const prim_engine_t *wanted)
{
    const char *const kind = prim_engine_kind_name(engine->ops->kind);
    const char *const wanted_kind = prim_engine_kind_name(wanted->ops->kind);
    const bool is_same_device = engine->ops == wanted->ops && engine->index == wanted->index;
    if (is_same_device)
        (void)snprintf(text, bytes,
                "both are on %s engine %zu (%s), but in two contexts; prim_engine_create() makes a "
                "context each time, so create the engine once and share it",
                kind, engine->index, engine->name);
    else
        (void)snprintf(text, bytes, "%s engine %zu (%s) instead of %s engine %zu (%s)", kind,
                engine->index, engine->name, wanted_kind, wanted->index, wanted->name);
    return text;
}

size_t prim_engine_get_count(prim_engine_kind_t kind)
{
    const engine_ops_t *const ops = find_backend(kind);
    return ops ? ops->count() : 0;
}

prim_status_t prim_engine_create(prim_engine_t **engine, prim_engine_kind_t kind, size_t index)
{
    CHECK_NOT_NULL(engine);
    CHECK(kind == PRIM_CPU || kind == PRIM_GPU, "engine kind %d is neither cpu nor gpu", (int)kind);
    const engine_ops_t *const ops = find_backend(kind);
    CHECK(ops, "this build has no %s engine", prim_engine_kind_name(kind));
    const size_t count = ops->count();
    if (index < count) return ops->engine_create(engine, index);
    char why[512] = "";
    if (ops->count_explain) ops->count_explain(why, sizeof why);
    return prim__fail(PRIM_INVALID_ARGUMENTS, "%s engine %zu does not exist: there are %zu%s",
            prim_engine_kind_name(kind), index, count, why);
}

prim_status_t prim_engine_get_kind(const prim_engine_t *engine, prim_engine_kind_t *kind)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(kind);
    *kind = engine->ops->kind;
    return PRIM_SUCCESS;
}

const char *prim_engine_name(const prim_engine_t *engine)
{
    return engine ? engine->name : NULL;
}

prim_status_t prim_engine_get_memory_limits(
        const prim_engine_t *engine, size_t *total_bytes, size_t *max_allocation_bytes)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(total_bytes);
    CHECK_NOT_NULL(max_allocation_bytes);
    return engine->ops->engine_get_memory_limits(engine, total_bytes, max_allocation_bytes);
}

// Host memory comes and goes through the allocator; an engine that keeps none has no statistics.
static prim_status_t fail_without_pool(const prim_engine_t *engine)
{
    return prim__fail(PRIM_UNIMPLEMENTED,
            "%s engines keep no memory of their own: prim_set_allocator() sees what they use",
            prim_engine_kind_name(engine->ops->kind));
}

prim_status_t prim_engine_get_memory_stats(const prim_engine_t *engine, prim_memory_stats_t *stats)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(stats);
    if (!engine->ops->engine_get_memory_stats) return fail_without_pool(engine);
    return engine->ops->engine_get_memory_stats(engine, stats);
}

prim_status_t prim_engine_set_memory_limit(prim_engine_t *engine, uint64_t max_bytes)
{
    CHECK_NOT_NULL(engine);
    if (!engine->ops->engine_set_memory_limit) return fail_without_pool(engine);
    return engine->ops->engine_set_memory_limit(engine, max_bytes);
}

prim_status_t prim_engine_trim_memory(prim_engine_t *engine)
{
    CHECK_NOT_NULL(engine);
    if (!engine->ops->engine_trim_memory) return fail_without_pool(engine);
    return engine->ops->engine_trim_memory(engine);
}

prim_status_t prim_engine_query(const prim_engine_t *engine, prim_engine_query_t what, void *result)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(result);
    if (what != PRIM_ENGINE_QUERY_NAME_STR) return engine->ops->engine_query(engine, what, result);
    *(const char **)result = engine->name;
    return PRIM_SUCCESS;
}
