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

/// What the command line asks for.
typedef struct {
    const char *name, *unit;
    net_builder_t build;
    prim_dim_t batch;
    prim_data_type_t type; ///< on the GPU engine; on the CPU engine where that runs alone
    bool folds_norm, uses_cpu, uses_gpu;
} options_t;

/// The output of one engine, for free(), and its expected error.
typedef struct {
    float *values;
    size_t n;
    double expected_error;
} result_t;

/// Builds, runs and times the network on one engine.
static result_t evaluate(const options_t *o, prim_engine_kind_t kind, prim_data_type_t type)
{
    prim_engine_t *engine = NULL;
    DO(prim_engine_create(&engine, kind, 0));
    net_t *const net = net_create(engine, type, 2026, o->folds_norm);
    net_tensor_t output = o->build(net, o->batch);
    net_output(net, &output);
    net_compile(net);
    net_run(net);
    result_t result = {0};
    prim_memory_t *const memory = net_memory(net, output, &result.n);
    result.values = malloc(result.n * sizeof *result.values);
    if (!result.values) exit(1);
    DO(prim_memory_read(memory, result.values, result.n * sizeof *result.values, 0));
    result.expected_error = net_expected_error(net);
    const double seconds = best_time(net);
    printf("  %s %-40s %4s, %4d primitives, %6.1f MB weights, %6.1f MB activations and "
           "scratchpads: "
           "%.2f %s/s\n",
            prim_engine_kind_name(kind), prim_engine_name(engine), prim_data_type_name(type),
            net_nprimitives(net), (double)net_weight_bytes(net) / 1e6,
            (double)net_activation_bytes(net) / 1e6, (double)o->batch / seconds, o->unit);
    if (kind == PRIM_GPU) print_memory(net, engine);
    net_destroy(net);
    prim_engine_destroy(engine);
    return result;
}

/// One argument; false: it is none of ours.
static bool read_argument(options_t *o, const char *word)
{
    if (strcmp(word, "--keep-norm") == 0) {
        o->folds_norm = false;
    } else if (strncmp(word, "--batch=", 8) == 0 && atoi(word + 8) > 0) {
        o->batch = atoi(word + 8);
    } else if (strcmp(word, "--engine=cpu") == 0) {
        o->uses_gpu = false;
    } else if (strcmp(word, "--engine=gpu") == 0) {
        o->uses_cpu = false;
    } else {
        return strncmp(word, "--type=", 7) == 0 && example_type(&o->type, word + 7);
    }
    return true;
}

/// Whether the outputs of both engines are as close as their roundings allow.
static bool compare(const result_t *cpu, const result_t *gpu)
{
    double diff2 = 0, norm2 = 0;
    for (size_t i = 0; i < cpu->n; ++i) {
        diff2 += pow((double)cpu->values[i] - (double)gpu->values[i], 2);
        norm2 += pow((double)cpu->values[i], 2);
    }
    const double error = sqrt(diff2 / norm2); // NaN when the output is all zeros: it does not agree
    const double tolerance = 2 * hypot(cpu->expected_error, gpu->expected_error);
    const bool agrees = error <= tolerance;
    printf("  engines %s: relative difference %.2e, derived tolerance %.2e\n",
            agrees ? "agree" : "DISAGREE", error, tolerance);
    return agrees;
}

static int run(const options_t *o)
{
    result_t cpu = {0}, gpu = {0};
    const bool has_gpu = prim_engine_get_count(PRIM_GPU) > 0;
    if (o->uses_cpu) cpu = evaluate(o, PRIM_CPU, o->uses_gpu ? PRIM_F32 : o->type);
    if (o->uses_gpu && has_gpu) gpu = evaluate(o, PRIM_GPU, o->type);
    int status = 0;
    if (o->uses_gpu && !has_gpu) {
        printf("skipped: there is no gpu engine\n");
        status = EXAMPLE_SKIPPED;
    } else if (o->uses_cpu && o->uses_gpu) {
        status = compare(&cpu, &gpu) ? 0 : 1;
    }
    free(cpu.values);
    free(gpu.values);
    return status;
}

int net_main(int argc, char **argv, const char *name, const char *unit, net_builder_t build)
{
    options_t o = {name, unit, build, 1, PRIM_F32, true, true, true};
    for (int i = 1; i < argc; ++i) {
        if (read_argument(&o, argv[i])) continue;
        fprintf(stderr,
                "usage: %s [--keep-norm] [--batch=N] [--type=f32|f16|bf16] [--engine=cpu|gpu]\n",
                argv[0]);
        return 2;
    }
    printf("%s, batch %d, batch normalisation %s\n", name, (int)o.batch,
            o.folds_norm ? "folded" : "kept");
    return run(&o);
}
