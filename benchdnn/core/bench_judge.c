// SPDX-License-Identifier: Apache-2.0
// Point by point or by norm: the rules under which a result counts as right.
#include "bench_judge.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench_globals.h"
#include "bench_numeric.h"
#include "bench_text.h"

#define POINT_GRAIN 16384
#define MIN_TRUSTED_NELEMS 10
#define MAX_PRINTED 10

/// A comparison under way.
typedef struct {
    const prb_t *prb;
    const args_t *args;
    const arg_t *arg;
    const double *got;
    compare_t policy;
    bool has_order, makes_nan;
    atomic_llong errors, zeros;
} judge_t;

const char *data_kind_name(data_kind_t kind)
{
    static const char *const names[] = {
            [DATA_SRC] = "SRC",
            [DATA_WEI] = "WEI",
            [DATA_BIA] = "BIA",
            [DATA_DST] = "DST",
            [DATA_DIFF_DST] = "DIFF_DST",
            [DATA_ACC] = "ACC",
            [DATA_SRC_1] = "SRC_1",
            [DATA_SRC_2] = "SRC_2",
            [DATA_MEAN] = "MEAN",
            [DATA_VARIANCE] = "VAR",
            [DATA_SCALE] = "SC",
            [DATA_SHIFT] = "SH",
            [DATA_WORKSPACE] = "WS",
            [DATA_SCRATCHPAD] = "SCRATCHPAD",
            [DATA_ATTR] = "ATTR",
            [DATA_DIFF_SRC] = "DIFF_SRC",
    };
    return names[kind];
}

static bool has_any_alg(const attr_spec_t *attr, const prim_alg_kind_t *algs, int count)
{
    for (int i = 0; i < count; ++i)
        if (attr_has_alg(attr, algs[i])) return true;
    return false;
}

static bool makes_zeros(const attr_spec_t *attr)
{
    for (int i = 0; i < attr->post_ops.count; ++i) {
        const post_op_t *const op = &attr->post_ops.entries[i];
        if (op->kind != PRIM_ELTWISE) continue;
        const bool is_cut = op->alg == PRIM_ELTWISE_ABS || op->alg == PRIM_ELTWISE_CLIP ||
                            op->alg == PRIM_ELTWISE_CLIP_V2;
        const bool is_flat =
                (op->alg == PRIM_ELTWISE_ELU || op->alg == PRIM_ELTWISE_RELU) && op->alpha == 0.f;
        if (is_cut || is_flat) return true;
    }
    return false;
}

static void set_defaults(judge_t *j)
{
    static const prim_alg_kind_t unbounded[] = {PRIM_ELTWISE_EXP, PRIM_ELTWISE_EXP_USE_DST_FOR_BWD,
            PRIM_ELTWISE_LOG, PRIM_ELTWISE_POW, PRIM_ELTWISE_SQRT,
            PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD, PRIM_ELTWISE_SQUARE};
    static const prim_alg_kind_t order[] = {PRIM_BINARY_MIN, PRIM_BINARY_MAX, PRIM_BINARY_GE,
            PRIM_BINARY_GT, PRIM_BINARY_LE, PRIM_BINARY_LT, PRIM_BINARY_EQ, PRIM_BINARY_NE};
    static const prim_alg_kind_t nan_makers[] = {PRIM_ELTWISE_LOG, PRIM_ELTWISE_POW,
            PRIM_ELTWISE_SQRT, PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD};
    const attr_spec_t *const attr = j->prb->attr;
    const prim_data_type_t dt = j->arg->md.data_type;
    j->has_order = has_any_alg(attr, order, 8);
    j->makes_nan = has_any_alg(attr, nan_makers, 4);
    j->policy.zero_percent = makes_zeros(attr) || dt == PRIM_U8 ? 65. : 30.;
    // Comparisons: some result has to be a 1.
    if (has_any_alg(attr, order + 2, 6)) j->policy.zero_percent = 99.9;
    j->policy.allows_nan_inf = has_any_alg(attr, unbounded, 7) || dt == PRIM_F16 ||
                               dt == PRIM_E8M0 || dt == PRIM_F8_E5M2 || dt == PRIM_F8_E4M3;
}

/// Values of no number: the same on both sides, or one that the type or the chain excuses.
static bool exceptional_passes(const judge_t *j, const point_t *p)
{
    const bool is_integer = dt_is_integer(j->arg->md.data_type);
    if (is_integer && isnan(p->expected)) return p->got == 0.; // what stores make of NaN
    if (j->policy.allows_nan_inf) {
        if (isnan(p->expected) && isnan(p->got)) return true;
        if (isinf(p->expected) && p->expected == p->got) return true;
    }
    // max(NaN, b) and NaN >= b are left open by the operation.
    return j->has_order && j->makes_nan && (isnan(p->reference) || isnan(p->got));
}

/// The output's type can tell the result from 0 by a subnormal number of f32 only, which devices
/// may take for 0 (OpenCL C 1.2, section 7.5.3; f16 keeps its own, section 6.1.1.1).
static bool is_flushed(const judge_t *j, const point_t *p)
{
    const prim_data_type_t dt = j->arg->md.data_type;
    return (dt == PRIM_F32 || dt == PRIM_BF16) && p->got == 0. &&
           fabs(p->reference) < (double)FLT_MIN;
}

static double slack_of(const judge_t *j, int64_t offset)
{
    return j->arg->slack ? j->arg->slack[offset] : 0.;
}

/// Whether the result is a number at all depends on the error.
static bool is_open(const judge_t *j, int64_t offset)
{
    return isinf(slack_of(j, offset));
}

/// Between the ends of what the promised arithmetic may give, both rounded to the output's type.
static bool lies_within_slack(const judge_t *j, const point_t *p)
{
    const prim_data_type_t dt = j->arg->md.data_type;
    const double slack = slack_of(j, p->offset);
    return p->got >= dt_round(dt, p->reference - slack) &&
           p->got <= dt_round(dt, p->reference + slack);
}

static bool point_passes(const judge_t *j, const point_t *p)
{
    if (p->expected == p->got) return true;
    if (exceptional_passes(j, p)) return true;
    if (is_flushed(j, p)) return true;
    if (j->arg->slack && (is_open(j, p->offset) || lies_within_slack(j, p))) return true;
    return j->policy.accepts && j->policy.accepts(j->prb, p);
}

static point_t make_point(const judge_t *j, int64_t offset)
{
    point_t p = {.args = j->args,
            .offset = offset,
            .reference = j->arg->data[offset],
            .got = j->got[offset]};
    p.expected = dt_round(j->arg->md.data_type, p.reference);
    p.diff = fabs(p.expected - p.got);
    p.rel_diff = fabs(p.expected) > (double)FLT_MIN ? p.diff / fabs(p.expected) : p.diff;
    return p;
}

static void count_points(void *context, int64_t begin, int64_t end)
{
    judge_t *const j = context;
    long long errors = 0, zeros = 0;
    for (int64_t i = begin; i < end; ++i) {
        const point_t p = make_point(j, i);
        errors += !point_passes(j, &p);
        zeros += p.got == 0. || is_open(j, i); // neither says anything
    }
    atomic_fetch_add(&j->errors, errors);
    atomic_fetch_add(&j->zeros, zeros);
}

static void print_position(const prim_memory_desc_t *md, int64_t offset)
{
    int64_t position[PRIM_MAX_NDIMS] = {0};
    for (int d = md->ndims - 1; d >= 0; --d) {
        position[d] = offset % md->dims[d];
        offset /= md->dims[d];
    }
    for (int d = 0; d < md->ndims; ++d) printf("%s%lld", d ? ":" : "", (long long)position[d]);
}

static void print_points(const judge_t *j)
{
    int64_t printed = 0;
    const int64_t limit = bench.verbose >= 10 ? INT64_MAX : MAX_PRINTED;
    for (int64_t i = 0; i < j->arg->nelems && (printed < limit || bench.verbose >= 99); ++i) {
        const point_t p = make_point(j, i);
        if (bench.verbose < 99 && point_passes(j, &p)) continue;
        printf("[%4lld][%s][", (long long)i, data_kind_name(j->arg->kind));
        print_position(&j->arg->md, i);
        printf("] exp_f32:%12.9g exp:%12.9g got:%12.9g diff:%8g rdiff:%8g\n", p.reference,
                p.expected, p.got, p.diff, p.rel_diff);
        ++printed;
    }
}

/// Half a unit in the last place, relative to the value itself.
static double half_unit(prim_data_type_t dt, double x)
{
    return dt_epsilon(dt) / 2. * fmax(fabs(x), dt_min_normal(dt));
}

/// What a point adds to the norm of the differences.
static double norm_difference(const judge_t *j, const point_t *p)
{
    if (isfinite(p->expected) && isfinite(p->got)) return is_flushed(j, p) ? 0. : p->diff;
    return point_passes(j, p) ? 0. : INFINITY;
}

/// ||expected - got|| and the norm of what it may be, point by point.
static void sum_norms(const judge_t *j, double *difference, double *allowed)
{
    *difference = *allowed = 0.;
    for (int64_t i = 0; i < j->arg->nelems; ++i) {
        if (is_open(j, i)) continue;
        const point_t p = make_point(j, i);
        *difference += pow(norm_difference(j, &p), 2.);
        if (!isfinite(p.expected)) continue;
        *allowed += pow(slack_of(j, i) + half_unit(j->arg->md.data_type, p.expected), 2.);
    }
    *difference = sqrt(*difference);
    *allowed = sqrt(*allowed);
}

static bool is_trusted(const judge_t *j)
{
    const data_class_t forced = j->prb->data_class;
    // Integers make 0 of NaN, and tiny numbers are 0 to most types.
    if (forced == CLASS_SPECIAL || forced == CLASS_EXTREMES) return true;
    const int64_t n = j->arg->nelems;
    const double percent = n ? 100. * (double)j->zeros / (double)n : 0.;
    const bool is_fine = n < MIN_TRUSTED_NELEMS || percent <= j->policy.zero_percent;
    if (bench.verbose >= (is_fine ? 6 : 2))
        printf("[COMPARE_TRUST][%s]: z:%g%% (>%g%%) (z: %lld, total: %lld)\n",
                data_kind_name(j->arg->kind), percent, j->policy.zero_percent, (long long)j->zeros,
                (long long)n);
    return is_fine;
}

verdict_t judge(const args_t *args, const arg_t *arg, const double *got)
{
    judge_t j = {.prb = args->prb, .args = args, .arg = arg, .got = got};
    set_defaults(&j);
    if (args->prb->driver->set_compare)
        args->prb->driver->set_compare(args->prb, args, arg, &j.policy);
    bench_parallel(arg->nelems, POINT_GRAIN, count_points, &j);
    verdict_t verdict = {j.errors, arg->nelems, true};
    if (j.policy.is_norm) {
        double difference, allowed;
        sum_norms(&j, &difference, &allowed);
        verdict.errors = !(difference <= allowed);
        if (verdict.errors || bench.verbose >= 6)
            printf("[NORM][%s] diff:%g allowed:%g\n", data_kind_name(arg->kind), difference,
                    allowed);
    }
    if (verdict.errors || bench.verbose >= 99) print_points(&j);
    verdict.is_trusted = is_trusted(&j);
    return verdict;
}
