// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax in double, and how far f32 may end from them.
#include "softmax_backward.h"

#include <math.h>

// ---- Data ------------------------------------------------------------------------------------

/// What a row holds. Gradients are never 0, and all products but those of ROW_REALS add up exactly.
typedef enum {
    ROW_EIGHTHS, ///< dst in eighths, or minus eighths for logarithms; gradients −4..4
    ROW_REALS,   ///< every bit of the mantissa is used
    ROW_PEAK,    ///< a probability next to 1, the others small; real gradients
    ROW_SPECIAL, ///< as eighths; one gradient is NaN or +∞, or every third logarithm is −∞
    ROW_KINDS,
} row_kind_t;

typedef struct {
    softmax_rows_t rows;
    prim_data_type_t dt;
    data_class_t data_class;
    bool is_log, is_gradient;
} fill_t;

static row_kind_t kind_of(const fill_t *f, int64_t row)
{
    switch (f->data_class) {
    case CLASS_SMALL: return ROW_EIGHTHS;
    case CLASS_REALS: return row % 2 == 0 ? ROW_REALS : ROW_PEAK;
    case CLASS_SPECIAL: return ROW_SPECIAL;
    default: return (row_kind_t)((row + 1) % ROW_KINDS);
    }
}

static bool is_chosen(const fill_t *f, int64_t row, int64_t place)
{
    return place == (row * 5 + 3) % f->rows.axis;
}

/// ±1 to ±4.
static double step_gradient(rng_t *rng)
{
    const double size = (double)rng_int(rng, 1, 4);
    return rng_chance(rng, 0.5) ? size : -size;
}

static double gradient_value(const fill_t *f, rng_t *rng, row_kind_t kind, int64_t row, int64_t at)
{
    const double step = step_gradient(rng);
    const int64_t which = row / ROW_KINDS % 3;
    if (kind == ROW_REALS || kind == ROW_PEAK) return step * data_significand(rng, f->dt);
    if (kind != ROW_SPECIAL || which == 2 || !is_chosen(f, row, at)) return step;
    return which == 0 ? (double)NAN : (double)INFINITY;
}

/// In (0, 1], its logarithm below 0.
static double result_value(const fill_t *f, rng_t *rng, row_kind_t kind, int64_t row, int64_t at)
{
    const int eighths = (int)rng_int(rng, 1, 8);
    const bool is_masked = kind == ROW_SPECIAL && row / ROW_KINDS % 3 == 2 && at % 3 == 1;
    if (f->is_log && is_masked) return (double)-INFINITY;
    if (kind == ROW_EIGHTHS || kind == ROW_SPECIAL) return (f->is_log ? -eighths : eighths) / 8.;
    const double real = data_significand(rng, f->dt);
    const bool is_peak = kind == ROW_PEAK && is_chosen(f, row, at);
    if (f->is_log) return is_peak ? -real / 64. : -real * (kind == ROW_PEAK ? 6. : 2.);
    if (is_peak) return 1. - real / 64.;
    return ldexp(real, kind == ROW_PEAK ? -6 : -(eighths + 1) / 2);
}

static double fill_value_at(const void *context, rng_t *rng, int64_t index)
{
    const fill_t *const f = context;
    const int64_t inner = index % f->rows.inner, axis = f->rows.axis;
    const int64_t place = index / f->rows.inner % axis;
    const int64_t row = index / f->rows.inner / axis * f->rows.inner + inner;
    const row_kind_t kind = kind_of(f, row);
    return f->is_gradient ? gradient_value(f, rng, kind, row, place)
                          : result_value(f, rng, kind, row, place);
}

unsigned softmax_backward_data_classes(void)
{
    return DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS) | DATA_BIT(CLASS_SPECIAL) |
           DATA_BIT(CLASS_MIXED);
}

void softmax_backward_fill(const prb_t *prb, arg_t *arg, softmax_rows_t rows, bool is_log)
{
    const fill_t f = {.rows = rows,
            .dt = arg->md.data_type,
            .data_class = prb->data_class,
            .is_log = is_log,
            .is_gradient = arg->id == PRIM_ARG_DIFF_DST};
    fill_by_rng(arg, fill_value_at, &f);
}

// ---- Reference -------------------------------------------------------------------------------

/// The unit round-off of f32.
#define UNIT 0x1p-24

typedef struct {
    softmax_rows_t rows;
    bool is_log;
    const double *dst, *diff_dst;
    double *diff_src, *slack;
} reference_t;

/// Σ diff_dst·dst, or Σ diff_dst for logarithms, and how far the sum in f32 may be from it.
typedef struct {
    double value, error;
} row_sum_t;

static row_sum_t sum_row(const reference_t *r, int64_t first)
{
    // Eighths below 2^21 have no more than 24 bits, so that they add up exactly in any order.
    const double n = (double)r->rows.axis, longest = 65536., eighths = 8., most = 0x1p21;
    double value = 0., size = 0.;
    bool is_exact = true;
    for (int64_t i = 0; i < r->rows.axis; ++i) {
        const int64_t at = first + i * r->rows.inner;
        const double term = r->is_log ? r->diff_dst[at] : r->diff_dst[at] * r->dst[at];
        value += term;
        size += fabs(term);
        is_exact = is_exact && term * eighths == rint(term * eighths);
    }
    if (is_exact && size < most) return (row_sum_t){value, 0.};
    return (row_sum_t){value, UNIT * size * (fmin(n, longest) + n / longest + 16.)};
}

/// doc/numerics.md derives the slack.
static bounded_t gradient_of(const reference_t *r, const row_sum_t *sum, int64_t at)
{
    const double diff = r->diff_dst[at], y = r->is_log ? exp(r->dst[at]) : r->dst[at];
    const double value = r->is_log ? diff - y * sum->value : y * (diff - sum->value);
    const double own =
            r->is_log ? UNIT * (8. * y * fabs(sum->value) + fabs(value)) : UNIT * 3. * fabs(value);
    return (bounded_t){value, own + y * sum->error * (1. + 16. * UNIT)};
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
            const bounded_t gradient = gradient_of(r, &sum, at);
            r->diff_src[at] = gradient.value;
            r->slack[at] = gradient.slack;
        }
    }
}

void softmax_backward_reference(args_t *args, softmax_rows_t rows, bool is_log)
{
    reference_t r = {.rows = rows,
            .is_log = is_log,
            .dst = args_data(args, PRIM_ARG_DST),
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC)};
    if (rows.axis == 0) return;
    bench_parallel(rows.outer * rows.inner, 1 + 1024 / rows.axis, reference_rows, &r);
}
