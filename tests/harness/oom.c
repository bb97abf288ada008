// SPDX-License-Identifier: Apache-2.0
// oom [cpu | gpu [tuning | all | part of a name [step [offset]]]]: for every operation, lets the
// n-th host allocation fail, n = 1, 2, … until all succeed. Each failure must be PRIM_OUT_OF_MEMORY
// with a sentence, leave nothing allocated, and the next try must not be harmed by it. Where the
// compiler is slow, n = 1 + offset, 1 + offset + step, …: two builds with a step of 2 share the
// work.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

static long countdown;      ///< allocations until one fails; 0: none does
static long outstanding;    ///< allocated and not yet released
static long made;           ///< since the life began
static long made_by_engine; ///< of them when engine and streams were there, in the last whole life

static void *failing_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    ++made;
    if (countdown > 0 && --countdown == 0) return NULL;
    void *const pointer = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (pointer) ++outstanding;
    return pointer;
}

static void counted_release(void *user, void *pointer)
{
    (void)user;
    --outstanding;
    free(pointer);
}

static prim_status_t prepare(const scenario_t *scenario, prim_engine_t *engine)
{
    prim_desc_t *pd = NULL;
    prim_status_t st = scenario_create_desc(&pd, scenario, engine);
    if (st == PRIM_SUCCESS) st = prim_prepare(engine, 1, &pd);
    prim_desc_destroy(pd);
    return st;
}

/// A profiling stream, out of order where the engine has such streams.
static prim_status_t open_stream(prim_stream_t **stream, prim_engine_t *engine)
{
    const prim_status_t st =
            prim_stream_create(stream, engine, PRIM_STREAM_OUT_OF_ORDER | PRIM_STREAM_PROFILING);
    if (st != PRIM_UNIMPLEMENTED) return st;
    return prim_stream_create(stream, engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING);
}

/// Engine to result and back, with everything released at the end.
static prim_status_t whole_life(const scenario_t *scenario, prim_engine_kind_t kind)
{
    prim_engine_t *engine = NULL;
    prim_stream_t *ordered = NULL, *stream = NULL;
    case_t c = {0};
    int count = 0;
    made = 0;
    prim_status_t st = prim_engine_create(&engine, kind, 0);
    if (st == PRIM_SUCCESS) st = prim_stream_create(&ordered, engine, PRIM_STREAM_IN_ORDER);
    if (st == PRIM_SUCCESS) st = open_stream(&stream, engine);
    if (st == PRIM_SUCCESS) made_by_engine = made;
    if (st == PRIM_SUCCESS) st = prepare(scenario, engine);
    if (st == PRIM_SUCCESS) st = scenario_open(&c, scenario, engine);
    if (st == PRIM_SUCCESS) st = scenario_run(&c, ordered);
    if (st == PRIM_SUCCESS) st = scenario_run(&c, stream);
    if (st == PRIM_SUCCESS) st = prim_stream_get_profile(stream, &count, NULL);
    scenario_close(&c);
    prim_stream_destroy(ordered);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return st;
}

/// Number of failing runs, from the one whose allocation `first` fails to success, or -1.
static long check(const scenario_t *scenario, prim_engine_kind_t kind, long first, long step)
{
    for (long n = first; n < 2000; n += step) {
        countdown = n;
        const prim_status_t st = whole_life(scenario, kind);
        const bool has_failed_one = countdown == 0;
        countdown = 0;
        if (outstanding != 0) {
            printf("%s: %ld allocations leak after number %ld failed\n", scenario->name,
                    outstanding, n);
            return -1;
        }
        if (!has_failed_one) return st == PRIM_SUCCESS ? (n - first) / step : -1;
        // A failure may be harmless (something optional was not kept); if reported, then rightly.
        if (st != PRIM_SUCCESS && (st != PRIM_OUT_OF_MEMORY || prim_last_error()[0] == 0)) {
            printf("%s: allocation %ld failed, status %s (%s)\n", scenario->name, n,
                    prim_status_name(st), prim_last_error());
            return -1;
        }
    }
    return -1;
}

/// A product whose every creation tunes it.
static prim_status_t make_tuned(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    prim_attr_t *attr = NULL;
    prim_status_t st =
            prim_memory_desc_init_by_tag(&md, 2, (const prim_dim_t[]){32, 32}, PRIM_F32, PRIM_ab);
    if (st == PRIM_SUCCESS) st = prim_tune_clear(engine);
    if (st == PRIM_SUCCESS) st = prim_attr_create(&attr);
    if (st == PRIM_SUCCESS) st = prim_attr_set_tune(attr, PRIM_TUNE_QUICK);
    if (st == PRIM_SUCCESS) st = prim_matmul_desc_create(pd, engine, &md, &md, NULL, &md, attr);
    prim_attr_destroy(attr);
    return st;
}

int main(int argc, char **argv)
{
    const prim_engine_kind_t kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? PRIM_GPU : PRIM_CPU;
    const prim_allocator_t allocator = {failing_allocate, counted_release, NULL};
    if (!scenarios_read(kind)) return 2;
    // Primitives in the cache would outlive the run that is checked for leaks.
    if (prim_set_allocator(&allocator) != PRIM_SUCCESS ||
            prim_set_primitive_cache_capacity(0) != PRIM_SUCCESS ||
            prim_set_verbose("none") != PRIM_SUCCESS) {
        printf("%s\n", prim_last_error());
        return 2;
    }
    static const scenario_t tuning = {.name = "tuning", .create_desc = make_tuned};
    const char *const part = argc > 2 && strcmp(argv[2], "all") != 0 ? argv[2] : "";
    const bool is_tuning = strcmp(part, tuning.name) == 0;
    const long step = argc > 3 ? atol(argv[3]) : 1, offset = argc > 4 ? atol(argv[4]) : 0;
    int npassed = 0, nfailed = 0;
    for (int i = 0; i < (is_tuning ? 1 : nscenarios); ++i) {
        const scenario_t *const tried = is_tuning ? &tuning : &scenarios[i];
        if (!strstr(tried->name, part)) continue;
        // What engine and streams allocate is the same in every life: it fails in the first one's.
        const long nfailures =
                check(tried, kind, 1 + offset + (npassed + nfailed ? made_by_engine : 0), step);
        printf("%-4s %s: survived %ld failing allocations\n", nfailures > 0 ? "ok" : "BAD",
                tried->name, nfailures);
        npassed += nfailures > 0;
        nfailed += nfailures <= 0;
    }
    printf("%d passed, %d failed\n", npassed, nfailed);
    return nfailed != 0 || npassed == 0;
}
