// SPDX-License-Identifier: Apache-2.0
// The main() that the network examples share: both engines, agreement, images per second.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <math.h>
#include <string.h>
#include <time.h>

#include "net.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Seconds of one run: the best of at least three, about a second in all.
static double best_time(net_t *net)
{
    double best = INFINITY;
    const double start = now_s();
    for (int i = 0; i < 3 || (i < 50 && now_s() - start < 1); ++i) {
        const double begin = now_s();
        net_run(net);
        best = fmin(best, now_s() - begin);
    }
    return best;
}

static double percent_more(uint64_t bytes, uint64_t than)
{
    return 100 * ((double)bytes / (double)than - 1);
}

/// What the engine holds from the device against what the tensors of the network need.
static void print_memory(const net_t *net, prim_engine_t *engine)
{
    const uint64_t needed = net_weight_bytes(net) + net_live_bytes(net);
    prim_memory_stats_t stats;
    DO(prim_engine_get_memory_stats(engine, &stats));
    const uint64_t peak = stats.peak_reserved_bytes;
    DO(prim_engine_trim_memory(engine)); // what building the network has left
    DO(prim_engine_get_memory_stats(engine, &stats));
    printf("      %.1f MB of tensors alive at once; the engine holds %.1f MB (%.1f %% more) in "
           "%llu "
           "buffers, %.1f MB (%.1f %%) at the peak\n",
            (double)needed / 1e6, (double)stats.reserved_bytes / 1e6,
            percent_more(stats.reserved_bytes, needed), (unsigned long long)stats.nbuffers,
            (double)peak / 1e6, percent_more(peak, needed));
}

/// Builds, runs and times the network on one engine; returns the output (the caller frees it).
static float *evaluate(prim_engine_kind_t kind, bool folds_norm, prim_dim_t batch,
        net_builder_t build, size_t *nelems, double *expected_error)
{
    prim_engine_t *engine = NULL;
    DO(prim_engine_create(&engine, kind, 0));
    net_t *const net = net_create(engine, 2026, folds_norm);
    net_tensor_t output = build(net, batch);
    net_output(net, &output);
    net_compile(net);
    net_run(net);
    prim_memory_t *const memory = net_memory(net, output, nelems);
    float *const values = malloc(*nelems * sizeof *values);
    if (!values) exit(1);
    DO(prim_memory_read(memory, values, *nelems * sizeof *values, 0));
    *expected_error = net_expected_error(net);
    const double seconds = best_time(net);
    printf("  %s %-40s %4d primitives, %6.1f MB weights, %6.1f MB activations: %8.2f images/s\n",
            prim_engine_kind_name(kind), prim_engine_name(engine), net_nprimitives(net),
            (double)net_weight_bytes(net) / 1e6, (double)net_activation_bytes(net) / 1e6,
            (double)batch / seconds);
    if (kind == PRIM_GPU) print_memory(net, engine);
    net_destroy(net);
    prim_engine_destroy(engine);
    return values;
}

int net_main(int argc, char **argv, const char *name, net_builder_t build)
{
    bool folds_norm = true;
    prim_dim_t batch = 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--keep-norm") == 0) {
            folds_norm = false;
        } else if (strncmp(argv[i], "--batch=", 8) == 0 && atoi(argv[i] + 8) > 0) {
            batch = atoi(argv[i] + 8);
        } else {
            fprintf(stderr, "usage: %s [--keep-norm] [--batch=N]\n", argv[0]);
            return 2;
        }
    }
    printf("%s, batch %d, batch normalisation %s\n", name, (int)batch,
            folds_norm ? "folded" : "kept");
    size_t nelems = 0;
    double cpu_error = 0, gpu_error = 0;
    float *const cpu = evaluate(PRIM_CPU, folds_norm, batch, build, &nelems, &cpu_error);
    if (prim_engine_get_count(PRIM_GPU) == 0) {
        printf("skipped: there is no gpu engine to compare with\n");
        free(cpu);
        return EXAMPLE_SKIPPED;
    }
    float *const gpu = evaluate(PRIM_GPU, folds_norm, batch, build, &nelems, &gpu_error);
    double diff2 = 0, norm2 = 0;
    for (size_t i = 0; i < nelems; ++i) {
        diff2 += pow((double)cpu[i] - (double)gpu[i], 2);
        norm2 += pow((double)cpu[i], 2);
    }
    const double error = sqrt(diff2 / norm2); // NaN when the output is all zeros: fails below
    const double tolerance = 2 * hypot(cpu_error, gpu_error);
    const bool agrees = error <= tolerance;
    printf("  engines %s: relative difference %.2e, derived tolerance %.2e\n",
            agrees ? "agree" : "DISAGREE", error, tolerance);
    free(cpu);
    free(gpu);
    return agrees ? 0 : 1;
}
