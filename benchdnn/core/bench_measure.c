// SPDX-License-Identifier: Apache-2.0
// Performance mode: single runs on the CPU, batches without synchronisation on the GPU.
#include "bench_measure.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench_engine.h"
#include "bench_globals.h"
#include "bench_parallel.h"
#include "bench_text.h"

#define MIN_RUNS 5
#define MAX_BATCH 4096
#define MAX_COLD_SETS 100
#define MIN_RECORDED 20 // runs, so that the start of a replay counts little
/// Twice the last cache level of the largest GPUs of today (50 MB); no query tells it.
#define GPU_CACHE_BYTES (100 << 20)
#define CPU_CACHE_FALLBACK_BYTES (64 << 20)

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/// The argument lists that runs take in turn: one, or with a cold cache as many as outgrow it.
typedef struct {
    int nargs, nsets;
    prim_arg_t *lists; ///< [nsets][nargs]
    int nmemories;
    arg_memory_t **memories; ///< the copies
    int next;
} rotation_t;

static double cache_bytes(void)
{
    if (engine_is_gpu()) return GPU_CACHE_BYTES;
    double bytes = CPU_CACHE_FALLBACK_BYTES;
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (l2 > 0 && l3 >= 0) bytes = 3. * ((double)l2 * bench_max_threads() + (double)l3);
#endif
    return bytes;
}

static bool is_cooled(const arg_t *arg)
{
    if (bench.cold_cache == COLD_CACHE_WEI) return arg->kind == DATA_WEI;
    return bench.cold_cache == COLD_CACHE_ALL;
}

static int count_sets(const args_t *args)
{
    double bytes = 0.;
    for (int i = 0; i < args->count; ++i)
        if (args->items[i].memory && is_cooled(&args->items[i]))
            bytes += (double)args->items[i].memory->bytes;
    if (bytes == 0.) return 1;
    const double sets = cache_bytes() / bytes + 2.;
    return sets > MAX_COLD_SETS ? MAX_COLD_SETS : (int)sets;
}

static prim_status_t add_copy(rotation_t *r, prim_arg_t *slot, const arg_t *arg)
{
    prim_engine_t *const engine = arg->on_cpu ? bench_cpu_engine() : engine_tested();
    arg_memory_t **const copy = &r->memories[r->nmemories];
    const prim_status_t status = arg_memory_create(copy, &arg->md, engine, PERF_FILL);
    if (status != PRIM_SUCCESS) return status;
    ++r->nmemories;
    slot->memory = (*copy)->memory;
    return PRIM_SUCCESS;
}

static prim_status_t rotation_init(rotation_t *r, const args_t *args)
{
    prim_status_t status = PRIM_SUCCESS;
    *r = (rotation_t){.nargs = args->count, .nsets = count_sets(args)};
    const size_t slots = (size_t)r->nargs * (size_t)r->nsets;
    r->lists = bench_calloc(slots, sizeof *r->lists);
    r->memories = bench_calloc(slots, sizeof(arg_memory_t *));
    for (int set = 0; set < r->nsets && status == PRIM_SUCCESS; ++set) {
        for (int i = 0; i < r->nargs && status == PRIM_SUCCESS; ++i) {
            const arg_t *const arg = &args->items[i];
            prim_arg_t *const slot = &r->lists[set * r->nargs + i];
            *slot = (prim_arg_t){arg->id, args_owner(args, arg)->memory->memory};
            if (set > 0 && arg->memory && is_cooled(arg)) status = add_copy(r, slot, arg);
        }
    }
    return status;
}

static void rotation_free(rotation_t *r)
{
    for (int i = 0; i < r->nmemories; ++i) arg_memory_destroy(r->memories[i]);
    free(r->memories);
    free(r->lists);
}

static prim_status_t submit(rotation_t *r, const prim_t *primitive, int stream)
{
    const prim_arg_t *const list = r->lists + (ptrdiff_t)r->next * r->nargs;
    r->next = (r->next + 1) % r->nsets;
    return prim_execute(primitive, engine_stream(stream), r->nargs, list);
}

static prim_status_t wait_all(void)
{
    for (int s = 0; s < engine_stream_count(); ++s) {
        const prim_status_t status = prim_stream_wait(engine_stream(s));
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

static void add_time(perf_t *perf, double ms, int64_t runs)
{
    const double per_run = ms / (double)runs;
    if (perf->runs == 0 || per_run < perf->min_ms) perf->min_ms = per_run;
    if (perf->runs == 0 || per_run > perf->max_ms) perf->max_ms = per_run;
    perf->total_ms += ms;
    perf->runs += runs;
}

static bool is_done(const perf_t *perf)
{
    if (bench.fix_times) return perf->runs >= bench.fix_times;
    return perf->total_ms >= bench_budget_ms() && perf->runs >= MIN_RUNS;
}

static prim_status_t measure_cpu(perf_t *perf, const prim_t *primitive, rotation_t *r)
{
    while (!is_done(perf)) {
        const double begin = now_ms();
        prim_status_t status = submit(r, primitive, 0);
        if (status == PRIM_SUCCESS) status = prim_stream_wait(engine_stream(0));
        if (status != PRIM_SUCCESS) return status;
        add_time(perf, now_ms() - begin, 1);
    }
    return PRIM_SUCCESS;
}

/// Adds what the devices recorded, one time for each run.
static prim_status_t add_profiles(perf_t *perf)
{
    for (int s = 0; s < engine_stream_count(); ++s) {
        int count = 0;
        prim_status_t status = prim_stream_get_profile(engine_stream(s), &count, NULL);
        if (status != PRIM_SUCCESS) return status;
        uint64_t *const ns = bench_calloc((size_t)count, sizeof *ns);
        status = prim_stream_get_profile(engine_stream(s), &count, ns);
        for (int i = 0; i < count && status == PRIM_SUCCESS; ++i)
            add_time(perf, (double)ns[i] * 1e-6, 1);
        free(ns);
        if (status == PRIM_SUCCESS) status = prim_stream_reset_profile(engine_stream(s));
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

static prim_status_t run_batch(perf_t *perf, const prim_t *primitive, rotation_t *r, int64_t size)
{
    const bool by_device = bench.timer == TIMER_DEVICE;
    const double begin = now_ms();
    for (int64_t i = 0; i < size; ++i) {
        const prim_status_t status = submit(r, primitive, (int)(i % engine_stream_count()));
        if (status != PRIM_SUCCESS) return status;
    }
    const prim_status_t status = wait_all();
    if (status != PRIM_SUCCESS) return status;
    if (by_device) return add_profiles(perf);
    add_time(perf, now_ms() - begin, size);
    return PRIM_SUCCESS;
}

static int64_t next_batch_size(const perf_t *perf)
{
    if (bench.fix_times) return bench.fix_times - perf->runs;
    if (perf->runs == 0) return MIN_RUNS;
    const double floor_ms = perf->min_ms > 1e-6 ? perf->min_ms : 1e-6;
    const double runs = (bench_budget_ms() - perf->total_ms) / floor_ms / 5.;
    return runs < 1. ? 1 : runs > MAX_BATCH ? MAX_BATCH : (int64_t)runs;
}

static prim_status_t measure_gpu(perf_t *perf, const prim_t *primitive, rotation_t *r)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int s = 0; s < engine_stream_count() && status == PRIM_SUCCESS; ++s)
        status = submit(r, primitive, s);
    if (status == PRIM_SUCCESS) status = wait_all();
    for (int s = 0;
            s < engine_stream_count() && bench.timer == TIMER_DEVICE && status == PRIM_SUCCESS; ++s)
        status = prim_stream_reset_profile(engine_stream(s));
    while (status == PRIM_SUCCESS && !is_done(perf))
        status = run_batch(perf, primitive, r, next_batch_size(perf));
    return status;
}

/// As many runs as there are argument lists, or more.
static prim_status_t record(
        prim_recording_t **recording, int *nruns, const prim_t *primitive, rotation_t *r)
{
    prim_stream_t *const stream = engine_stream(0);
    *nruns = (MIN_RECORDED + r->nsets - 1) / r->nsets * r->nsets;
    prim_status_t status = prim_recording_begin(stream);
    if (status != PRIM_SUCCESS) return status;
    for (int i = 0; i < *nruns && status == PRIM_SUCCESS; ++i) status = submit(r, primitive, 0);
    const prim_status_t ended = prim_recording_end(recording, stream);
    if (ended == PRIM_SUCCESS && status != PRIM_SUCCESS) prim_recording_destroy(*recording);
    return status != PRIM_SUCCESS ? status : ended;
}

/// Replays of a recording, on the first stream.
static prim_status_t measure_graph(perf_t *perf, const prim_t *primitive, rotation_t *r)
{
    prim_recording_t *recording = NULL;
    int nruns = 0;
    prim_status_t status = record(&recording, &nruns, primitive, r);
    if (status != PRIM_SUCCESS) return status;
    status = prim_recording_replay(recording, engine_stream(0), 0, NULL);
    if (status == PRIM_SUCCESS) status = wait_all();
    while (status == PRIM_SUCCESS && !is_done(perf)) {
        const int64_t nreplays = (next_batch_size(perf) + nruns - 1) / nruns;
        const double begin = now_ms();
        for (int64_t i = 0; i < nreplays && status == PRIM_SUCCESS; ++i)
            status = prim_recording_replay(recording, engine_stream(0), 0, NULL);
        if (status == PRIM_SUCCESS) status = wait_all();
        if (status == PRIM_SUCCESS) add_time(perf, now_ms() - begin, nreplays * nruns);
    }
    prim_recording_destroy(recording);
    return status;
}

prim_status_t measure(perf_t *perf, const prim_t *primitive, const args_t *args)
{
    rotation_t rotation;
    prim_status_t status = rotation_init(&rotation, args);
    if (status == PRIM_SUCCESS) {
        const bool is_graph = bench.execution == EXECUTION_GRAPH && bench.timer == TIMER_WALL;
        status = !engine_is_gpu() ? measure_cpu(perf, primitive, &rotation)
                 : is_graph       ? measure_graph(perf, primitive, &rotation)
                                  : measure_gpu(perf, primitive, &rotation);
    }
    perf->is_measured = status == PRIM_SUCCESS;
    rotation_free(&rotation);
    return status;
}
