// SPDX-License-Identifier: Apache-2.0
// threads [cpu | gpu]: two engines (contexts), four threads on each, outputs of their own; all
// results must have the same bits as those of one thread alone.
// 1. One operation after the other: all threads create the same primitive at once and execute it on
//    streams of their own and on two shared ones, in order and out of order.
// 2. All operations mixed, a thousand executions a thread, while the threads also create, destroy,
//    prepare, read profiles, trim memory, empty the primitive cache and open further engines.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "scenario.h"
#include "test_pool.h"

enum { NENGINES = 2, NTHREADS = 4, NRUNS = 21, NSTREAMS = 3 };
enum { NMIXED = 1000, BATCH = 4 };

/// The streams that all threads of an engine share.
typedef struct {
    prim_stream_t *ordered;
    prim_stream_t *unordered; ///< the ordered one where the engine has no other
    prim_stream_t *profiled;
} shared_t;

typedef struct {
    const scenario_t *scenario;
    prim_engine_t *engine;
    shared_t shared;
    uint64_t expected;
    atomic_int *nfailures;
} job_t;

static bool runs_right(const case_t *c, prim_stream_t *stream, uint64_t expected)
{
    uint64_t sum = 0;
    return scenario_run(c, stream) == PRIM_SUCCESS && scenario_checksum(c, &sum) == PRIM_SUCCESS &&
           sum == expected;
}

static void *work(void *arg)
{
    const job_t *const job = arg;
    prim_stream_t *stream = NULL;
    case_t c;
    if (test_pool_stream_create(&stream, job->engine) != PRIM_SUCCESS ||
            scenario_open(&c, job->scenario, job->engine) != PRIM_SUCCESS) {
        atomic_fetch_add(job->nfailures, 1);
        prim_stream_destroy(stream);
        return NULL;
    }
    prim_stream_t *const streams[NSTREAMS] = {stream, job->shared.ordered, job->shared.unordered};
    for (int i = 0; i < NRUNS; ++i)
        if (!runs_right(&c, streams[i % NSTREAMS], job->expected))
            atomic_fetch_add(job->nfailures, 1);
    scenario_close(&c);
    prim_stream_destroy(stream);
    return NULL;
}

/// What one thread alone computes.
static bool expected_sum(uint64_t *sum, const scenario_t *scenario, prim_engine_t *engine)
{
    prim_stream_t *stream = NULL;
    case_t c;
    if (test_pool_stream_create(&stream, engine) != PRIM_SUCCESS) return false;
    bool is_good = scenario_open(&c, scenario, engine) == PRIM_SUCCESS;
    if (is_good) {
        is_good = scenario_run(&c, stream) == PRIM_SUCCESS &&
                  scenario_checksum(&c, sum) == PRIM_SUCCESS;
        scenario_close(&c);
    }
    prim_stream_destroy(stream);
    return is_good;
}

static int run_scenario(
        const scenario_t *scenario, prim_engine_t *const *engines, const shared_t *shared)
{
    atomic_int nfailures = 0;
    job_t jobs[NENGINES * NTHREADS];
    pthread_t threads[NENGINES * NTHREADS];
    uint64_t expected = 0;
    if (!expected_sum(&expected, scenario, engines[0])) return 1;
    int nstarted = 0;
    for (int i = 0; i < NENGINES * NTHREADS; ++i) {
        jobs[i] = (job_t){.scenario = scenario,
                .engine = engines[i % NENGINES],
                .shared = shared[i % NENGINES],
                .expected = expected,
                .nfailures = &nfailures};
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0) break;
        ++nstarted;
    }
    for (int i = 0; i < nstarted; ++i) pthread_join(threads[i], NULL);
    return nfailures + (nstarted != NENGINES * NTHREADS);
}

static prim_status_t open_shared(shared_t *shared, prim_engine_t *engine)
{
    prim_status_t st = test_pool_stream_create(&shared->ordered, engine);
    if (st == PRIM_SUCCESS)
        st = prim_stream_create(
                &shared->profiled, engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING);
    if (st != PRIM_SUCCESS) return st;
    st = prim_stream_create(&shared->unordered, engine, PRIM_STREAM_OUT_OF_ORDER);
    if (st != PRIM_UNIMPLEMENTED) return st;
    shared->unordered = shared->ordered;
    return PRIM_SUCCESS;
}

static void close_shared(const shared_t *shared)
{
    if (shared->unordered != shared->ordered) prim_stream_destroy(shared->unordered);
    prim_stream_destroy(shared->ordered);
    prim_stream_destroy(shared->profiled);
}

typedef struct {
    int index; ///< of the thread
    prim_engine_t *engine;
    shared_t shared;
    const uint64_t *expected; ///< by scenario
    prim_engine_kind_t kind;
    int nfailures;
} mixed_t;

static bool create_all(case_t *cases, prim_engine_t *engine)
{
    for (int i = 0; i < nscenarios; ++i)
        if (scenario_open(&cases[i], &scenarios[i], engine) != PRIM_SUCCESS) return false;
    return true;
}

/// Executes a few different primitives one after the other, waits once, and looks at one result.
static bool batch_is_right(
        const case_t *cases, const uint64_t *expected, prim_stream_t *stream, int first)
{
    bool is_good = true;
    for (int i = 0; i < BATCH; ++i) {
        const case_t *const c = &cases[(first + i) % nscenarios];
        is_good = is_good && prim_execute(c->primitive, stream, c->nargs, c->args) == PRIM_SUCCESS;
    }
    uint64_t sum = 0;
    const int looked_at = (first + first / BATCH % BATCH) % nscenarios;
    return is_good && prim_stream_wait(stream) == PRIM_SUCCESS &&
           scenario_checksum(&cases[looked_at], &sum) == PRIM_SUCCESS && sum == expected[looked_at];
}

static bool prepare_two(prim_engine_t *engine, int first)
{
    prim_desc_t *pds[2] = {NULL};
    bool is_good = true;
    for (int i = 0; i < 2; ++i)
        is_good = is_good && scenario_create_desc(&pds[i], &scenarios[(first + i) % nscenarios],
                                     engine) == PRIM_SUCCESS;
    is_good = is_good && prim_prepare(engine, 2, pds) == PRIM_SUCCESS;
    for (int i = 0; i < 2; ++i) prim_desc_destroy(pds[i]);
    return is_good;
}

static bool open_another_engine(prim_engine_kind_t kind)
{
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    const bool is_good = prim_engine_create(&engine, kind, 0) == PRIM_SUCCESS &&
                         prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER) == PRIM_SUCCESS;
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return is_good;
}

/// What other threads may do meanwhile.
static bool disturb(const mixed_t *job, case_t *cases, int round)
{
    case_t *const renewed = &cases[round % nscenarios];
    int count = 0;
    prim_memory_stats_t stats;
    switch ((round + job->index) % 8) {
    case 0: return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS;
    case 1: return prim_set_primitive_cache_capacity(1024) == PRIM_SUCCESS;
    case 2: return prepare_two(job->engine, round);
    case 3: return open_another_engine(job->kind);
    case 4: return prim_stream_get_profile(job->shared.profiled, &count, NULL) == PRIM_SUCCESS;
    case 5:
        if (job->kind == PRIM_CPU) break; // keeps none
        return prim_engine_trim_memory(job->engine) == PRIM_SUCCESS &&
               prim_engine_get_memory_stats(job->engine, &stats) == PRIM_SUCCESS;
    case 6: return prim_set_verbose(round % 2 ? "none" : "error") == PRIM_SUCCESS;
    default: break;
    }
    scenario_close(renewed);
    *renewed = (case_t){0};
    return scenario_open(renewed, &scenarios[round % nscenarios], job->engine) == PRIM_SUCCESS;
}

static void *work_mixed(void *arg)
{
    mixed_t *const job = arg;
    case_t cases[MAX_SCENARIOS] = {0};
    prim_stream_t *own = NULL;
    if (test_pool_stream_create(&own, job->engine) != PRIM_SUCCESS ||
            !create_all(cases, job->engine)) {
        job->nfailures = NMIXED;
    }
    for (int i = 0; job->nfailures < NMIXED && i < NMIXED; i += BATCH) {
        prim_stream_t *const streams[] = {
                own, job->shared.ordered, job->shared.unordered, job->shared.profiled};
        const bool is_good =
                batch_is_right(cases, job->expected, streams[i / BATCH % 4], i + job->index);
        job->nfailures += !is_good;
        if (i / BATCH % 8 == 7) job->nfailures += !disturb(job, cases, i / BATCH / 8);
    }
    for (int i = 0; i < nscenarios; ++i) scenario_close(&cases[i]);
    prim_stream_destroy(own);
    return NULL;
}

/// Number of failures.
static int run_mixed(prim_engine_kind_t kind, prim_engine_t *const *engines, const shared_t *shared)
{
    uint64_t expected[MAX_SCENARIOS];
    mixed_t jobs[NENGINES * NTHREADS];
    pthread_t threads[NENGINES * NTHREADS];
    for (int i = 0; i < nscenarios; ++i)
        if (!expected_sum(&expected[i], &scenarios[i], engines[0])) return 1;
    int nstarted = 0, nfailures = 0;
    for (int i = 0; i < NENGINES * NTHREADS; ++i) {
        const int e = i % NENGINES;
        jobs[i] = (mixed_t){i, engines[e], shared[e], expected, kind, 0};
        if (pthread_create(&threads[i], NULL, work_mixed, &jobs[i]) != 0) break;
        ++nstarted;
    }
    for (int i = 0; i < nstarted; ++i) {
        pthread_join(threads[i], NULL);
        nfailures += jobs[i].nfailures;
    }
    return nfailures + (nstarted != NENGINES * NTHREADS);
}

int main(int argc, char **argv)
{
    const prim_engine_kind_t kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? PRIM_GPU : PRIM_CPU;
    prim_engine_t *engines[NENGINES] = {NULL};
    shared_t shared[NENGINES] = {{NULL, NULL, NULL}};
    if (!scenarios_read(kind)) return 2;
    for (int i = 0; i < NENGINES; ++i) {
        if (prim_engine_create(&engines[i], kind, 0) != PRIM_SUCCESS ||
                open_shared(&shared[i], engines[i]) != PRIM_SUCCESS) {
            printf("%s\n", prim_last_error());
            return 2;
        }
    }
    int npassed = 0;
    for (int i = 0; i < nscenarios; ++i) {
        const int nfailures = run_scenario(&scenarios[i], engines, shared);
        printf("%-4s %s: %d engines x %d threads x %d runs, %d failures\n",
                nfailures ? "BAD" : "ok", scenarios[i].name, NENGINES, NTHREADS, NRUNS, nfailures);
        npassed += nfailures == 0;
    }
    const int nfailures = run_mixed(kind, engines, shared);
    printf("%-4s mixed: %d engines x %d threads x %d runs, %d failures\n", nfailures ? "BAD" : "ok",
            NENGINES, NTHREADS, NMIXED, nfailures);
    npassed += nfailures == 0;
    for (int i = 0; i < NENGINES; ++i) {
        close_shared(&shared[i]);
        prim_engine_destroy(engines[i]);
    }
    printf("%d passed, %d failed\n", npassed, nscenarios + 1 - npassed);
    return npassed != nscenarios + 1;
}
