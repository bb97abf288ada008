// SPDX-License-Identifier: Apache-2.0
// threads [cpu | gpu]: one primitive of each operation, executed by several threads at once on
// streams of their own and on two shared ones, in order and out of order, with outputs of their
// own; two engines (contexts) at a time; creation of the same primitive by all threads at once. All
// results must have the same bits.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "scenario.h"

enum { NENGINES = 2, NTHREADS = 4, NRUNS = 21, NSTREAMS = 3 };

/// The streams that all threads of an engine share.
typedef struct {
    prim_stream_t *ordered;
    prim_stream_t *unordered; ///< the ordered one where the engine has no other
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
    return case_run(c, stream) == PRIM_SUCCESS && case_checksum(c, &sum) == PRIM_SUCCESS &&
           sum == expected;
}

static void *work(void *arg)
{
    const job_t *const job = arg;
    prim_stream_t *stream = NULL;
    case_t c;
    if (prim_stream_create(&stream, job->engine, PRIM_STREAM_IN_ORDER) != PRIM_SUCCESS ||
            case_create(&c, job->scenario, job->engine) != PRIM_SUCCESS) {
        atomic_fetch_add(job->nfailures, 1);
        prim_stream_destroy(stream);
        return NULL;
    }
    prim_stream_t *const streams[NSTREAMS] = {stream, job->shared.ordered, job->shared.unordered};
    for (int i = 0; i < NRUNS; ++i)
        if (!runs_right(&c, streams[i % NSTREAMS], job->expected))
            atomic_fetch_add(job->nfailures, 1);
    case_destroy(&c);
    prim_stream_destroy(stream);
    return NULL;
}

/// What one thread alone computes.
static bool expected_sum(uint64_t *sum, const scenario_t *scenario, prim_engine_t *engine)
{
    prim_stream_t *stream = NULL;
    case_t c;
    if (prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER) != PRIM_SUCCESS) return false;
    bool is_good = case_create(&c, scenario, engine) == PRIM_SUCCESS;
    if (is_good) {
        is_good = case_run(&c, stream) == PRIM_SUCCESS && case_checksum(&c, sum) == PRIM_SUCCESS;
        case_destroy(&c);
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
    prim_status_t st = prim_stream_create(&shared->ordered, engine, PRIM_STREAM_IN_ORDER);
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
}

int main(int argc, char **argv)
{
    const prim_engine_kind_t kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? PRIM_GPU : PRIM_CPU;
    prim_engine_t *engines[NENGINES] = {NULL};
    shared_t shared[NENGINES] = {{NULL, NULL}};
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
    for (int i = 0; i < NENGINES; ++i) {
        close_shared(&shared[i]);
        prim_engine_destroy(engines[i]);
    }
    printf("%d passed, %d failed\n", npassed, nscenarios - npassed);
    return npassed != nscenarios;
}
