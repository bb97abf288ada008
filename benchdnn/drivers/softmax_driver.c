// SPDX-License-Identifier: Apache-2.0
// benchdnn --softmax: softmax and log-softmax along any axis, forward and backward.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "softmax_backward.h"
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

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

/// Gradients are of reals, without attributes, in buffers.
static skip_reason_t skip_backward(const prb_t *prb)
{
    const skip_reason_t reason = skip_gradient(
            prb, dt_is_integer(opt_dt(prb, SDT, 0)) || dt_is_integer(opt_dt(prb, DDT, 0)));
    if (reason != SKIP_NONE) return reason;
    if (strcmp(opt_tag(prb, STAG, 0), "image") == 0 || strcmp(opt_tag(prb, DTAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "softmax: gradients take no images");
    return SKIP_NONE;
}

static skip_reason_t skip(const prb_t *prb)
{
    skip_reason_t reason = skip_types(prb, SDT, DDT);
    if (reason == SKIP_NONE && is_backward(prb)) reason = skip_backward(prb);
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *const stag = opt_tag(prb, STAG, 0), *const dtag = opt_tag(prb, DTAG, 0);
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

static prim_status_t create_forward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const char *stag, prim_prop_kind_t prop_kind, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_status_t st = bench_md(&src, p->ndims, p->dims[0], opt_dt(prb, SDT, 0), stag);
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, p->ndims, p->dims[0], opt_dt(prb, DDT, 0), opt_tag(prb, DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    if (is_backward(prb)) dst = bench_dense(&dst);
    return prim_softmax_forward_desc_create(pd, engine, prop_kind,
            (prim_alg_kind_t)opt_word(prb, ALG), &src, &dst, (int)opt_int(prb, AXIS, 0), attr);
}

/// dst is laid out as the forward pass chose.
static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t diff_src, diff_dst;
    prim_status_t st =
            bench_md(&diff_src, p->ndims, p->dims[0], opt_dt(prb, SDT, 0), opt_tag(prb, STAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&diff_dst, p->ndims, p->dims[0], opt_dt(prb, DDT, 0), opt_tag(prb, DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    return prim_softmax_backward_desc_create(pd, engine, (prim_alg_kind_t)opt_word(prb, ALG),
            &diff_src, &diff_dst, prim_desc_query_md(hint, PRIM_QUERY_DST_MD, 0),
            (int)opt_int(prb, AXIS, 0), hint, attr);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const char *const stag = opt_tag(prb, STAG, 0);
    if (!is_backward(prb))
        return create_forward(pd, prb, engine, stag, direction_prop(opt_direction(prb, DIR)), attr);
    // Unlike the gradient, src itself has a known layout.
    const char *const hint_tag = strcmp(stag, "any") == 0 ? "abx" : stag;
    prim_desc_t *hint = NULL;
    prim_status_t st = create_forward(&hint, prb, engine, hint_tag, PRIM_FORWARD_TRAINING, NULL);
    if (st == PRIM_SUCCESS) st = create_backward(pd, prb, engine, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args_backward(const prb_t *prb, args_t *args)
{
    args_add(args, PRIM_ARG_DST, ARG_IN, DATA_DST);
    arg_t *const diff_dst = args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
    if (opt_bool(prb, INPLACE)) diff_dst->inplace_with = PRIM_ARG_DIFF_SRC;
    args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        list_args_backward(prb, args);
        return;
    }
    arg_t *const src = args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    if (opt_bool(prb, INPLACE)) src->inplace_with = PRIM_ARG_DST;
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

static softmax_rows_t get_rows(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int axis = (int)opt_int(prb, AXIS, 0);
    softmax_rows_t rows = {1, p->dims[0][axis], 1};
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

/// What a row holds. Integer destinations get one top in each row, since most results would be 0.
typedef enum {
    ROW_HIGH_TOPS, ///< a few values near 88, where e^x is about to overflow, the rest the lowest
    ROW_ORDINARY,  ///< reals around 0
    ROW_RISING,    ///< reals that step up by 1 eight times, so that every maximum comes too late
    ROW_LATE_JUMP, ///< reals around 0 and, at the end, some 40 above them
    ROW_LOW_TOPS,  ///< as the first, near 1
    ROW_MASKED,    ///< ordinary, every third is −∞
    ROW_ORDINARY_2,
    ROW_SPECIAL, ///< ordinary but for one NaN or +∞, or −∞ alone
    ROW_KINDS,
} row_kind_t;

typedef struct {
    softmax_rows_t rows;
    int64_t tops;
    prim_data_type_t dt;
    data_class_t data_class;
    bool takes_tops_only, takes_infinities;
} fill_t;

static row_kind_t kind_of(const fill_t *f, int64_t row)
{
    const bool is_odd = row % 2 == 1;
    if (f->takes_tops_only || f->data_class == CLASS_SMALL)
        return is_odd ? ROW_LOW_TOPS : ROW_HIGH_TOPS;
    switch (f->data_class) {
    case CLASS_REALS:
        return row % 3 == 0 ? ROW_RISING : row % 3 == 1 ? ROW_LATE_JUMP : ROW_ORDINARY;
    case CLASS_RANGE: return ROW_ORDINARY;
    case CLASS_SPECIAL: return is_odd ? ROW_SPECIAL : ROW_MASKED;
    default: break;
    }
    const row_kind_t kind = (row_kind_t)((row + 1) % ROW_KINDS);
    const bool is_special = kind == ROW_MASKED || kind == ROW_SPECIAL;
    return is_special && !f->takes_infinities ? ROW_LATE_JUMP : kind;
}

/// Every (axis / tops)-th place, from a start that moves with the row.
static double top_value(const fill_t *f, row_kind_t kind, int64_t row, int64_t place)
{
    const int64_t step = f->rows.axis > f->tops ? f->rows.axis / f->tops : 1;
    const int64_t shifted = (place + row * 7) % f->rows.axis;
    const bool is_top = shifted % step == 0 && shifted / step < f->tops;
    const double lowest = dt_lowest(f->dt);
    if (!is_top) return lowest;
    return (double)((kind == ROW_HIGH_TOPS || lowest == 0. ? 88 : 1) + shifted / step % 3);
}

static double special_value(const fill_t *f, int64_t row, int64_t place, double usual)
{
    const int64_t which = row / ROW_KINDS % 3;
    if (which == 2) return (double)-INFINITY;
    if (place != (row * 5 + 3) % f->rows.axis) return usual;
    return which == 0 ? (double)NAN : (double)INFINITY;
}

static double fill_value_at(const void *context, rng_t *rng, int64_t index)
{
    const fill_t *const f = context;
    const int64_t inner = index % f->rows.inner, axis = f->rows.axis;
    const int64_t place = index / f->rows.inner % axis;
    const int64_t row = index / f->rows.inner / axis * f->rows.inner + inner;
    const row_kind_t kind = kind_of(f, row);
    const bool is_integer = dt_is_integer(f->dt);
    // f8 and f16 hold 40 and small reals; integers take eighths of their range.
    const double usual = is_integer ? (double)rng_int(rng, dt_lowest(f->dt) < 0. ? -6 : 0, 6)
                                    : data_value(rng, CLASS_REALS, f->dt) / 2.;
    switch (kind) {
    case ROW_HIGH_TOPS:
    case ROW_LOW_TOPS: return top_value(f, kind, row, place);
    case ROW_RISING: return usual + (double)(place * 8 / axis);
    case ROW_LATE_JUMP: return usual + (place * 8 / axis == 7 ? 40. : 0.);
    case ROW_MASKED: return place % 3 == 1 && !is_integer ? (double)-INFINITY : usual;
    case ROW_SPECIAL: return is_integer ? usual : special_value(f, row, place, usual);
    default: return usual;
    }
}

static unsigned data_classes(const prb_t *prb)
{
    if (is_backward(prb)) return softmax_backward_data_classes();
    return data_classes_of(opt_dt(prb, SDT, 0)) & ~DATA_BIT(CLASS_EXTREMES);
}

static bool is_log(const prb_t *prb)
{
    return opt_word(prb, ALG) == PRIM_SOFTMAX_LOG;
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    if (is_backward(prb)) {
        softmax_backward_fill(prb, arg, get_rows(prb), is_log(prb));
        return;
    }
    const fill_t f = {.rows = get_rows(prb),
            .tops = count_tops(prb),
            .dt = arg->md.data_type,
            .data_class = prb->data_class,
            .takes_tops_only = dt_is_integer(opt_dt(prb, DDT, 0)),
            .takes_infinities =
                    !dt_is_integer(arg->md.data_type) && prb->attr->post_ops.count == 0};
    (void)args;
    fill_by_rng(arg, fill_value_at, &f);
}

typedef struct {
    args_t *args;
    softmax_rows_t rows;
    bool is_log;
    bool takes_exp2; ///< e^x may be 2^(x·log2 e), as a short destination does not show it
    const double *src;
} reference_t;

/// Σ e^(x − max), and the mean of |x − max| under these weights.
typedef struct {
    double max, sum, mean_distance;
} row_sum_t;

static row_sum_t sum_row(const reference_t *r, int64_t first)
{
    row_sum_t s = {.max = (double)-INFINITY};
    const int64_t step = r->rows.inner;
    for (int64_t i = 0; i < r->rows.axis; ++i) s.max = fmax(s.max, r->src[first + i * step]);
    for (int64_t i = 0; i < r->rows.axis; ++i) {
        const double x = r->src[first + i * step] - s.max, e = exp(x);
        s.sum += e;
        if (e > 0.) s.mean_distance += e * fabs(x);
    }
    s.mean_distance /= s.sum;
    return s;
}

/// What lies below the normal numbers of f32 may be taken for 0 (OpenCL C 1.2, section 7.5.3),
/// which a comparison behind it shows.
#define SUBNORMAL 0x1p-126

/// The error of e^x is one of x − max, absolute, and 10 ε of functions and sums (numerics.md).
static bounded_t result_of(const reference_t *r, const row_sum_t *s, double value)
{
    static const double unit = 0x1p-24;
    const double x = value - s->max;
    const double distance = (r->takes_exp2 ? 3. : 1.) * (fabs(x) + s->mean_distance);
    const double units = 20. + 2. * distance;
    if (!r->is_log) {
        const double y = exp(x) / s->sum;
        return (bounded_t){y, y > 0. ? unit * units * y + SUBNORMAL : 0.};
    }
    const double log_sum = log(s->sum), y = x - log_sum;
    return (bounded_t){y, unit * (units + 8. * fabs(log_sum) + 2. * fabs(y))};
}

static void reference_rows(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    for (int64_t row = begin; row < end; ++row) {
        const int64_t step = r->rows.inner;
        const int64_t first = row / step * r->rows.axis * step + row % step;
        const row_sum_t sum = sum_row(r, first);
        for (int64_t i = 0; i < r->rows.axis; ++i) {
            const int64_t at = first + i * step;
            bounded_t y = result_of(r, &sum, r->src[at]);
            // The model scales the result by the source's scale, not the argument of e^x.
            const double scale = args_scale(r->args, PRIM_ARG_SRC, at);
            y.value *= scale;
            y.slack = y.slack * fabs(scale) + (scale != 1. ? 0x1p-24 * fabs(y.value) : 0.);
            ref_store(r->args, y, at);
        }
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        softmax_backward_reference(args, get_rows(prb), is_log(prb));
        return;
    }
    const prim_data_type_t ddt = opt_dt(prb, DDT, 0);
    reference_t r = {.args = args,
            .rows = get_rows(prb),
            .is_log = is_log(prb),
            .takes_exp2 = dt_bits(ddt) < 32,
            .src = args_data(args, PRIM_ARG_SRC)};
    (void)args_slack(args, PRIM_ARG_DST);
    if (r.rows.axis == 0) return;
    bench_parallel(r.rows.outer * r.rows.inner, 1 + 1024 / r.rows.axis, reference_rows, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    const double axis = (double)get_rows(prb).axis;
    (void)args;
    (void)arg;
    compare->allows_nan_inf = true;
    if (is_backward(prb)) return;
    const double zeros = 100 * (axis - (double)count_tops(prb)) / axis;
    if (zeros > compare->zero_percent) compare->zero_percent = zeros;
    if (is_log(prb) && (dt_is_integer(opt_dt(prb, DDT, 0)) || axis == 1))
        compare->zero_percent = 100;
}

const driver_t bench_softmax_driver = {
        .name = "softmax",
        .primitive_kind = PRIM_SOFTMAX,
        .family = FAMILY_DIMS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D),
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%sdt%,%ddt%,%stag%,%dtag%,%alg%,%axis%",
        .verify = verify,
        .skip = skip,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
