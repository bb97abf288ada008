// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // popen, getpid
#include "impl_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PICKS = 400, MAX_ROUNDS = 12 };

/// What is known of a style.
typedef enum { STYLE_NEW, STYLE_BUILT, STYLE_DULL } style_state_t;

/// Which problems of an implementation to run, and what that will have touched.
typedef struct {
    const pool_t *pool;
    impl_result_t *result;
    int impl, nrounds;
    bool is_done;
    int nstyles;                  ///< whose programs may still be built for the options they touch
    int npicks, picks[MAX_PICKS]; ///< that have not run
    int *counts;    ///< of each option: the problems that have it, of those that it takes
    bool *is_used;  ///< of each problem: picked in this round or before
    bool *is_hoped; ///< of each option: touched, or to be touched by the picks
    /// Of each style: its programs are built; problems of it that were run proved nothing.
    unsigned char *styles;
} plan_t;

static unsigned char *state_of(const plan_t *plan, const problem_t *problem)
{
    return &plan->styles[problem->style - plan->pool->first_style];
}

static void take(plan_t *plan, int index)
{
    const problem_t *const problem = &plan->pool->problems[index];
    plan->picks[plan->npicks++] = index;
    plan->is_used[index] = true;
    if (*state_of(plan, problem) == STYLE_NEW) {
        *state_of(plan, problem) = STYLE_BUILT;
        --plan->nstyles;
    }
    for (int k = 0; k < problem->noptions; ++k) plan->is_hoped[problem->options[k]] = true;
}

/// New options of a problem, rare ones first (what has them decides on the others), against the
/// time it takes: a new style compiles new programs, and one that proved nothing will hardly do
/// better with other sizes.
static double worth(const plan_t *plan, const problem_t *problem)
{
    static const double costs[] = {[STYLE_NEW] = 3., [STYLE_BUILT] = 1., [STYLE_DULL] = 100.};
    if (*state_of(plan, problem) == STYLE_NEW && plan->nstyles <= 0) return 0.;
    double gain = 0;
    for (int k = 0; k < problem->noptions; ++k) {
        const int option = problem->options[k];
        if (plan->result->has[option] && !plan->is_hoped[option])
            gain += 1. / (double)plan->counts[option];
    }
    return gain / costs[*state_of(plan, problem)];
}

/// Greedy set cover.
static void pick_for_options(plan_t *plan)
{
    const pool_t *const pool = plan->pool;
    while (plan->npicks < MAX_PICKS) {
        int best = -1;
        double most = 0.;
        for (int i = 0; i < pool->n; ++i) {
            if (plan->is_used[i] || !pool_takes(pool, plan->impl, &pool->problems[i])) continue;
            const double value = worth(plan, &pool->problems[i]);
            if (value <= most) continue;
            best = i;
            most = value;
        }
        if (best < 0) return;
        take(plan, best);
    }
}

/// Fills up to `n` picks: first with sizes of styles that are compiled already.
static void pick_for_number(plan_t *plan, int n)
{
    const pool_t *const pool = plan->pool;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < pool->n && plan->npicks < n; ++i) {
            const problem_t *const problem = &pool->problems[i];
            if (plan->is_used[i] || !pool_takes(pool, plan->impl, problem)) continue;
            if (pass == 1 || *state_of(plan, problem) == STYLE_BUILT) take(plan, i);
        }
}

static bool write_batch(const plan_t *plans, int n, const char *path)
{
    FILE *const file = fopen(path, "w");
    if (!file) return false;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < plans[i].npicks; ++k)
            fprintf(file, "--reset --impl=%s%s\n", plans[i].pool->impls[plans[i].impl].name,
                    plans[i].pool->problems[plans[i].picks[k]].line);
    return fclose(file) == 0;
}

/// As a line of a batch file.
static void print_failed(const plan_t *plan, int index)
{
    printf("failed: --reset --impl=%s%s\n", plan->pool->impls[plan->impl].name,
            plan->pool->problems[index].line);
}

static void count_status(const plan_t *plan, int index, const char *status)
{
    impl_result_t *const result = plan->result;
    const problem_t *const problem = &plan->pool->problems[index];
    ++result->run;
    if (strncmp(status, "PASSED", 6) != 0) *state_of(plan, problem) = STYLE_DULL;
    if (strncmp(status, "PASSED", 6) == 0) {
        ++result->passed;
        for (int k = 0; k < problem->noptions; ++k) result->touched[problem->options[k]] = true;
    } else if (strncmp(status, "MISTRUSTED", 10) == 0) {
        ++result->mistrusted;
        for (int k = 0; k < problem->noptions; ++k) result->doubted[problem->options[k]] = true;
    } else if (strncmp(status, "SKIPPED", 7) == 0) {
        ++result->skipped;
    } else {
        ++result->failed;
        fputs(status, stdout);
        print_failed(plan, index);
    }
}

static bool is_failure(const char *status)
{
    return strncmp(status, "PASSED", 6) != 0 && strncmp(status, "MISTRUSTED", 10) != 0 &&
           strncmp(status, "SKIPPED", 7) != 0;
}

/// Where benchdnn is in a batch: it answers the picks of one plan after the other.
typedef struct {
    plan_t *plans;
    int n, at, pick;
    int first_failed; ///< the first plan with a failure, or `n`
} reader_t;

/// The plan that the next answer is of, or NULL behind the last.
static plan_t *answered(reader_t *reader)
{
    while (reader->at < reader->n && reader->pick == reader->plans[reader->at].npicks) {
        ++reader->at;
        reader->pick = 0;
    }
    return reader->at < reader->n ? &reader->plans[reader->at] : NULL;
}

/// Picks that have been counted become -1. A device that has broken down fails all that follows: a
/// failure of another implementation behind the first one's is left for the next process.
static void read_status(reader_t *reader, const char *status)
{
    plan_t *const plan = answered(reader);
    if (!plan) return;
    int *const pick = &plan->picks[reader->pick++];
    if (is_failure(status)) {
        if (reader->first_failed < reader->at) return;
        reader->first_failed = reader->at;
    }
    count_status(plan, *pick, status);
    *pick = -1;
}

static void drop_counted(plan_t *plan)
{
    int n = 0;
    for (int i = 0; i < plan->npicks; ++i)
        if (plan->picks[i] >= 0) plan->picks[n++] = plan->picks[i];
    plan->npicks = n;
}

/// Reads the status lines; what a crash left open is the fault of the problem behind the last one.
static void read_results(plan_t *plans, int n, FILE *pipe)
{
    char line[4096];
    reader_t reader = {.plans = plans, .n = n, .first_failed = n};
    while (fgets(line, sizeof line, pipe)) {
        const size_t digits = strspn(line, "0123456789");
        if (digits && line[digits] == ':')
            read_status(&reader, line + digits + 1);
        else if (strncmp(line, "Error", 5) == 0)
            fputs(line, stdout);
    }
    const int status = pclose(pipe);
    plan_t *const open = answered(&reader);
    const bool has_ended = !open && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
    if (!has_ended && reader.first_failed == n) {
        plan_t *const guilty = open ? open : &plans[n - 1];
        ++guilty->result->failed;
        printf("benchdnn --%s ended with status %d\n", guilty->pool->generator->driver, status);
        if (open) print_failed(open, open->picks[reader.pick]);
    }
    for (int i = 0; i < n; ++i) drop_counted(&plans[i]);
}

static bool run(plan_t *plans, int n)
{
    const pool_t *const pool = plans->pool;
    char path[64], command[1024];
    snprintf(path, sizeof path, "check_impls_%ld.batch", (long)getpid());
    if (!write_batch(plans, n, path)) return false;
    snprintf(command, sizeof command,
            "%s --mode=CB --engine=%s --summary=no-failures --%s --batch=%s 2>&1", pool->benchdnn,
            pool->engine, pool->generator->driver, path);
    FILE *const pipe = popen(command, "r");
    if (!pipe) return false;
    read_results(plans, n, pipe);
    remove(path);
    return true;
}

/// Flags or states, one byte each.
static void *zeroed(int n)
{
    void *const memory = calloc((size_t)n + 1, 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static void start(plan_t *plan, impl_result_t *result, const pool_t *pool, int impl, int nstyles)
{
    *result = (impl_result_t){.accepted = pool_count_of(pool, impl),
            .has = zeroed(pool->noptions),
            .touched = zeroed(pool->noptions),
            .doubted = zeroed(pool->noptions)};
    pool_options_of(pool, impl, result->has);
    *plan = (plan_t){.pool = pool,
            .result = result,
            .impl = impl,
            .nstyles = nstyles > 0 ? nstyles : pool->nstyles,
            .counts = zeroed(pool->noptions * (int)sizeof *plan->counts),
            .is_used = zeroed(pool->n),
            .is_hoped = zeroed(pool->noptions),
            .styles = zeroed(pool->nstyles)};
    for (int i = 0; i < pool->n; ++i) {
        const problem_t *const problem = &pool->problems[i];
        if (!pool_takes(pool, impl, problem)) continue;
        for (int k = 0; k < problem->noptions; ++k) ++plan->counts[problem->options[k]];
    }
}

static void finish(plan_t *plan)
{
    free(plan->counts);
    free(plan->is_used);
    free(plan->is_hoped);
    free(plan->styles);
}

/// The next round of a plan: what the last one left open, or else new picks. What did not pass for
/// want of trust is tried again by other problems.
static int next_round(plan_t *plan, int least)
{
    const impl_result_t *const result = plan->result;
    plan->is_done = plan->is_done || result->failed;
    if (!plan->is_done && plan->npicks == 0) {
        plan->is_done = plan->nrounds++ == MAX_ROUNDS;
        memcpy(plan->is_hoped, result->touched, (size_t)plan->pool->noptions * sizeof(bool));
        pick_for_options(plan);
        pick_for_number(plan, least - result->passed);
    }
    if (plan->is_done) plan->npicks = 0;
    return plan->npicks;
}

void impl_check(
        impl_result_t *results, const pool_t *pool, const int *impls, int n, int least, int nstyles)
{
    plan_t *const plans = zeroed(n * (int)sizeof *plans);
    for (int i = 0; i < n; ++i) start(&plans[i], &results[i], pool, impls[i], nstyles);
    int npicks;
    do {
        npicks = 0;
        for (int i = 0; i < n; ++i) npicks += next_round(&plans[i], least);
    } while (npicks && run(plans, n));
    for (int i = 0; i < n; ++i) finish(&plans[i]);
    free(plans);
}

void impl_result_free(impl_result_t *result)
{
    free(result->has);
    free(result->touched);
    free(result->doubted);
}

int impl_count(const pool_t *pool, const bool *set, bool edges)
{
    int n = 0;
    for (int i = 0; i < pool->noptions; ++i) n += set[i] && (pool->options[i].size != 0) == edges;
    return n;
}
