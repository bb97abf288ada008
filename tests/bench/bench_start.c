// SPDX-License-Identifier: Apache-2.0
// What a first run and a later one wait for: one primitive of every operation is created and run
// once, in a new process each time. Cold: empty caches, Prim's and the driver's. Stored: the same,
// but with Prim's folder filled. Warm: with both. Off: without Prim's cache, for what filling
// costs. Run: bench_start [runs]
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/scenario.h"

enum { FIRST = 0, CREATE = 1, NTIMES = 2 };

typedef struct {
    double ms[MAX_SCENARIOS][NTIMES]; ///< creation; creation and first execution
    int nbuilt, nloaded;
} result_t;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void count(void *user, const char *line)
{
    result_t *const result = user;
    if (!strstr(line, ",ocl,build,")) return;
    result->nbuilt += strstr(line, ",source,") != NULL;
    result->nloaded += strstr(line, ",disk,") != NULL;
}

/// The child: measures, and writes the result to `fd`. Negative times: not asked for, or not on
/// this device.
static int measure(int fd, const char *part)
{
    static result_t result;
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    prim_set_log_callback(count, &result);
    prim_set_verbose("profile_create");
    if (prim_engine_create(&engine, PRIM_GPU, 0) != PRIM_SUCCESS) return 1;
    if (prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER) != PRIM_SUCCESS) return 1;
    for (int i = 0; i < nscenarios; ++i) {
        case_t c = {0};
        const double start = now_ms();
        result.ms[i][FIRST] = result.ms[i][CREATE] = -1;
        if (!strstr(scenarios[i].name, part)) continue;
        if (scenario_open(&c, &scenarios[i], engine) != PRIM_SUCCESS) continue;
        result.ms[i][CREATE] = now_ms() - start;
        if (scenario_run(&c, stream) == PRIM_SUCCESS) result.ms[i][FIRST] = now_ms() - start;
        scenario_close(&c);
    }
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return write(fd, &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static void empty(const char *folder)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    (void)mkdir(folder, 0700);
}

/// Runs this program as a child with the two folders; POCL_CACHE_DIR is that of PoCL, other drivers
/// have their own and stay as they are.
static int run_child(const char *self, const char *part, const char *prim_folder,
        const char *driver_folder, result_t *result)
{
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        char fd[16];
        snprintf(fd, sizeof fd, "%d", ends[1]);
        setenv("PRIM_CACHE_DIR", prim_folder, 1);
        setenv("POCL_CACHE_DIR", driver_folder, 1);
        execl(self, self, "child", fd, part, (char *)NULL);
        _exit(126);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], result, sizeof *result);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return n == (ssize_t)sizeof *result && status == 0 ? 0 : 1;
}

typedef struct {
    const char *name;
    bool has_cache, keeps_prim, keeps_driver;
    result_t result; ///< the fastest of all runs, each number for itself
} way_t;

static void keep_fastest(result_t *best, const result_t *now, bool is_first)
{
    if (is_first) *best = *now;
    for (int i = 0; i < nscenarios; ++i)
        for (int t = 0; t < NTIMES; ++t)
            if (now->ms[i][t] < best->ms[i][t]) best->ms[i][t] = now->ms[i][t];
}

static void print_table(const way_t *ways, int nways, int what, const char *title)
{
    double sums[8] = {0};
    printf("\n%-24s", title);
    for (int w = 0; w < nways; ++w) printf("%12s", ways[w].name);
    for (int i = 0; i < nscenarios; ++i) {
        if (ways[0].result.ms[i][what] < 0) continue;
        printf("\n%-24.24s", scenarios[i].name);
        for (int w = 0; w < nways; ++w) {
            printf("%12.2f", ways[w].result.ms[i][what]);
            sums[w] += ways[w].result.ms[i][what];
        }
    }
    printf("\n%-24s", "sum");
    for (int w = 0; w < nways; ++w) printf("%12.2f", sums[w]);
    printf("\n%-24s", "cold over it");
    for (int w = 0; w < nways; ++w) printf("%12.1f", sums[1] / (sums[w] > 0 ? sums[w] : 1));
    printf("\n");
}

int main(int argc, char **argv)
{
    if (!scenarios_read(PRIM_GPU)) return 1;
    if (argc == 4 && strcmp(argv[1], "child") == 0) return measure(atoi(argv[2]), argv[3]);
    const char *const part = argc > 2 ? argv[2] : "";
    const int nruns = argc > 1 ? atoi(argv[1]) : 1;
    static way_t ways[] = {{.name = "off"}, {.name = "cold", .has_cache = true},
            {.name = "stored", .has_cache = true, .keeps_prim = true},
            {.name = "warm", .has_cache = true, .keeps_prim = true, .keeps_driver = true}};
    enum { NWAYS = sizeof ways / sizeof ways[0] };
    char root[] = "/tmp/prim_bench_XXXXXX", prim_folder[64], driver_folder[64];
    if (!mkdtemp(root)) return 1;
    snprintf(prim_folder, sizeof prim_folder, "%s/prim", root);
    snprintf(driver_folder, sizeof driver_folder, "%s/driver", root);
    int failed = 0;
    for (int run = 0; run < nruns && !failed; ++run)
        for (int w = 0; w < NWAYS && !failed; ++w) {
            result_t now;
            if (!ways[w].keeps_prim) empty(prim_folder);
            if (!ways[w].keeps_driver) empty(driver_folder);
            failed = run_child(
                    argv[0], part, ways[w].has_cache ? prim_folder : "", driver_folder, &now);
            if (!failed) keep_fastest(&ways[w].result, &now, run == 0);
        }
    (void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (failed) return 1;
    print_table(ways, NWAYS, CREATE, "creation, ms");
    print_table(ways, NWAYS, FIRST, "creation and run, ms");
    for (int w = 0; w < NWAYS; ++w)
        printf("%-8s %d programs built, %d loaded\n", ways[w].name, ways[w].result.nbuilt,
                ways[w].result.nloaded);
    return ways[2].result.nbuilt != 0 || ways[3].result.nbuilt != 0;
}
