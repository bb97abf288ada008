// SPDX-License-Identifier: Apache-2.0
// thread_counts [DRIVER…]: the CPU engine computes the same bits on any number of threads. Each
// problem of benchdnn/inputs/<driver>/test_<driver>_thread_counts is created and executed on pools
// of one, two and three threads, and on one again, when primitives are planned for three; every
// byte of every argument must be the same.
#include <stdio.h>

#include "scenario.h"
#include "test_pool.h"

enum { NROUNDS = 4 };

static const int nthreads[NROUNDS] = {1, 2, TEST_POOL_MAX, 1};

/// @name Numbers from 0.5 to 2 with digits to lose, so that the order of a sum shows; in src of
/// either sign
/// @{

static uint32_t state;

static uint32_t next_random(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void fill_words(uint32_t *out, size_t n, uint32_t sign)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = 0x3f000000u + next_random() % 0x01000000u;
        if (next_random() & 0x1000u) out[i] |= sign;
    }
}

/// f16 has 2048 such numbers, bf16 256.
static void fill_halves(uint16_t *out, size_t n, bool is_bf16)
{
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint16_t)(is_bf16 ? 0x3f00u + next_random() % 0x100u
                                    : 0x3800u + next_random() % 0x800u);
}

static void fill_bytes(uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = (uint8_t)(next_random() % 0x80u);
}

/// @}

static prim_status_t fill(const prim_arg_t *arg)
{
    prim_memory_t *const memory = arg->memory;
    const prim_memory_desc_t *const md = prim_memory_get_desc(memory);
    const size_t bytes = prim_memory_desc_get_size(md);
    void *data = NULL;
    const prim_status_t st = prim_memory_map_data(memory, &data);
    if (st != PRIM_SUCCESS) return st;
    if (md->data_type == PRIM_F32)
        fill_words(data, bytes / sizeof(uint32_t), arg->arg == PRIM_ARG_SRC ? 0x80000000u : 0);
    else if (md->data_type == PRIM_F16 || md->data_type == PRIM_BF16)
        fill_halves(data, bytes / sizeof(uint16_t), md->data_type == PRIM_BF16);
    else
        fill_bytes(data, bytes);
    return prim_memory_unmap_data(memory, data);
}

/// A checksum of all arguments (FNV-1a).
static prim_status_t sum_args(uint64_t *sum, case_t *c)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < c->nargs; ++i) {
        c->dst = c->args[i].memory;
        uint64_t part = 0;
        const prim_status_t st = scenario_checksum(c, &part);
        if (st != PRIM_SUCCESS) return st;
        hash = (hash ^ part) * 0x100000001b3u;
    }
    *sum = hash;
    return PRIM_SUCCESS;
}

/// What one problem leaves on the stream; 0 after a sentence when it does not run.
static uint64_t run(const scenario_t *scenario, prim_engine_t *engine, prim_stream_t *stream)
{
    case_t c = {0};
    uint64_t sum = 0;
    state = 1; // every round draws the same numbers
    prim_status_t st = scenario_open(&c, scenario, engine);
    for (int i = 0; st == PRIM_SUCCESS && i < c.nargs; ++i) st = fill(&c.args[i]);
    if (st == PRIM_SUCCESS) st = scenario_run(&c, stream);
    if (st == PRIM_SUCCESS) st = sum_args(&sum, &c);
    if (st != PRIM_SUCCESS) printf("%s: %s\n", scenario->name, prim_last_error());
    scenario_close(&c);
    return sum;
}

static void run_all(uint64_t *sums, prim_engine_t *engine, int nthr)
{
    prim_stream_t *stream = NULL;
    if (test_pool_stream_create_of(&stream, engine, nthr) != PRIM_SUCCESS) {
        printf("%s\n", prim_last_error());
        return;
    }
    for (int i = 0; i < nscenarios; ++i) sums[i] = run(&scenarios[i], engine, stream);
    prim_stream_destroy(stream);
}

/// Number of problems with differing results.
static int report(uint64_t (*sums)[MAX_SCENARIOS])
{
    int nfailures = 0;
    for (int i = 0; i < nscenarios; ++i) {
        bool is_same = sums[0][i] != 0;
        for (int k = 1; k < NROUNDS; ++k) is_same = is_same && sums[k][i] == sums[0][i];
        printf("%-4s %s\n", is_same ? "ok" : "BAD", scenarios[i].name);
        nfailures += !is_same;
    }
    return nfailures;
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"matmul", "conv", "deconv", "ip", "softmax", "bnorm", "lnorm",
            "gnorm", "reduction", "pool", "lrn", "prelu", "resampling"};
    static uint64_t sums[NROUNDS][MAX_SCENARIOS];
    const char *const *const drivers = argc > 1 ? (const char *const *)&argv[1] : all;
    const int ndrivers = argc > 1 ? argc - 1 : (int)(sizeof all / sizeof *all);
    prim_engine_t *engine = NULL;
    if (!scenarios_read_set(PRIM_CPU, "thread_counts", drivers, ndrivers)) return 2;
    // A primitive of the cache was planned for the threads of its first round.
    if (prim_set_primitive_cache_capacity(0) != PRIM_SUCCESS ||
            prim_engine_create(&engine, PRIM_CPU, 0) != PRIM_SUCCESS) {
        printf("%s\n", prim_last_error());
        return 2;
    }
    for (int k = 0; k < NROUNDS; ++k) run_all(sums[k], engine, nthreads[k]);
    prim_engine_destroy(engine);
    const int nfailures = report(sums);
    printf("%d passed, %d failed\n", nscenarios - nfailures, nfailures);
    return nfailures != 0 || nscenarios == 0;
}
