// SPDX-License-Identifier: Apache-2.0
// benchdnn --softmax: softmax and log-softmax along any axis.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { DIR, SDT, DDT, STAG, DTAG, ALG, AXIS, MB, INPLACE };

static const word_t algs[] = {
        {"SOFTMAX", PRIM_SOFTMAX_ACCURATE},
        {"LOGSOFTMAX", PRIM_SOFTMAX_LOG},
        {"softmax_accurate", PRIM_SOFTMAX_ACCURATE},
        {"softmax_log", PRIM_SOFTMAX_LOG},
        {NULL, 0},
};

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [SDT] = {.name = "sdt", .kind = OPTION_DT, .fallback = "f32"},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "abx"},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},
        [ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "SOFTMAX", .words = algs},
        [AXIS] = {.name = "axis", .kind = OPTION_INT, .fallback = "1"},
        [MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0", .inside_attr = true},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static bool verify(const prb_t *prb)
{
    const int64_t axis = opt_int(prb, AXIS, 0);
    const bool is_inside = axis >= 0 && axis < prb->problem->ndims;
    return is_inside || problem_error("softmax: axis %lld is outside 0..%d", (long long)axis,
                                prb->problem->ndims - 1);
}

static skip_reason_t skip(const prb_t *prb)
{
    const skip_reason_t reason = skip_types(prb, SDT, DDT);
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *stag = opt_tag(prb, STAG, 0), *dtag = opt_tag(prb, DTAG, 0);
    const bool same_tag = strcmp(dtag, "any") == 0 || strcmp(dtag, stag) == 0;
    const bool same_dt = opt_dt(prb, DDT, 0) == opt_dt(prb, SDT, 0);
    return same_tag && same_dt ? SKIP_NONE : SKIP_INVALID_CASE;
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    const bool is_scale = arg == PRIM_ARG_SRC;
    if (has_groups || (is_scale && policy != POLICY_COMMON)) return -1;
    return attr_default_mask(policy, prb->problem->ndims);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_status_t st =
            bench_md(&src, p->ndims, p->dims[0], opt_dt(prb, SDT, 0), opt_tag(prb, STAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, p->ndims, p->dims[0], opt_dt(prb, DDT, 0), opt_tag(prb, DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    return prim_softmax_forward_desc_create(pd, engine, direction_prop(opt_direction(prb, DIR)),
            (prim_alg_kind_t)opt_word(prb, ALG), &src, &dst, (int)opt_int(prb, AXIS, 0), attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    arg_t *src = args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    if (opt_bool(prb, INPLACE)) src->inplace_with = PRIM_ARG_DST;
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

/// Rows lie along the axis: elements at distance `inner`, outer × inner of them.
typedef struct {
    int64_t outer, axis, inner;
} rows_t;

static rows_t get_rows(const prb_t *prb)
{
    const problem_t *p = prb->problem;
    const int axis = (int)opt_int(prb, AXIS, 0);
    rows_t rows = {1, p->dims[0][axis], 1};
    for (int d = 0; d < p->ndims; ++d) {
        if (d < axis) rows.outer *= p->dims[0][d];
        if (d > axis) rows.inner *= p->dims[0][d];
    }
    return rows;
}

/// Largest elements of a row: with integer outputs one, so that it is 1 and the rest 0.
static int64_t count_tops(const prb_t *prb)
{
    return dt_is_integer(opt_dt(prb, DDT, 0)) ? 1 : 8;
}

static bool is_wide(prim_data_type_t dt)
{
    return dt == PRIM_F32 || dt == PRIM_F64;
}

/// Whether every second row holds ordinary numbers: only where the result is compared with a
/// tolerance, which needs outputs as wide as the arithmetic.
static bool has_ordinary_rows(const prb_t *prb)
{
    return is_wide(opt_dt(prb, DDT, 0));
}

typedef struct {
    rows_t rows;
    int64_t tops;
    double lowest;
    bool has_ordinary_rows;
} fill_t;

/// A few values near 88 in each row (where e^x is about to overflow) or near 1, and the lowest of
/// the type elsewhere; or small numbers in quarters. Places follow from the index alone.
static double fill_value_at(const void *context, int64_t index)
{
    const fill_t *f = context;
    const int64_t inner = index % f->rows.inner;
    const int64_t place = index / f->rows.inner % f->rows.axis;
    const int64_t row = index / f->rows.inner / f->rows.axis * f->rows.inner + inner;
    if (f->has_ordinary_rows && row % 2 == 1)
        return (double)((place * 97 + row * 31) % 65 - 32) / 4;
    // Every (axis / tops)-th place, from a start that moves with the row.
    const int64_t step = f->rows.axis > f->tops ? f->rows.axis / f->tops : 1;
    const int64_t shifted = (place + row * 7) % f->rows.axis;
    const bool is_top = shifted % step == 0 && shifted / step < f->tops;
    if (!is_top) return f->lowest;
    const bool is_high = f->lowest == 0 || row / 2 % 2 == 0;
    return (double)((is_high ? 88 : 1) + shifted / step % 3);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const fill_t f = {.rows = get_rows(prb),
            .tops = count_tops(prb),
            .lowest = dt_lowest(arg->md.data_type),
            .has_ordinary_rows = has_ordinary_rows(prb)};
    (void)args;
    fill_by_index(arg, fill_value_at, &f);
}

typedef struct {
    args_t *args;
    rows_t rows;
    bool is_log;
    const double *src;
    double *dst;
} reference_t;

static void reference_rows(void *context, int64_t begin, int64_t end)
{
    const reference_t *r = context;
    for (int64_t row = begin; row < end; ++row) {
        const int64_t step = r->rows.inner;
        const int64_t first = row / step * r->rows.axis * step + row % step;
        double max = (double)-INFINITY, sum = 0;
        for (int64_t i = 0; i < r->rows.axis; ++i) max = fmax(max, r->src[first + i * step]);
        for (int64_t i = 0; i < r->rows.axis; ++i) sum += exp(r->src[first + i * step] - max);
        for (int64_t i = 0; i < r->rows.axis; ++i) {
            const int64_t at = first + i * step;
            const double x = r->src[at] - max;
            const double y = r->is_log ? x - log(sum) : exp(x) / sum;
            // The model scales the result by the source's scale, not the argument of e^x.
            r->dst[at] = ref_finish(r->args, y * args_scale(r->args, PRIM_ARG_SRC, at), at);
        }
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    reference_t r = {.args = args,
            .rows = get_rows(prb),
            .is_log = opt_word(prb, ALG) == PRIM_SOFTMAX_LOG,
            .src = args_data(args, PRIM_ARG_SRC),
            .dst = args_data(args, PRIM_ARG_DST)};
    if (r.rows.axis == 0) return;
    bench_parallel(r.rows.outer * r.rows.inner, 1 + 1024 / r.rows.axis, reference_rows, &r);
}

/// Devices may take numbers below the normal ones for 0. And the relative error of the sum is an
/// absolute one of its logarithm, which matters near 0.
static bool accepts_small(const prb_t *prb, const point_t *point)
{
    const bool is_log = opt_word(prb, ALG) == PRIM_SOFTMAX_LOG;
    if (point->diff < 0x1p-126) return true;
    return is_log && is_wide(opt_dt(prb, DDT, 0)) && point->diff <= 10 * dt_epsilon(PRIM_F32);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    const bool is_log = opt_word(prb, ALG) == PRIM_SOFTMAX_LOG;
    const double axis = (double)get_rows(prb).axis;
    const prim_data_type_t ddt = opt_dt(prb, DDT, 0);
    (void)args;
    (void)arg;
    // e^x and its sum are good to a few units in the last place of f32; log(sum) is subtracted.
    if (is_wide(ddt)) compare->threshold = 10 * dt_epsilon(PRIM_F32) * (is_log ? 5 : 1);
    compare->accepts = accepts_small;
    const double zeros = 100 * (axis - (double)count_tops(prb)) / axis;
    if (zeros > compare->zero_percent) compare->zero_percent = zeros;
    if (is_log && (dt_is_integer(ddt) || axis == 1)) compare->zero_percent = 100;
}

const driver_t bench_softmax_driver = {
        .name = "softmax",
        .primitive_kind = PRIM_SOFTMAX,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%sdt%,%ddt%,%stag%,%dtag%,%alg%,%axis%",
        .verify = verify,
        .skip = skip,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
