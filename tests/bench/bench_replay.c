// SPDX-License-Identifier: Apache-2.0
// Host time to execute a network's primitives one by one, against replaying a recording of them;
// times end where everything is submitted, the wait is not in them. Also the times with the wait.
// It stands in the place of the examples' net_main(), so any of their networks can be linked to it.
// Run: bench_replay [cpu | gpu] [rounds]. Fails if the results differ.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <math.h>
#include <string.h>
#include <time.h>

#include "nets/net.h"

enum { MAX_ROUNDS = 1000 };

typedef struct {
    net_t *net;
    prim_recording_t *recording; ///< NULL: execute one by one
    double submit_us[MAX_ROUNDS], total_us[MAX_ROUNDS];
} way_t;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void run(way_t *way, int round)
{
    prim_stream_t *const stream = net_stream(way->net);
    const double start = now_us();
    if (way->recording)
        DO(prim_recording_replay(way->recording, stream, 0, NULL));
    else
        net_submit(way->net);
    way->submit_us[round] = now_us() - start;
    DO(prim_stream_wait(stream));
    way->total_us[round] = now_us() - start;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The median; sorts.
static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

static prim_recording_t *record(net_t *net)
{
    prim_recording_t *recording = NULL;
    DO(prim_recording_begin(net_stream(net)));
    net_submit(net);
    DO(prim_recording_end(&recording, net_stream(net)));
    return recording;
}

/// Whether a replay, after the output was spoilt, gives the bits that the executions gave.
static bool agrees(way_t *executed, way_t *replayed, net_tensor_t output)
{
    size_t n = 0;
    prim_memory_t *const memory = net_memory(executed->net, output, &n);
    const size_t bytes = n * sizeof(float);
    char *const values = malloc(2 * bytes);
    if (!values) exit(1);
    run(executed, 0);
    DO(prim_memory_read(memory, values, bytes, 0));
    memset(values + bytes, 0xff, bytes);
    DO(prim_memory_write(memory, values + bytes, bytes, 0));
    run(replayed, 0);
    DO(prim_memory_read(memory, values + bytes, bytes, 0));
    const bool is_same = memcmp(values, values + bytes, bytes) == 0;
    free(values);
    return is_same;
}

static void report(const char *name, way_t *executed, way_t *replayed, int nrounds)
{
    const int n = net_nprimitives(executed->net);
    const double execute_us = median(executed->submit_us, nrounds);
    const double replay_us = median(replayed->submit_us, nrounds);
    printf("%s: host time of %d executions %.1f us (best %.1f), of a replay %.1f us (best %.1f): "
           "ratio %.2f (of the best %.2f); with the wait %.1f us and %.1f us\n",
            name, n, execute_us, executed->submit_us[0], replay_us, replayed->submit_us[0],
            execute_us / replay_us, executed->submit_us[0] / replayed->submit_us[0],
            median(executed->total_us, nrounds), median(replayed->total_us, nrounds));
}

int net_main(int argc, char **argv, const char *name, const char *unit, net_builder_t build)
{
    (void)unit;
    static way_t executed, replayed;
    const int wanted = argc > 2 ? atoi(argv[2]) : 100;
    const int nrounds = wanted < 1 ? 1 : wanted > MAX_ROUNDS ? MAX_ROUNDS : wanted;
    prim_engine_t *const engine = example_engine(argc, argv);
    net_t *const net = net_create(engine, PRIM_F32, 2026, true);
    net_tensor_t output = build(net, 1);
    net_output(net, &output);
    net_compile(net);
    executed.net = replayed.net = net;
    replayed.recording = record(net);
    const bool is_same = agrees(&executed, &replayed, output);
    for (int i = 0; i < nrounds; ++i) {
        run(&executed, i);
        run(&replayed, i);
    }
    printf("%s, ", prim_engine_name(engine));
    report(name, &executed, &replayed, nrounds);
    if (!is_same) printf("the results DIFFER\n");
    prim_recording_destroy(replayed.recording);
    net_destroy(net);
    prim_engine_destroy(engine);
    return is_same ? 0 : 1;
}
