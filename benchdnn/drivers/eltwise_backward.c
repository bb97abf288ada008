// SPDX-License-Identifier: Apache-2.0
// The gradients of element-wise functions in double, and how far f32 may end from them
// (doc/numerics.md).
#include "eltwise_backward.h"

#include <math.h>

/// The unit round-off of f32; units of a composition of a few of OpenCL's functions.
#define UNIT 0x1p-24
#define FEW_UNITS 67.

int eltwise_data_arg(prim_alg_kind_t alg)
{
    switch (alg) {
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return PRIM_ARG_DST;
    default: return PRIM_ARG_SRC;
    }
}

// ---- Data ------------------------------------------------------------------------------------

typedef struct {
    data_class_t data_class;
    prim_data_type_t dt;
} fill_t;

/// Of both signs and never 0, so that every f' is seen.
static double diff_value(const void *context, rng_t *rng, int64_t index)
{
    const fill_t *const f = context;
    const double size = (double)rng_int(rng, 1, 4);
    const double step = rng_chance(rng, 0.5) ? size : -size;
    const bool is_whole = f->data_class == CLASS_SMALL || index % 4 == 0;
    return is_whole ? step : step * data_significand(rng, f->dt);
}

void eltwise_backward_fill(arg_t *arg, data_class_t data_class)
{
    const fill_t f = {data_class, arg->md.data_type};
    fill_by_rng(arg, diff_value, &f);
}

// ---- Reference -------------------------------------------------------------------------------

/// f', the units of its own error with the size that they are relative to, and what a value next to
/// a corner may be off by.
typedef struct {
    double value, units, size, corner;
} slope_t;

static slope_t exactly(double value)
{
    return (slope_t){.value = value};
}

static slope_t about(double value, double units)
{
    return (slope_t){value, units, fabs(value), 0.};
}

/// A sum of two terms, each a composition of a few functions.
static slope_t sum_of(double a, double b)
{
    return (slope_t){a + b, FEW_UNITS, fabs(a) + fabs(b), 0.};
}

static double logistic(double x)
{
    return x < 0. ? exp(x) / (1. + exp(x)) : 1. / (1. + exp(-x));
}

/// x·f with f next to 0 where x is large: no ∞·0.
static double fading(double x, double f)
{
    return f == 0. ? 0. : x * f;
}

/// σ(p) + factor·σ(p)·σ(−p), where p has so many roundings: both terms move by σ(p)·σ(−p) times
/// its error, the second by that times the factor.
static slope_t gated_slope(double p, double factor, double roundings)
{
    const double steep = logistic(p) * logistic(-p);
    slope_t s = sum_of(logistic(p), fading(factor, steep));
    s.size += fading(roundings * fabs(p) * (1. + fabs(factor)), steep) / FEW_UNITS;
    return s;
}

static slope_t gelu_tanh_slope(double x)
{
    static const double root = 1.59576912160573071176; // √(8/π)
    if (isinf(x)) return exactly(x > 0.);
    return gated_slope(root * x * (1. + 0.044715 * x * x), root * x * (1. + 0.134145 * x * x), 6.);
}

static slope_t gelu_erf_slope(double x)
{
    static const double root = 2.50662827463100050242; // √(2π)
    return sum_of(0.5 * erfc(-x / sqrt(2.)), fading(x, exp(-0.5 * x * x) / root));
}

static slope_t mish_slope(double x)
{
    if (isinf(x)) return exactly(x > 0.);
    // With s = ln(1 + e^x): tanh s, and x·σ(x)/cosh² s.
    const double s = x > 0. ? x + log1p(exp(-x)) : log1p(exp(x));
    const double inverse_cosh = 2. * exp(-s) / (1. + exp(-2. * s));
    return sum_of(tanh(s), x * logistic(x) * inverse_cosh * inverse_cosh);
}

static slope_t pow_slope(double x, double alpha, double beta)
{
    if (beta == 0.) return exactly(0.);
    const double y = alpha * beta * pow(x, beta - 1.);
    // β − 1 is rounded, and stands in the exponent.
    const double exponent = beta - 1. == (double)(float)(beta - 1.) || x == 0. || !isfinite(x)
                                    ? 0.
                                    : fabs((beta - 1.) * log(fabs(x)));
    return about(y, FEW_UNITS + exponent);
}

/// Of hardsigmoid and hardswish: α·x + β may come out on the other side of 0 or 1.
static slope_t hard_slope(double x, double alpha, double beta, bool is_swish)
{
    const double line = alpha * x + beta, error = 2. * UNIT * (fabs(alpha * x) + fabs(beta));
    const double inside = is_swish ? 2. * alpha * x + beta : alpha;
    const double above = is_swish ? 1. : 0.;
    slope_t s = exactly(line <= 0. ? 0. : line >= 1. ? above : inside);
    if (line > 0. && line < 1. && is_swish) {
        s.units = 2.;
        s.size = fabs(2. * alpha * x) + fabs(beta);
    }
    if (fabs(line) <= error) s.corner = fabs(inside);
    if (fabs(line - 1.) <= error) s.corner = fmax(s.corner, fabs(inside - above));
    return s;
}

static slope_t slope_by_dst(prim_alg_kind_t alg, double y, double alpha, double beta)
{
    switch (alg) {
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return exactly(y > 0. ? 1. : alpha);
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: return about((1. - y) * (1. + y), 3.);
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: return y > 0. ? exactly(1.) : about(y + alpha, 1.);
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: return about(0.5 / y, 6.);
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: return about(y * (1. - y), 2.);
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: return exactly(y);
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return exactly(y > alpha && y < beta);
    default: return exactly((double)NAN);
    }
}

static slope_t slope_of(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    switch (alg) {
    case PRIM_ELTWISE_RELU: return exactly(x > 0. ? 1. : alpha);
    case PRIM_ELTWISE_TANH: return about(4. * logistic(2. * x) * logistic(-2. * x), FEW_UNITS);
    case PRIM_ELTWISE_ELU: return x > 0. ? exactly(1.) : about(alpha * exp(x), FEW_UNITS);
    case PRIM_ELTWISE_SQUARE: return exactly(2. * x);
    case PRIM_ELTWISE_ABS: return exactly(x > 0. ? 1. : x < 0. ? -1. : 0.);
    case PRIM_ELTWISE_SQRT: return about(0.5 / sqrt(x), FEW_UNITS);
    case PRIM_ELTWISE_LINEAR: return exactly(alpha);
    case PRIM_ELTWISE_SOFT_RELU: return about(logistic(alpha * x), FEW_UNITS);
    case PRIM_ELTWISE_HARDSIGMOID: return hard_slope(x, alpha, beta, false);
    case PRIM_ELTWISE_LOGISTIC: return about(logistic(x) * logistic(-x), FEW_UNITS);
    case PRIM_ELTWISE_EXP: return about(exp(x), FEW_UNITS);
    case PRIM_ELTWISE_GELU_TANH: return gelu_tanh_slope(x);
    case PRIM_ELTWISE_SWISH: return gated_slope(alpha * x, alpha * x, 1.);
    case PRIM_ELTWISE_LOG: return about(1. / x, 6.);
    case PRIM_ELTWISE_CLIP: return exactly(x > alpha && x <= beta);
    case PRIM_ELTWISE_CLIP_V2: return exactly(x > alpha && x < beta);
    case PRIM_ELTWISE_POW: return pow_slope(x, alpha, beta);
    case PRIM_ELTWISE_GELU_ERF: return gelu_erf_slope(x);
    case PRIM_ELTWISE_MISH: return mish_slope(x);
    case PRIM_ELTWISE_HARDSWISH: return hard_slope(x, alpha, beta, true);
    default: return slope_by_dst(alg, x, alpha, beta);
    }
}

static bounded_t gradient_at(const eltwise_gradient_t *g, double x, double diff)
{
    const slope_t s = slope_of(g->alg, x, (double)g->alpha, (double)g->beta);
    const double value = diff * s.value;
    // f' or a factor of it below the normal numbers may be flushed before it is multiplied by what
    // is at most 1 + |α| or, of the gated functions, some x².
    const double flushed = 0x1p-126 * (1. + fabs((double)g->alpha)) * fmin(1. + x * x, 1024.);
    const double own = s.units > 0. ? UNIT * s.units * s.size + flushed : 0.;
    const bool is_kept = s.value == 0. || fabs(s.value) == 1.;
    const double slack = fabs(diff) * (own + s.corner) + (is_kept ? 0. : UNIT * fabs(value));
    return (bounded_t){value, isfinite(slack) ? slack : 0.};
}

typedef struct {
    const eltwise_gradient_t *gradient;
    const double *data, *diff_dst;
    double *diff_src, *slack;
} reference_t;

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    for (int64_t i = begin; i < end; ++i) {
        const bounded_t at = gradient_at(r->gradient, r->data[i], r->diff_dst[i]);
        r->diff_src[i] = at.value;
        r->slack[i] = at.slack;
    }
}

void eltwise_backward_reference(const eltwise_gradient_t *gradient, args_t *args)
{
    reference_t r = {.gradient = gradient,
            .data = args_data(args, eltwise_data_arg(gradient->alg)),
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC)};
    bench_parallel(args_find(args, PRIM_ARG_DIFF_SRC)->nelems, 8192, reference_range, &r);
}

// ---- Comparison ------------------------------------------------------------------------------

bool eltwise_backward_accepts(const eltwise_gradient_t *gradient, const point_t *point)
{
    const double x = args_data(point->args, eltwise_data_arg(gradient->alg))[point->offset];
    const double diff = args_data(point->args, PRIM_ARG_DIFF_DST)[point->offset];
    if (!(fabs(x) < 0x1p-126)) return false;
    const bounded_t of_zero = gradient_at(gradient, copysign(0., x), diff);
    if (isnan(of_zero.value)) return isnan(point->got);
    return point->got >= dt_round(gradient->dt, of_zero.value - of_zero.slack) &&
           point->got <= dt_round(gradient->dt, of_zero.value + of_zero.slack);
}

double eltwise_backward_zero_percent(prim_alg_kind_t alg)
{
    switch (alg) {
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_HARDSIGMOID:
    case PRIM_ELTWISE_POW:
    case PRIM_ELTWISE_LINEAR: return 100.;
    default: return 75.;
    }
}
