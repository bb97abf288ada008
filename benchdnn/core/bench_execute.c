// SPDX-License-Identifier: Apache-2.0
// The second half of a case: memories, filling, execution, checks, comparison.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_args.h"
#include "bench_case.h"
#include "bench_engine.h"
#include "bench_judge.h"
#include "bench_layout.h"
#include "bench_measure.h"
#include "bench_numeric.h"
#include "bench_parallel.h"
#include "bench_report.h"

static const char reason_ram[] = "Not enough RAM";
static const char reason_inplace[] = "Invalid case";
static const char reason_bits[] = "The second run differs";

static void settle(bench_case_t *c, status_t status, const char *reason)
{
    c->result.status = status;
    c->result.reason = reason;
}

static bool library_failed(bench_case_t *c, const char *function, prim_status_t status)
{
    if (status == PRIM_SUCCESS) return false;
    printf("Error: %s returned '%s': %s\n", function, prim_status_name(status), prim_last_error());
    settle(c, STATUS_FAILED, NULL);
    return true;
}

/// The sum post-op and in-place runs read what the destination held before.
static bool has_old_values(const args_t *args, const arg_t *arg)
{
    return arg->role == ARG_OUT && arg->id == PRIM_ARG_DST &&
           attr_post_op(args->prb->attr, PRIM_SUM);
}

static bool is_filled(const args_t *args, const arg_t *arg)
{
    if (!bench_has_reference_data() && arg->kind != DATA_ATTR && !arg->keeps_fill) return false;
    return arg->role == ARG_IN || has_old_values(args, arg);
}

// ---- Sizes -----------------------------------------------------------------------------------

typedef struct {
    double device, largest, host;
} footprint_t;

static footprint_t estimate_footprint(const bench_case_t *c, const args_t *args)
{
    int64_t scratchpad = 0;
    footprint_t f = {0};
    if (prim_desc_query(c->pd, PRIM_QUERY_MEMORY_CONSUMPTION_S64, 0, &scratchpad) == PRIM_SUCCESS)
        f.device = (double)scratchpad;
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        const double bytes = (double)prim_memory_desc_get_size(&arg->md);
        if (args_owner(args, arg) == arg) f.device += bytes + GUARD_BYTES;
        if (bytes > f.largest) f.largest = bytes;
        // A mirror, and for an output its reference beside what came back.
        if (bench_has_reference_data()) f.host += (double)arg->nelems * sizeof(double);
        if (arg_is_compared(arg) && bench_mode_has(MODE_CORR))
            f.host += (double)arg->nelems * sizeof(double);
    }
    return f;
}

static bool fits_memory(const bench_case_t *c, const args_t *args)
{
    size_t device_total = 0, device_largest = 0, host_total = 0, host_largest = 0;
    const footprint_t f = estimate_footprint(c, args);
    prim_engine_t *const cpu = bench_cpu_engine();
    if (bench.verbose >= 6)
        printf("memory: device %g MB, largest %g MB, host mirrors %g MB\n", f.device * 1e-6,
                f.largest * 1e-6, f.host * 1e-6);
    if (!cpu || prim_engine_get_memory_limits(cpu, &host_total, &host_largest) != PRIM_SUCCESS)
        return true;
    if (!engine_is_gpu()) return f.device + f.host <= 0.75 * (double)host_total;
    if (prim_engine_get_memory_limits(engine_tested(), &device_total, &device_largest) !=
            PRIM_SUCCESS)
        return true;
    return f.device <= 0.75 * (double)device_total && f.largest < (double)device_largest &&
           f.host <= (double)host_total;
}

// ---- Filling ---------------------------------------------------------------------------------

typedef struct {
    prim_data_type_t dt;
    double *data;
} rounding_t;

static void round_range(void *context, int64_t begin, int64_t end)
{
    const rounding_t *const r = context;
    for (int64_t i = begin; i < end; ++i) r->data[i] = dt_round(r->dt, r->data[i]);
}

static void fill_values(const args_t *args, arg_t *arg)
{
    const prb_t *const prb = args->prb;
    const bool needs_positive = attr_has_alg(prb->attr, PRIM_ELTWISE_LOG) ||
                                attr_has_alg(prb->attr, PRIM_ELTWISE_POW) ||
                                attr_has_alg(prb->attr, PRIM_ELTWISE_SQRT) ||
                                attr_has_alg(prb->attr, PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD);
    if (arg->kind == DATA_ATTR)
        attr_fill(args, arg);
    else if (bench_mode_has(MODE_CORR) || arg->keeps_fill)
        prb->driver->fill(prb, args, arg);
    else if (bench_mode_has(MODE_BITWISE))
        fill_reals(arg, needs_positive ? 1. : -16., 16.);
    else
        fill_reals(arg, -1024., 1024.);
    rounding_t rounding = {arg_fill_dt(args, arg), arg->data};
    bench_parallel(arg->nelems, 16384, round_range, &rounding);
    layout_share_values(&arg->md, arg->data);
}

/// Writes the mirror into the memory the argument uses, with zeros in the padding.
static prim_status_t write_values(const args_t *args, const arg_t *arg, const double *values)
{
    const arg_memory_t *const memory = args_owner(args, arg)->memory;
    void *const mapped = arg_memory_map(memory);
    if (!mapped) return PRIM_RUNTIME_ERROR;
    layout_clear_padding(&arg->md, mapped);
    layout_store(&arg->md, arg_fill_dt(args, arg), mapped, values);
    return arg_memory_unmap(memory, mapped);
}

static prim_status_t create_memory(const args_t *args, arg_t *arg)
{
    prim_engine_t *const engine = arg->on_cpu ? bench_cpu_engine() : engine_tested();
    if (!engine) return PRIM_RUNTIME_ERROR;
    if (args_owner(args, arg) != arg) return PRIM_SUCCESS;
    return arg_memory_create(
            &arg->memory, &arg->md, engine, bench_has_reference_data() ? POISON : PERF_FILL);
}

static prim_status_t fill_arg(args_t *args, arg_t *arg)
{
    if (!is_filled(args, arg)) return PRIM_SUCCESS;
    arg->data = bench_calloc((size_t)arg->nelems, sizeof(double));
    fill_values(args, arg);
    if (arg->role == ARG_OUT) {
        arg->old = arg->data;
        arg->data = NULL;
        return write_values(args, arg, arg->old);
    }
    return write_values(args, arg, arg->data);
}

/// Inputs that share the memory of an output that the sum reads: both see the same values.
static void share_old_values(args_t *args, const arg_t *input)
{
    arg_t *const dst = input->inplace_with ? args_find(args, input->inplace_with) : NULL;
    if (!dst || !dst->old || !input->data) return;
    memcpy((double *)(uintptr_t)dst->old, input->data, (size_t)dst->nelems * sizeof(double));
}

static prim_status_t prepare_args(args_t *args)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < args->count && status == PRIM_SUCCESS; ++i)
        status = create_memory(args, &args->items[i]);
    // Outputs first: an input that runs in place with one has the last word.
    for (int i = 0; i < args->count && status == PRIM_SUCCESS; ++i)
        if (args->items[i].role == ARG_OUT) status = fill_arg(args, &args->items[i]);
    for (int i = 0; i < args->count && status == PRIM_SUCCESS; ++i)
        if (args->items[i].role == ARG_IN) status = fill_arg(args, &args->items[i]);
    for (int i = 0; i < args->count; ++i) share_old_values(args, &args->items[i]);
    return status;
}

// ---- Execution and checks --------------------------------------------------------------------

static prim_status_t execute(const bench_case_t *c, const args_t *args)
{
    prim_arg_t list[BENCH_MAX_ARGS];
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        list[i] = (prim_arg_t){arg->id, args_owner(args, arg)->memory->memory};
    }
    const prim_status_t status = prim_execute(c->primitive, engine_stream(0), args->count, list);
    return status == PRIM_SUCCESS ? prim_stream_wait(engine_stream(0)) : status;
}

/// Bytes behind the tensor are untouched; padding, of inputs too, holds zeros.
static bool memory_is_clean(const arg_t *arg, const void *mapped)
{
    const bool is_guarded = arg_memory_guard_holds(
            arg->memory, mapped, bench_has_reference_data() ? POISON : PERF_FILL);
    if (!is_guarded) printf("@@@ [arg:%d] bytes behind the tensor were written\n", arg->id);
    if (!bench_has_reference_data()) return is_guarded;
    const int64_t dirty = layout_count_dirty_padding(&arg->md, mapped);
    if (dirty)
        printf("@@@ [arg:%d] check_zero_padding failed: %lld elements\n", arg->id,
                (long long)dirty);
    return is_guarded && !dirty;
}

static bool memories_are_clean(bench_case_t *c, const args_t *args)
{
    bool is_clean = true;
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        if (!arg->memory) continue;
        void *const mapped = arg_memory_map(arg->memory);
        if (library_failed(c, "prim_memory_map_data", mapped ? PRIM_SUCCESS : PRIM_RUNTIME_ERROR))
            return false;
        is_clean = memory_is_clean(arg, mapped) && is_clean;
        if (library_failed(c, "prim_memory_unmap_data", arg_memory_unmap(arg->memory, mapped)))
            return false;
    }
    if (!is_clean) settle(c, STATUS_FAILED, NULL);
    return is_clean;
}

static void compute_reference(args_t *args)
{
    const double begin = now_ms();
    args_plan_finish(args);
    for (int i = 0; i < args->count; ++i)
        if (arg_is_compared(&args->items[i]))
            args->items[i].data = bench_calloc((size_t)args->items[i].nelems, sizeof(double));
    args->prb->driver->reference(args->prb, args);
    bench_stopwatch.reference_ms += now_ms() - begin;
}

static bool compare_arg(bench_case_t *c, const args_t *args, const arg_t *arg, bool *is_trusted)
{
    double *const got = bench_calloc((size_t)arg->nelems, sizeof(double));
    void *const mapped = arg_memory_map(arg->memory);
    bool ok =
            !library_failed(c, "prim_memory_map_data", mapped ? PRIM_SUCCESS : PRIM_RUNTIME_ERROR);
    if (ok) {
        layout_load(&arg->md, arg->md.data_type, mapped, got);
        ok = !library_failed(c, "prim_memory_unmap_data", arg_memory_unmap(arg->memory, mapped));
    }
    if (ok) {
        const verdict_t verdict = judge(args, arg, got);
        c->result.errors += verdict.errors;
        c->result.total += verdict.total;
        *is_trusted = *is_trusted && verdict.is_trusted;
    }
    free(got);
    return ok;
}

static void compare(bench_case_t *c, args_t *args)
{
    bool is_trusted = true;
    compute_reference(args);
    const double begin = now_ms();
    for (int i = 0; i < args->count; ++i)
        if (arg_is_compared(&args->items[i]) && !compare_arg(c, args, &args->items[i], &is_trusted))
            return;
    bench_stopwatch.compare_ms += now_ms() - begin;
    if (c->result.errors)
        settle(c, STATUS_FAILED, NULL);
    else
        settle(c, is_trusted ? STATUS_PASSED : STATUS_MISTRUSTED, NULL);
}

// ---- Bitwise ---------------------------------------------------------------------------------

/// Copies the bytes of every output after a run, or compares them with such copies.
static bool visit_outputs(bench_case_t *c, const args_t *args, char **copies, bool is_first)
{
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        if (!arg_is_compared(arg)) continue;
        void *const mapped = arg_memory_map(arg->memory);
        if (library_failed(c, "prim_memory_map_data", mapped ? PRIM_SUCCESS : PRIM_RUNTIME_ERROR))
            return false;
        const size_t bytes = arg->memory->bytes;
        if (is_first) {
            copies[i] = bench_calloc(bytes, 1);
            memcpy(copies[i], mapped, bytes);
        } else {
            for (size_t b = 0; b < bytes; ++b)
                c->result.errors += ((char *)mapped)[b] != copies[i][b];
            c->result.total += (int64_t)bytes;
        }
        if (library_failed(c, "prim_memory_unmap_data", arg_memory_unmap(arg->memory, mapped)))
            return false;
    }
    return true;
}

/// Puts back what the first run overwrote: destinations of sums, inputs that ran in place.
static prim_status_t restore_inputs(const args_t *args)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < args->count && status == PRIM_SUCCESS; ++i) {
        const arg_t *const arg = &args->items[i];
        if (arg->old)
            status = write_values(args, arg, arg->old);
        else if (arg->inplace_with && arg->data)
            status = write_values(args, arg, arg->data);
    }
    return status;
}

/// Runs again; every byte of the outputs, padding included, has to be the same.
static void run_bitwise(bench_case_t *c, args_t *args)
{
    char *copies[BENCH_MAX_ARGS] = {NULL};
    bool ok = visit_outputs(c, args, copies, true);
    ok = ok && !library_failed(c, "restoring the inputs", restore_inputs(args));
    ok = ok && !library_failed(c, "prim_execute", execute(c, args));
    ok = ok && visit_outputs(c, args, copies, false);
    if (ok && c->result.errors)
        settle(c, STATUS_FAILED, reason_bits);
    else if (ok && !bench_mode_has(MODE_CORR))
        settle(c, STATUS_PASSED, NULL);
    for (int i = 0; i < args->count; ++i) free(copies[i]);
}

// ---- The whole -------------------------------------------------------------------------------

static void count_bytes(const args_t *args, perf_t *perf)
{
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        const double bytes = (double)prim_memory_desc_get_size(&arg->md);
        if (arg->kind == DATA_SCRATCHPAD) continue;
        // Scales and zero points are not tensors of the operation; operands of post-ops are.
        if (arg->kind == DATA_ATTR && arg->id < PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE) continue;
        if (arg->role == ARG_IN || arg->old) perf->input_bytes += bytes;
        if (arg->role == ARG_OUT) perf->output_bytes += bytes;
    }
}

/// A kernel cannot read the image that it writes.
static bool overwrites_image(const args_t *args)
{
    for (int i = 0; i < args->count; ++i) {
        const arg_t *const arg = &args->items[i];
        if (arg->inplace_with && arg->md.format_kind == PRIM_FORMAT_KIND_IMAGE2D) return true;
    }
    return false;
}

static bool fill_and_run(bench_case_t *c, args_t *args)
{
    const double begin = now_ms();
    const prim_status_t prepared = prepare_args(args);
    bench_stopwatch.fill_ms += now_ms() - begin;
    if (library_failed(c, "preparing the arguments", prepared)) return false;
    if (bench.verbose >= 1) printf("run: %s\n", text_string(&c->repro));
    if (library_failed(c, "prim_execute", execute(c, args))) return false;
    return memories_are_clean(c, args);
}

static void run(bench_case_t *c, args_t *args)
{
    if (!args_list(args, &c->prb, c->pd)) {
        printf("Error: %s\n", bench_error_text());
        settle(c, STATUS_FAILED, NULL);
        return;
    }
    if (bench.mem_check && !fits_memory(c, args)) {
        settle(c, STATUS_SKIPPED, reason_ram);
        return;
    }
    if (overwrites_image(args)) {
        settle(c, STATUS_SKIPPED, reason_inplace);
        return;
    }
    count_bytes(args, &c->result.perf);
    if (!fill_and_run(c, args)) return;
    settle(c, STATUS_EXECUTED, NULL);
    if (bench_mode_has(MODE_CORR)) compare(c, args);
    const bool is_right = c->result.status != STATUS_FAILED;
    if (bench_mode_has(MODE_BITWISE) && is_right) run_bitwise(c, args);
    const bool is_sound = c->result.status != STATUS_FAILED;
    if (bench_mode_has(MODE_PERF) && is_sound)
        library_failed(c, "prim_execute", measure(&c->result.perf, c->primitive, args));
}

void case_execute(bench_case_t *c)
{
    if (c->result.status != STATUS_INITIALIZED || !bench_mode_has(MODE_EXEC)) return;
    const int threads = bench_set_threads(c->ctx_exe.max);
    args_t *const args = bench_calloc(1, sizeof *args);
    c->result.status = STATUS_UNTESTED_FAILED;
    run(c, args);
    args_free(args);
    free(args);
    bench_set_threads(threads);
}
