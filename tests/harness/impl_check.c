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

/// Which problems to run, and what that will have touched.
typedef struct {
    const pool_t *pool;
    int impl, npicks;
    int nstyles; ///< whose programs may still be built for the options they touch
    int picks[MAX_PICKS];
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

/// New options of a problem, against the time it takes: a new style compiles new programs, and one
/// that proved nothing will hardly do better with other sizes.
static double worth(const plan_t *plan, const impl_result_t *result, const problem_t *problem)
{
    static const double costs[] = {[STYLE_NEW] = 3., [STYLE_BUILT] = 1., [STYLE_DULL] = 100.};
    if (*state_of(plan, problem) == STYLE_NEW && plan->nstyles <= 0) return 0.;
    int gain = 0;
    for (int k = 0; k < problem->noptions; ++k) {
        const int option = problem->options[k];
        gain += result->has[option] && !plan->is_hoped[option];
    }
    return gain / costs[*state_of(plan, problem)];
}

/// Greedy set cover.
static void pick_for_options(plan_t *plan, const impl_result_t *result)
{
    const pool_t *const pool = plan->pool;
    while (plan->npicks < MAX_PICKS) {
        int best = -1;
        double most = 0.;
        for (int i = 0; i < pool->n; ++i) {
            if (plan->is_used[i] || !pool_takes(pool, plan->impl, &pool->problems[i])) continue;
            const double value = worth(plan, result, &pool->problems[i]);
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

static bool write_batch(const plan_t *plan, const char *path)
{
    FILE *const file = fopen(path, "w");
    if (!file) return false;
    for (int i = 0; i < plan->npicks; ++i)
        fprintf(file, "--reset%s\n", plan->pool->problems[plan->picks[i]].line);
    return fclose(file) == 0;
}

/// As a line of a batch file.
static void print_failed(const plan_t *plan, int index)
{
    printf("failed: --reset --impl=%s%s\n", plan->pool->impls[plan->impl].name,
            plan->pool->problems[index].line);
}

static void count_status(impl_result_t *result, const plan_t *plan, int index, const char *status)
{
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

/// Reads the status lines; what a crash left open is the fault of the problem behind the last one.
static void read_results(impl_result_t *result, const plan_t *plan, FILE *pipe)
{
    char line[4096];
    int at = 0;
    while (fgets(line, sizeof line, pipe)) {
        const size_t digits = strspn(line, "0123456789");
        if (digits && line[digits] == ':' && at < plan->npicks)
            count_status(result, plan, plan->picks[at++], line + digits + 1);
        else if (strncmp(line, "Error", 5) == 0)
            fputs(line, stdout);
    }
    const int status = pclose(pipe);
    if (at == plan->npicks && WIFEXITED(status) && WEXITSTATUS(status) <= 1) return;
    ++result->failed;
    printf("benchdnn --%s ended with status %d\n", plan->pool->generator->driver, status);
    if (at < plan->npicks) print_failed(plan, plan->picks[at]);
}

static bool run(impl_result_t *result, const plan_t *plan)
{
    const pool_t *const pool = plan->pool;
    char path[64], command[1024];
    snprintf(path, sizeof path, "check_impls_%ld.batch", (long)getpid());
    if (!write_batch(plan, path)) return false;
    snprintf(command, sizeof command,
            "%s --mode=CB --engine=%s --global-impl=%s --summary=no-failures --%s --batch=%s 2>&1",
            pool->benchdnn, pool->engine, pool->impls[plan->impl].name, pool->generator->driver,
            path);
    FILE *const pipe = popen(command, "r");
    if (!pipe) return false;
    read_results(result, plan, pipe);
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

void impl_check(impl_result_t *result, const pool_t *pool, int impl, int least, int nstyles)
{
    *result = (impl_result_t){.accepted = pool_count_of(pool, impl),
            .has = zeroed(pool->noptions),
            .touched = zeroed(pool->noptions),
            .doubted = zeroed(pool->noptions)};
    pool_options_of(pool, impl, result->has);
    plan_t plan = {.pool = pool,
            .impl = impl,
            .nstyles = nstyles > 0 ? nstyles : pool->nstyles,
            .is_used = zeroed(pool->n),
            .is_hoped = zeroed(pool->noptions),
            .styles = zeroed(pool->nstyles)};
    for (int round = 0; round < MAX_ROUNDS; ++round) {
        // What did not pass for want of trust is tried again by other problems.
        memcpy(plan.is_hoped, result->touched, (size_t)pool->noptions * sizeof(bool));
        plan.npicks = 0;
        pick_for_options(&plan, result);
        pick_for_number(&plan, least - result->passed);
        if (plan.npicks == 0 || !run(result, &plan) || result->failed) break;
    }
    free(plan.is_used);
    free(plan.is_hoped);
    free(plan.styles);
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
