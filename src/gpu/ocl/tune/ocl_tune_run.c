// SPDX-License-Identifier: Apache-2.0
// Measures configurations by making descriptors that are forced to take them.
#include "ocl_tune_run.h"

#include <stdlib.h>

#include "common/desc_storage.h"
#include "common/dispatch.h"
#include "common/execute.h"
#include "common/log.h"
#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "common/tune.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_tune.h"
#include "ocl_tune_data.h"
#include "ocl_tune_key.h"
#include "ocl_tune_store.h"

enum { MAX_RUNS = 25, QUICK_CANDIDATES = 4 };

/// How long to look at a candidate. Worse than the best by `hopeless` in the first run: no more.
typedef struct {
    int ncandidates, min_runs, max_runs;
    double budget_ns;
} effort_t;

static const effort_t efforts[] = {
        [PRIM_TUNE_QUICK] = {QUICK_CANDIDATES, 3, 9, 5e6},
        [PRIM_TUNE_FULL] = {OCL_TUNE_CANDIDATES, 5, MAX_RUNS, 40e6},
};
static const double hopeless = 2.5;
/// What is faster by less than this part has but won a lottery.
static const double margin = 0.02;

/// No kernel is so short: the driver's events have no times (rusticl of Mesa 22 on llvmpipe: 0 or
/// 1).
static const uint64_t implausible_ns = 100;

/// Everything a run owns.
typedef struct {
    const prim_desc_t *pd;
    const effort_t *effort;
    char bucket[OCL_TUNE_BUCKET_BYTES];
    prim_desc_t *trial; ///< the problem without attributes, by the implementation to tune
    prim_stream_t *stream;
    ocl_tune_data_t data;
    ocl_tune_list_t list;
} run_t;

static void run_fini(run_t *run)
{
    prim__ocl_tune_data_fini(&run->data);
    prim_stream_destroy(run->stream);
    prim_desc_destroy(run->trial);
}

/// What of the attributes decides on kernels, without what only ends them.
static prim_attr_t plain_attr(const prim_attr_t *attr)
{
    return (prim_attr_t){.fpmath_mode = attr->fpmath_mode,
            .fpmath_applies_to_int = attr->fpmath_applies_to_int,
            .accumulation_mode = attr->accumulation_mode};
}

/// The problem with the layouts that were chosen for it, by one implementation.
static prim_status_t create_desc(prim_desc_t **out, const prim_desc_t *pd, const impl_t *impl)
{
    const impl_t *const list[] = {impl, NULL};
    const prim_attr_t attr = plain_attr(&pd->attr);
    prim_desc_t *made = NULL;
    const desc_origin_t *const origin = pd->origin;
    TRY(origin->hint ? prim__desc_create_backward(&made, list, pd->engine, &origin->op, pd->tensors,
                               origin->ntensors, &attr, origin->hint, origin->is_bound_to_hint)
                     : prim__desc_create_from(&made, list, pd->engine, NULL, &origin->op,
                               pd->tensors, origin->ntensors, &attr));
    // The list is on the stack; prim_desc_next_impl() is not called.
    made->origin->list = NULL;
    *out = made;
    return PRIM_SUCCESS;
}

static const impl_t *generic_impl(const prim_desc_t *pd)
{
    const impl_t *const *list =
            prim__impl_list(PRIM_GPU, pd->op.kind, prim__direction_of(pd->op.prop_kind));
    while (list[0] && list[1]) ++list;
    return list[0];
}

static prim_status_t execute(run_t *run, const prim_t *primitive)
{
    exec_ctx_t ctx;
    exec_memory_t memory;
    TRY(prim__primitive_begin(
            &ctx, &memory, primitive, run->stream, run->data.nargs, run->data.args));
    return prim__primitive_run(primitive, &ctx);
}

/// Fills dst by the primitive.
static prim_status_t compute(run_t *run, const prim_t *primitive)
{
    TRY(prim__ocl_tune_data_spoil(&run->data));
    TRY(execute(run, primitive));
    return prim_stream_wait(run->stream);
}

static prim_status_t compute_expected(run_t *run)
{
    prim_status_t st = PRIM_SUCCESS;
    prim_desc_t *generic = NULL;
    prim_t *primitive = NULL;
    TRY(create_desc(&generic, run->pd, generic_impl(run->pd)));
    TRY_OR(done, prim__primitive_create(&primitive, generic));
    TRY_OR(done, compute(run, primitive));
    TRY_OR(done, prim__ocl_tune_data_expect(&run->data));

done:
    prim_destroy(primitive);
    prim_desc_destroy(generic);
    return st;
}

static prim_status_t list_candidates(run_t *run)
{
    const ocl_tune_trial_t trial = {.list = &run->list};
    run->trial->trial = &trial;
    const prim_status_t st = prim__desc_redo(run->trial);
    run->trial->trial = NULL;
    return st;
}

static prim_status_t force(run_t *run, const ocl_tune_params_t *params)
{
    const ocl_tune_trial_t trial = {.forced = params};
    run->trial->trial = &trial;
    const prim_status_t st = prim__desc_redo(run->trial);
    run->trial->trial = NULL;
    TRY(st);
    if (run->trial->choice == prim__ocl_tune_hash(params)) return PRIM_SUCCESS;
    return prim__fail(
            PRIM_RUNTIME_ERROR, "%s does not take what it has offered", run->pd->impl->name);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// By the host's clock, for drivers whose events have none: all of them, in sequence.
static prim_status_t time_by_host(uint64_t *ns, run_t *run, const prim_t *primitive, int n)
{
    const double start_ms = prim__now_ms();
    for (int i = 0; i < n; ++i) TRY(execute(run, primitive));
    TRY(prim_stream_wait(run->stream));
    *ns = 1 + (uint64_t)(1e6 * (prim__now_ms() - start_ms) / n);
    return PRIM_SUCCESS;
}

/// The median of `n` executions on the device.
static prim_status_t time_runs(uint64_t *ns, run_t *run, const prim_t *primitive, int n)
{
    uint64_t times[MAX_RUNS];
    int count = MAX_RUNS;
    TRY(prim_stream_reset_profile(run->stream));
    for (int i = 0; i < n; ++i) TRY(execute(run, primitive));
    TRY(prim_stream_get_profile(run->stream, &count, times));
    if (count != n) return prim__fail(PRIM_RUNTIME_ERROR, "%d of %d times are there", count, n);
    qsort(times, (size_t)n, sizeof times[0], by_time);
    if (times[n / 2] < implausible_ns) return time_by_host(ns, run, primitive, n);
    *ns = times[n / 2];
    return PRIM_SUCCESS;
}

static prim_status_t measure(uint64_t *ns, run_t *run, const prim_t *primitive, uint64_t best_ns)
{
    const effort_t *const effort = run->effort;
    TRY(time_runs(ns, run, primitive, 1));
    if (best_ns && (double)*ns > hopeless * (double)best_ns) return PRIM_SUCCESS;
    const double wanted = effort->budget_ns / (double)*ns;
    const int n = wanted < effort->min_runs   ? effort->min_runs
                  : wanted > effort->max_runs ? effort->max_runs
                                              : (int)wanted;
    return time_runs(ns, run, primitive, n);
}

/// Builds, checks and times the configuration that the trial has taken; *ns stays 0 if its result
/// is wrong.
static prim_status_t try_configuration(uint64_t *ns, run_t *run, uint64_t best_ns)
{
    prim_status_t st = PRIM_SUCCESS;
    bool is_right = false;
    prim_t *primitive = NULL;
    TRY(prim__primitive_create(&primitive, run->trial));
    TRY_OR(done, compute(run, primitive));
    TRY_OR(done, prim__ocl_tune_data_judge(&is_right, &run->data, run->trial));
    if (is_right) TRY_OR(done, measure(ns, run, primitive, best_ns));

done:
    prim_destroy(primitive);
    return st;
}

static void log_candidate(const run_t *run, const char *params, prim_status_t st, uint64_t ns)
{
    const char *const kind = prim_primitive_kind_name(run->pd->op.kind);
    const char *const name = run->pd->impl->name;
    if (st != PRIM_SUCCESS)
        prim__log(LOG_PROFILE_CREATE, kind, "ocl,tune,%s,%s,%s,failed: %s", name, run->bucket,
                params, prim_last_error());
    else if (ns == 0)
        prim__log(LOG_WARN, kind,
                "warn,ocl_tune,%s,%s,%s is never chosen: its result differs from the generic "
                "kernel's",
                name, run->bucket, params);
    else
        prim__log(LOG_PROFILE_CREATE, kind, "ocl,tune,%s,%s,%s,%g", name, run->bucket, params,
                1e-6 * (double)ns);
}

/// The fastest right one; its index, or -1.
static int find_best(run_t *run, uint64_t *best_ns, uint64_t *model_ns)
{
    const ocl_tune_list_t *const list = &run->list;
    const int n = list->n < run->effort->ncandidates ? list->n : run->effort->ncandidates;
    int best = -1;
    for (int i = 0; i < n; ++i) {
        const ocl_tune_params_t *const params = &list->candidates[i].params;
        char text[OCL_TUNE_PARAMS_BYTES];
        uint64_t ns = 0;
        prim__ocl_tune_params_text(text, sizeof text, list->names, params);
        prim_status_t st = force(run, params);
        if (st == PRIM_SUCCESS) st = try_configuration(&ns, run, *best_ns);
        if (st != PRIM_SUCCESS) ns = 0;
        log_candidate(run, text, st, ns);
        if (i == 0) *model_ns = ns;
        const bool is_faster = best < 0 || (double)ns < (1 - margin) * (double)*best_ns;
        if (ns == 0 || !is_faster) continue;
        best = i;
        *best_ns = ns;
    }
    return best;
}

/// Times a candidate once more; a shorter time counts.
static void time_again(uint64_t *ns, run_t *run, int candidate)
{
    uint64_t again = 0;
    prim_t *primitive = NULL;
    prim_status_t st = force(run, &run->list.candidates[candidate].params);
    if (st == PRIM_SUCCESS) st = prim__primitive_create(&primitive, run->trial);
    if (st == PRIM_SUCCESS) st = measure(&again, run, primitive, 0);
    if (st == PRIM_SUCCESS && again < *ns) *ns = again;
    prim_destroy(primitive);
}

/// The estimate's choice came first, to a device that was perhaps not at its full clock: it gets
/// another chance against the best one.
static int confirm(run_t *run, int best, uint64_t *best_ns, uint64_t *model_ns)
{
    if (best <= 0 || *model_ns == 0) return best;
    time_again(model_ns, run, 0);
    time_again(best_ns, run, best);
    if ((double)*best_ns < (1 - margin) * (double)*model_ns) return best;
    *best_ns = *model_ns;
    return 0;
}

/// Makes what the run needs. A failure's sentence says why there is no run.
static prim_status_t prepare(run_t *run)
{
    const char *const fault = prim__ocl_tune_data_fault(run->pd);
    if (fault) return prim__fail(PRIM_UNIMPLEMENTED, "%s", fault);
    TRY(create_desc(&run->trial, run->pd, run->pd->impl));
    for (int i = 0; i < run->pd->ntensors; ++i) {
        if (!prim__md_equal(&run->trial->tensors[i].md, &run->pd->tensors[i].md))
            return prim__fail(PRIM_RUNTIME_ERROR, "layouts depend on the configuration");
    }
    TRY(list_candidates(run));
    TRY(prim_stream_create(
            &run->stream, run->pd->engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING));
    TRY(prim__ocl_tune_data_create(&run->data, run->trial));
    return compute_expected(run);
}

/// Runs, logs and keeps. True when there is a result.
static bool tune(run_t *run, struct ocl_tune_store *store)
{
    const char *const kind = prim_primitive_kind_name(run->pd->op.kind), *const name =
                                                                                 run->pd->impl
                                                                                         ->name;
    const double start_ms = prim__now_ms();
    char params[OCL_TUNE_PARAMS_BYTES];
    uint64_t ns = 0, model_ns = 0;
    const prim_status_t st = prepare(run);
    int best = st == PRIM_SUCCESS ? find_best(run, &ns, &model_ns) : -1;
    best = confirm(run, best, &ns, &model_ns);
    if (best < 0) {
        prim__log(LOG_WARN, kind, "warn,ocl_tune,%s,%s,not tuned: %s", name, run->bucket,
                st == PRIM_SUCCESS ? "no candidate gives the generic kernel's result"
                                   : prim_last_error());
        return false;
    }
    prim__ocl_tune_params_text(
            params, sizeof params, run->list.names, &run->list.candidates[best].params);
    const ocl_tune_result_t result = {
            name, run->bucket, params, ns, model_ns, run->pd->attr.tune_mode};
    prim__ocl_tune_store_put(store, &result);
    prim__log(LOG_PROFILE_CREATE, kind, "ocl,tuned,%s,%s,%s,%g,%g,%s,%g", name, run->bucket, params,
            1e-6 * (double)ns, 1e-6 * (double)model_ns,
            prim__tune_mode_name(run->pd->attr.tune_mode), prim__now_ms() - start_ms);
    return true;
}

bool prim__ocl_desc_tune(const prim_desc_t *pd)
{
    struct ocl_tune_store *const store = prim__ocl_engine(pd->engine)->tuning;
    run_t run = {.pd = pd, .effort = &efforts[pd->attr.tune_mode]};
    ocl_tune_known_t known;
    prim__ocl_tune_bucket(run.bucket, pd);
    prim__ocl_tune_store_begin_run(store);
    // Another thread may have run it while this one waited.
    bool is_known = prim__ocl_tune_store_find(&known, store, pd->impl->name, run.bucket) &&
                    known.mode >= pd->attr.tune_mode;
    if (!is_known) {
        prim__attempt_begin();
        is_known = tune(&run, store);
        run_fini(&run);
        prim__attempt_end();
    }
    prim__ocl_tune_store_end_run(store);
    return is_known;
}
