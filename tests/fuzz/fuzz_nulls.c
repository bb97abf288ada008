// SPDX-License-Identifier: Apache-2.0
// Calls with NULL in the place of one pointer: each is refused, with a sentence.
#include <prim/prim_threadpool.h>

#include "fuzz_world.h"

typedef struct {
    const fuzz_side_t *side;
    fuzz_tensor_t *tensor;
    prim_stream_t *stream;
    prim_attr_t *attr;
    prim_post_ops_t *chain;
} objects_t;

static void check_all(const prim_status_t *statuses, size_t n)
{
    for (size_t i = 0; i < n; ++i) fuzz_expect(__func__, statuses[i], PRIM_INVALID_ARGUMENTS);
}

#define REFUSED(statuses) check_all(statuses, sizeof(statuses) / sizeof *(statuses))

static void lack_attr(const objects_t *o)
{
    prim_scratchpad_mode_t scratchpad;
    prim_accumulation_mode_t accumulation;
    prim_fpmath_mode_t fpmath;
    prim_tune_mode_t tune;
    bool is_on;
    prim_post_ops_t *copy;
    const prim_post_ops_t *chain;
    const prim_status_t statuses[] = {prim_attr_get_scratchpad_mode(NULL, &scratchpad),
            prim_attr_get_scratchpad_mode(o->attr, NULL),
            prim_attr_get_accumulation_mode(NULL, &accumulation),
            prim_attr_get_accumulation_mode(o->attr, NULL),
            prim_attr_get_fpmath_mode(NULL, &fpmath, &is_on),
            prim_attr_get_fpmath_mode(o->attr, NULL, &is_on),
            prim_attr_get_fpmath_mode(o->attr, &fpmath, NULL),
            prim_attr_get_deterministic(NULL, &is_on), prim_attr_get_deterministic(o->attr, NULL),
            prim_attr_get_post_ops(NULL, &chain), prim_attr_get_post_ops(o->attr, NULL),
            prim_post_ops_clone(&copy, NULL), prim_post_ops_clone(NULL, o->chain),
            prim_attr_set_tune(NULL, PRIM_TUNE_NONE), prim_attr_get_tune(NULL, &tune),
            prim_attr_get_tune(o->attr, NULL), prim_get_default_tune(NULL),
            prim_get_default_fpmath_mode(NULL)};
    REFUSED(statuses);
    FUZZ_PROMISE(prim_post_ops_len(NULL) == 0, "no chain has no entries");
}

static void lack_settings(const objects_t *o)
{
    char text[8];
    size_t bytes = 0;
    prim_engine_t *engine;
    prim_memory_stats_t stats;
    int64_t answer;
    const prim_status_t statuses[] = {prim_get_primitive_cache_capacity(NULL),
            prim_get_cache_dir(NULL, sizeof text), prim_get_cache_max_bytes(NULL),
            prim_engine_get_memory_stats(NULL, &stats), prim_engine_trim_memory(NULL),
            prim_engine_set_memory_limit(NULL, 0),
            prim_engine_query(NULL, PRIM_ENGINE_QUERY_NAME_STR, &answer),
            prim_engine_query(o->side->engine, PRIM_ENGINE_QUERY_NAME_STR, NULL),
            prim_stream_get_engine(NULL, &engine), prim_stream_get_engine(o->stream, NULL),
            prim_tune_export(NULL, &bytes, text), prim_tune_import(NULL, ""), prim_tune_clear(NULL),
            prim_set_verbose(NULL)};
    REFUSED(statuses);
}

static void lack_tensor(const objects_t *o)
{
    char data[8] = {0};
    prim_engine_t *engine;
    prim_memory_t *const memory = o->tensor->memory;
    const prim_status_t statuses[] = {prim_memory_get_engine(NULL, &engine),
            prim_memory_get_engine(memory, NULL), prim_memory_read(NULL, data, 4, 0),
            prim_memory_read(memory, NULL, 4, 0), prim_memory_write(NULL, data, 4, 0),
            prim_memory_write(memory, NULL, 4, 0), prim_memory_set_data_handle(NULL, data),
            prim_memory_set_data_handle_at(NULL, data, 0)};
    REFUSED(statuses);
}

static void lack_primitive(const objects_t *o)
{
    size_t bytes = 8;
    int count;
    prim_t *primitive;
    const prim_desc_t *pd;
    prim_stream_t *stream;
    prim_runtime_t runtime;
    const prim_threadpool_t *pool;
    prim_engine_t *const engine = o->side->engine;
    const prim_status_t statuses[] = {prim_get_cache_blob(NULL, &bytes, NULL),
            prim_get_cache_blob(o->side->step, NULL, NULL),
            prim_create_from_cache_blob(NULL, o->side->pd, 4, "blob"),
            prim_create_from_cache_blob(&primitive, NULL, 4, "blob"),
            prim_create_from_cache_blob(&primitive, o->side->pd, 4, NULL), prim_get_desc(NULL, &pd),
            prim_get_desc(o->side->step, NULL), prim_prepare(NULL, 1, &o->side->pd),
            prim_prepare(engine, 1, NULL), prim_recording_get_count(NULL, &count),
            prim_cpu_stream_get_runtime(NULL, &runtime),
            prim_threadpool_stream_create(&stream, engine, NULL),
            prim_threadpool_stream_get_pool(NULL, &pool),
            prim_threadpool_stream_get_pool(o->stream, NULL)};
    REFUSED(statuses);
}

static void destroy_nothing(void)
{
    prim_attr_destroy(NULL);
    prim_post_ops_destroy(NULL);
    prim_memory_destroy(NULL);
    prim_stream_destroy(NULL);
    prim_engine_destroy(NULL);
    prim_desc_destroy(NULL);
    prim_destroy(NULL);
    prim_recording_destroy(NULL);
}

void fuzz_call_nulls(fuzz_input_t *in)
{
    fuzz_side_t *const side = fuzz_side(in);
    objects_t o = {.side = side, .tensor = fuzz_tensor(side, in)};
    fuzz_expect(__func__, prim_stream_create(&o.stream, side->engine, PRIM_STREAM_DEFAULT),
            PRIM_SUCCESS);
    fuzz_expect(__func__, prim_attr_create(&o.attr), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_post_ops_create(&o.chain), PRIM_SUCCESS);
    switch (fuzz_below(in, 5)) {
    case 0: lack_attr(&o); break;
    case 1: lack_settings(&o); break;
    case 2: lack_tensor(&o); break;
    case 3: lack_primitive(&o); break;
    default: destroy_nothing();
    }
    prim_post_ops_destroy(o.chain);
    prim_attr_destroy(o.attr);
    prim_stream_destroy(o.stream);
}
