// SPDX-License-Identifier: Apache-2.0
// threads [cpu | gpu]: one primitive of each operation, executed by several threads at once on
// streams of their own and on a shared one, with outputs of their own; two engines (contexts) at a
// time; creation of the same primitive by all threads at once. All results must have the same bits.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "scenario.h"

enum { NENGINES = 2, NTHREADS = 4, NRUNS = 20 };

typedef struct {
    const scenario_t *scenario;
    prim_engine_t *engine;
    prim_stream_t *shared_stream;
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
    for (int i = 0; i < NRUNS; ++i)
        if (!runs_right(&c, i % 2 ? stream : job->shared_stream, job->expected))
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
        const scenario_t *scenario, prim_engine_t *const *engines, prim_stream_t *const *streams)
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
                .shared_stream = streams[i % NENGINES],
                .expected = expected,
                .nfailures = &nfailures};
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0) break;
        ++nstarted;
    }
    for (int i = 0; i < nstarted; ++i) pthread_join(threads[i], NULL);
    return nfailures + (nstarted != NENGINES * NTHREADS);
}

int main(int argc, char **argv)
{
    const prim_engine_kind_t kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? PRIM_GPU : PRIM_CPU;
    prim_engine_t *engines[NENGINES] = {NULL};
    prim_stream_t *streams[NENGINES] = {NULL};
    for (int i = 0; i < NENGINES; ++i) {
        if (prim_engine_create(&engines[i], kind, 0) != PRIM_SUCCESS ||
                prim_stream_create(&streams[i], engines[i], PRIM_STREAM_IN_ORDER) != PRIM_SUCCESS) {
            printf("%s\n", prim_last_error());
            return 2;
        }
    }
    int npassed = 0;
    for (int i = 0; i < nscenarios; ++i) {
        const int nfailures = run_scenario(&scenarios[i], engines, streams);
        printf("%-4s %s: %d engines x %d threads x %d runs, %d failures\n",
                nfailures ? "BAD" : "ok", scenarios[i].name, NENGINES, NTHREADS, NRUNS, nfailures);
        npassed += nfailures == 0;
    }
    for (int i = 0; i < NENGINES; ++i) {
        prim_stream_destroy(streams[i]);
        prim_engine_destroy(engines[i]);
    }
    printf("%d passed, %d failed\n", npassed, nscenarios - npassed);
    return npassed != nscenarios;
}
