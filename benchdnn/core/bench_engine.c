// SPDX-License-Identifier: Apache-2.0
// Opening and closing of the engines and streams of the process.
#include "bench_engine.h"

#include <string.h>

#include <prim/prim_threadpool.h>

#include "bench_globals.h"
#include "bench_text.h"
#include "driver.h"

static struct {
    prim_engine_kind_t kind;
    size_t index;
    bench_timer_t timer;
    prim_runtime_t cpu_runtime;
    prim_engine_t *tested, *cpu;
    int nstreams;
    prim_stream_t *streams[BENCH_MAX_STREAMS];
    bool f64_is_known, has_f64;
} opened;

void engine_close(void)
{
    for (int i = 0; i < opened.nstreams; ++i) prim_stream_destroy(opened.streams[i]);
    prim_engine_destroy(opened.tested);
    prim_engine_destroy(opened.cpu);
    memset(&opened, 0, sizeof opened);
}

static bool fail(const char *what)
{
    engine_close();
    return usage_error("cannot open %s: %s", what, prim_last_error());
}

static prim_status_t open_stream(prim_stream_t **stream, unsigned flags)
{
    if (opened.kind == PRIM_CPU && opened.cpu_runtime != PRIM_RUNTIME_NONE)
        return prim_cpu_stream_create(stream, opened.tested, opened.cpu_runtime, flags);
    return prim_stream_create(stream, opened.tested, flags);
}

static bool open_streams(void)
{
    unsigned flags = PRIM_STREAM_IN_ORDER;
    if (bench.timer == TIMER_DEVICE) flags |= PRIM_STREAM_PROFILING;
    const int count =
            bench.num_streams > BENCH_MAX_STREAMS ? BENCH_MAX_STREAMS : (int)bench.num_streams;
    for (int i = 0; i < count; ++i) {
        if (open_stream(&opened.streams[i], flags) != PRIM_SUCCESS) return fail("a stream");
        ++opened.nstreams;
    }
    return true;
}

bool engine_open(void)
{
    const bool is_same = opened.kind == bench.engine_kind && opened.index == bench.engine_index &&
                         opened.timer == bench.timer && opened.cpu_runtime == bench.cpu_runtime &&
                         opened.nstreams >= (int)bench.num_streams;
    const bool is_needed = bench.mode != MODE_LIST || bench.lists_impls;
    if (!is_needed || (opened.tested && is_same)) return true;
    engine_close();
    opened.kind = bench.engine_kind;
    opened.index = bench.engine_index;
    opened.timer = bench.timer;
    opened.cpu_runtime = bench.cpu_runtime;
    if (prim_engine_create(&opened.tested, opened.kind, opened.index) != PRIM_SUCCESS)
        return fail("the engine");
    return open_streams();
}

prim_engine_t *engine_tested(void)
{
    return opened.tested;
}

prim_engine_t *bench_cpu_engine(void)
{
    if (opened.tested && opened.kind == PRIM_CPU) return opened.tested;
    if (!opened.cpu && prim_engine_create(&opened.cpu, PRIM_CPU, 0) != PRIM_SUCCESS) return NULL;
    return opened.cpu;
}

prim_stream_t *engine_stream(int index)
{
    return opened.streams[index];
}

int engine_stream_count(void)
{
    return opened.nstreams;
}

bool engine_is_gpu(void)
{
    return opened.kind == PRIM_GPU;
}

bool engine_has_f64(void)
{
    if (!engine_is_gpu()) return true;
    if (opened.f64_is_known) return opened.has_f64;
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    const prim_dim_t one = 1;
    prim_status_t status = prim_memory_desc_init_by_tag(&md, 1, &one, PRIM_F64, PRIM_a);
    if (status == PRIM_SUCCESS)
        status = prim_eltwise_forward_desc_create(&pd, opened.tested, PRIM_FORWARD_INFERENCE,
                PRIM_ELTWISE_RELU, &md, &md, 0.f, 0.f, NULL);
    prim_desc_destroy(pd);
    opened.f64_is_known = true;
    opened.has_f64 = status == PRIM_SUCCESS;
    return opened.has_f64;
}
