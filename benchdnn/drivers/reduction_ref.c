// SPDX-License-Identifier: Apache-2.0
// Reductions in double, and how far f32 may end from them (doc/numerics.md).
#include "reduction_ref.h"

#include <math.h>

/// The unit round-off of f32.
#define UNIT 0x1p-24

/// Of pow(): 16 ulp in OpenCL, and the rounding of what it multiplies.
#define POW_UNITS 34.

bool reduction_is_norm(prim_alg_kind_t alg)
{
    return alg >= PRIM_REDUCTION_NORM_LP_MAX && alg <= PRIM_REDUCTION_NORM_LP_POWER_P_SUM;
}

static bool is_extremum(prim_alg_kind_t alg)
{
    return alg == PRIM_REDUCTION_MAX || alg == PRIM_REDUCTION_MIN;
}

/// Sums that 8-bit integers should hold.
static bool sums_to_bytes(const reduction_case_t *c)
{
    const bool is_sum = c->alg == PRIM_REDUCTION_SUM || reduction_is_norm(c->alg);
    return is_sum && (c->dst_dt == PRIM_S8 || c->dst_dt == PRIM_U8);
}

unsigned reduction_data_classes(const reduction_case_t *c)
{
    const unsigned all = data_classes_of(c->src_dt);
    const unsigned small = DATA_BIT(CLASS_SMALL), reals = DATA_BIT(CLASS_REALS);
    if (is_extremum(c->alg)) return all;
    // Powers, products and sums of the largest numbers overflow in some orders and not in others.
    if (reduction_is_norm(c->alg) || c->alg == PRIM_REDUCTION_MUL) return all & (small | reals);
    if (sums_to_bytes(c)) return small;
    return all & ~(DATA_BIT(CLASS_EXTREMES) | DATA_BIT(CLASS_SPECIAL));
}

/// Factors whose product is no larger than e^10 or so: powers of two, most of them 1, or reals
/// around 1.
static double factor_value(const void *context, rng_t *rng, int64_t index)
{
    const reduction_case_t *const c = context;
    const double n = (double)c->nreduced;
    const double sign = dt_lowest(c->src_dt) < 0. && rng_chance(rng, .5) ? -1. : 1.;
    (void)index;
    if (c->data_class == CLASS_REALS) {
        const double width = fmin(1., 4. / sqrt(n + 1.));
        return sign * exp2((2. * rng_real(rng) - 1.) * width);
    }
    return sign * (rng_chance(rng, fmin(.5, 4. / (n + 1.))) ? (double)rng_int(rng, 2, 3) : 1.);
}

/// What u8 can hold, where it is the destination: minima of signed numbers would all be 0.
typedef struct {
    data_mixture_t mixture;
    bool is_positive;
} values_t;

static double value_at(const void *context, rng_t *rng, int64_t index)
{
    const values_t *const values = context;
    const double x = data_class_value(&values->mixture, rng, index);
    return values->is_positive ? fmin(fabs(x) + 1., dt_max(values->mixture.dt)) : x;
}

/// Integers that add up to less than 100.
static void fill_for_bytes(const reduction_case_t *c, arg_t *arg)
{
    const bool has_negatives = dt_lowest(c->src_dt) < 0. && c->dst_dt != PRIM_U8;
    const double density = fmin(1., 50. / (double)(c->nreduced + 1));
    fill_ints(arg, has_negatives ? -2 : 1, 2, density);
}

void reduction_fill(const reduction_case_t *c, arg_t *arg)
{
    const prim_data_type_t dt = arg->kind == DATA_DST ? c->dst_dt : c->src_dt;
    // Special values in each third element of dst, not in each.
    const int64_t rare = 3 * c->nreduced + 1;
    const bool takes_all = is_extremum(c->alg) && !c->has_post_ops;
    const values_t values = {{c->data_class, dt, c->has_post_ops ? 0 : rare, takes_all ? 7 : 0},
            c->dst_dt == PRIM_U8};
    if (arg->kind == DATA_DST)
        fill_ints(arg, dt_lowest(dt) < 0. ? -8 : 0, 8, 1.);
    else if (c->alg == PRIM_REDUCTION_MUL)
        fill_by_rng(arg, factor_value, c);
    else if (sums_to_bytes(c))
        fill_for_bytes(c, arg);
    else
        fill_by_rng(arg, value_at, &values);
}

/// The result so far, and what its error is measured by.
typedef struct {
    double value, size;
    bool has_integers; ///< all terms are
} partial_t;

static partial_t start_of(prim_alg_kind_t alg)
{
    partial_t p = {0., 0., true};
    if (alg == PRIM_REDUCTION_MAX) p.value = (double)-INFINITY;
    if (alg == PRIM_REDUCTION_MIN) p.value = (double)INFINITY;
    if (alg == PRIM_REDUCTION_MUL) p.value = 1.;
    return p;
}

static void take(partial_t *p, const reduction_case_t *c, double x)
{
    const double term = !reduction_is_norm(c->alg) ? x : c->p == 2. ? x * x : pow(fabs(x), c->p);
    if (isnan(p->value)) return;
    if (isnan(x))
        p->value = x;
    else if (c->alg == PRIM_REDUCTION_MAX)
        p->value = fmax(p->value, x);
    else if (c->alg == PRIM_REDUCTION_MIN)
        p->value = fmin(p->value, x);
    else if (c->alg == PRIM_REDUCTION_MUL)
        p->value *= x;
    else
        p->value += term;
    p->size += fabs(term);
    p->has_integers = p->has_integers && floor(term) == term;
}

/// Of the sum of the terms; integers are added exactly, and rounded when they become a float.
static double sum_error(const reduction_case_t *c, const partial_t *p)
{
    const double n = (double)c->nreduced, longest = 65536.;
    const bool has_pow = reduction_is_norm(c->alg) && c->p != 1. && c->p != 2.;
    if (!isfinite(p->size)) return 0.;
    if (p->has_integers && !has_pow && p->size < 0x1p24) return 0.;
    if (dt_is_integer(c->src_dt)) return UNIT * fabs(p->value);
    return UNIT * p->size * (fmin(n, longest) + n / longest + 16. + (has_pow ? POW_UNITS : 1.));
}

/// v^(1/p) of v ≥ 0 with an error, which the exponent's rounding adds to.
static bounded_t root_of(bounded_t v, double p)
{
    if (p == 1.) return v;
    const double y = pow(v.value, 1. / p);
    const double above = pow(v.value + v.slack, 1. / p) - y;
    const double below = y - pow(fmax(v.value - v.slack, 0.), 1. / p);
    const double exponent = v.value > 0. ? fabs(log(v.value)) / p : 0.;
    return (bounded_t){y, fmax(above, below) + UNIT * y * (2. * POW_UNITS + exponent)};
}

static bounded_t norm_of(const reduction_case_t *c, const partial_t *p)
{
    const bool is_max =
            c->alg == PRIM_REDUCTION_NORM_LP_MAX || c->alg == PRIM_REDUCTION_NORM_LP_POWER_P_MAX;
    const bool has_root =
            c->alg == PRIM_REDUCTION_NORM_LP_MAX || c->alg == PRIM_REDUCTION_NORM_LP_SUM;
    bounded_t v = {is_max ? fmax(p->value, c->eps) : p->value + c->eps, sum_error(c, p)};
    if (!is_max && c->eps != 0.) v.slack += UNIT * fabs(v.value);
    return has_root ? root_of(v, c->p) : v;
}

static bounded_t product_of(const reduction_case_t *c, const partial_t *p)
{
    const bool is_exact = p->has_integers && fabs(p->value) < 0x1p24;
    return (bounded_t){p->value, is_exact ? 0. : UNIT * (double)c->nreduced * fabs(p->value)};
}

static bounded_t last_step(const reduction_case_t *c, const partial_t *p)
{
    const bool stays_integer = dt_is_integer(c->dst_dt) && !c->has_post_ops;
    const bool rounds = dt_is_integer(c->src_dt) && !stays_integer && fabs(p->value) > 0x1p24;
    bounded_t y = {p->value, rounds && isfinite(p->value) ? UNIT * fabs(p->value) : 0.};
    if (is_extremum(c->alg)) return y;
    if (c->alg == PRIM_REDUCTION_MUL) return product_of(c, p);
    if (reduction_is_norm(c->alg)) return norm_of(c, p);
    if (!dt_is_integer(c->src_dt)) y.slack = sum_error(c, p);
    if (c->alg != PRIM_REDUCTION_MEAN) return y;
    const double n = (double)c->nreduced, mean = p->value / n;
    // The sum and n as floats, and a quotient of 2.5 ulp.
    return (bounded_t){mean, isfinite(mean) ? y.slack / n + 7. * UNIT * fabs(mean) : 0.};
}

typedef struct {
    const reduction_case_t *c;
    args_t *args;
    const double *src;
} reference_t;

/// Strides of src, dense and row-major.
static void strides_of(int64_t *strides, const problem_t *p)
{
    int64_t stride = 1;
    for (int d = p->ndims - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= p->dims[0][d];
    }
}

static void reduce_element(const reference_t *r, int64_t index)
{
    const problem_t *const p = r->c->problem;
    int64_t strides[PRIM_MAX_NDIMS], at[PRIM_MAX_NDIMS] = {0}, offset = 0, rest = index;
    strides_of(strides, p);
    for (int d = p->ndims - 1; d >= 0; --d) {
        offset += rest % p->dims[1][d] * strides[d];
        rest /= p->dims[1][d];
    }
    partial_t partial = start_of(r->c->alg);
    for (int64_t i = 0; i < r->c->nreduced; ++i) {
        take(&partial, r->c, r->src[offset]);
        for (int d = p->ndims - 1; d >= 0; --d) {
            if (p->dims[0][d] == p->dims[1][d]) continue;
            offset += strides[d];
            if (++at[d] < p->dims[0][d]) break;
            offset -= at[d] * strides[d];
            at[d] = 0;
        }
    }
    ref_store(r->args, last_step(r->c, &partial), index);
}

static void reduce_range(void *context, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i) reduce_element(context, i);
}

void reduction_reference(const reduction_case_t *c, args_t *args)
{
    reference_t r = {c, args, args_data(args, PRIM_ARG_SRC)};
    (void)args_slack(args, PRIM_ARG_DST);
    const int64_t n = args_find(args, PRIM_ARG_DST)->nelems;
    bench_parallel(n, 1 + 4096 / (c->nreduced + 1), reduce_range, &r);
}
