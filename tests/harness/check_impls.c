// SPDX-License-Identifier: Apache-2.0
// check_impls BENCHDNN ENGINE [SEED [COUNT [DRIVER [PART]]]]: walks the implementation lists of an
// engine and runs every implementation over random problems through benchdnn, whose references are
// its own: against the reference, then twice for equal bits. An implementation that accepts nothing
// fails. PART of a name leaves the implementations that have it in theirs.
#define _POSIX_C_SOURCE 200809L // popen, getpid
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/impl.h"
#include "problem_gen.h"

typedef struct {
    int tests, passed, skipped, mistrusted, unimplemented, invalid, failed;
} totals_t;

typedef struct {
    const char *benchdnn, *engine;
    prim_engine_kind_t kind;
    uint32_t seed;
    int count, nimages; ///< problems in buffers, and in images
    char batch[64];     ///< path of the file with the problems
} plan_t;

static void write_lines(FILE *file, const plan_t *plan, int n,
        void (*generate)(char *line, size_t line_bytes, uint32_t *seed))
{
    uint32_t seed = plan->seed;
    for (int i = 0; i < n; ++i) {
        char line[1024] = "";
        generate(line, sizeof line, &seed);
        fprintf(file, "--reset%s\n", line);
    }
}

static bool write_batch(plan_t *plan, const generator_t *generator)
{
    FILE *const file = fopen(plan->batch, "w");
    if (!file) return false;
    write_lines(file, plan, plan->count, generator->generate);
    plan->nimages = plan->kind == PRIM_GPU && generator->generate_image ? 4 + plan->count / 4 : 0;
    write_lines(file, plan, plan->nimages, generator->generate_image);
    return fclose(file) == 0;
}

/// Runs benchdnn over the batch with one implementation; prints what failed with its repro line.
static bool run(totals_t *totals, const plan_t *plan, const char *driver, const char *impl,
        const char *mode)
{
    char command[1024];
    snprintf(command, sizeof command,
            "%s --mode=%s --engine=%s --global-impl=%s --%s --batch=%s 2>&1", plan->benchdnn, mode,
            plan->engine, impl, driver, plan->batch);
    FILE *const pipe = popen(command, "r");
    if (!pipe) return false;
    char line[2048];
    bool is_summed = false;
    while (fgets(line, sizeof line, pipe)) {
        totals_t t = {0};
        const int n = sscanf(line,
                "tests:%d passed:%d skipped:%d mistrusted:%d unimplemented:%d invalid_arguments:%d "
                "failed:%d",
                &t.tests, &t.passed, &t.skipped, &t.mistrusted, &t.unimplemented, &t.invalid,
                &t.failed);
        if (n == 7) {
            *totals = t;
            is_summed = true;
        } else if (strstr(line, "FAILED") || strstr(line, "UNIMPLEMENTED") ||
                   strstr(line, "INVALID_ARG") || strstr(line, "ERROR") || strstr(line, "rror:")) {
            fputs(line, stdout);
        }
    }
    const int status = pclose(pipe);
    if (!is_summed) printf("%s ended without a summary (status %d)\n", command, status);
    return is_summed && status == 0;
}

/// Whether the implementation declined for want of something in the device: by the convention of
/// doc/opencl_kernels.md its sentence begins with "the device has no".
static bool needs_other_device(const plan_t *plan, const char *driver, const char *impl)
{
    char command[1024];
    snprintf(command, sizeof command,
            "PRIM_VERBOSE=dispatch %s --mode=I --engine=%s --global-impl=%s --%s --batch=%s 2>&1",
            plan->benchdnn, plan->engine, impl, driver, plan->batch);
    FILE *const pipe = popen(command, "r");
    if (!pipe) return false;
    char line[4096];
    bool found = false;
    while (fgets(line, sizeof line, pipe)) {
        const char *const name = strstr(line, impl);
        found = found || (name && strstr(name, "the device has no "));
    }
    pclose(pipe);
    return found;
}

static int accepted(const totals_t *totals)
{
    return totals->passed + totals->mistrusted;
}

/// Batch after batch, until there is one of which the implementation accepts something.
static bool check(const plan_t *first, const generator_t *generator, const impl_t *impl)
{
    enum { max_batches = 12 };
    plan_t plan = *first;
    totals_t once = {0}, twice = {0};
    bool is_right = true;
    for (int i = 0; i < max_batches && is_right && accepted(&once) == 0; ++i) {
        plan.seed = first->seed + (uint32_t)i;
        if (!write_batch(&plan, generator)) return false;
        is_right = run(&once, &plan, generator->driver, impl->name, "C");
        if (i == 0 && is_right && accepted(&once) == 0 &&
                needs_other_device(&plan, generator->driver, impl->name)) {
            printf("ok   %-28s needs what this device has not\n", impl->name);
            return true;
        }
    }
    const bool is_steady = run(&twice, &plan, generator->driver, impl->name, "B");
    const bool is_whole = once.tests == plan.count + plan.nimages;
    const bool is_good = is_right && is_steady && accepted(&once) > 0 && is_whole;
    printf("%-4s %-28s accepted %d of %d, passed %d, failed %d, other bits %d%s\n",
            is_good ? "ok" : "BAD", impl->name, accepted(&once), once.tests, once.passed,
            once.failed, twice.failed, accepted(&once) > 0 ? "" : " (nobody can reach it)");
    fflush(stdout);
    return is_good;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: check_impls BENCHDNN ENGINE [SEED [COUNT [DRIVER [PART]]]]\n");
        return 2;
    }
    plan_t plan = {.benchdnn = argv[1], .engine = argv[2]};
    plan.seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1;
    plan.count = argc > 4 ? atoi(argv[4]) : 60;
    const char *const only = argc > 5 ? argv[5] : NULL;
    const char *const part = argc > 6 ? argv[6] : "";
    snprintf(plan.batch, sizeof plan.batch, "check_impls_%ld.batch", (long)getpid());
    plan.kind = strncmp(plan.engine, "cpu", 3) == 0 ? PRIM_CPU : PRIM_GPU;
    int passed = 0, failed = 0;
    for (int i = 0; i < problem_ngenerators; ++i) {
        const generator_t *const generator = &problem_generators[i];
        if (only && strcmp(only, generator->driver) != 0) continue;
        const impl_t *const *const list = prim__impl_list(plan.kind, generator->kind);
        if (!list[0]) {
            printf("BAD  %s has no implementation\n", generator->driver);
            ++failed;
        }
        for (int k = 0; list[k]; ++k) {
            if (strstr(list[k]->name, part)) check(&plan, generator, list[k]) ? ++passed : ++failed;
        }
    }
    remove(plan.batch);
    printf("seed %u, %d problems an operation\n%d passed, %d failed\n", plan.seed, plan.count,
            passed, failed);
    return failed != 0 || passed == 0;
}
