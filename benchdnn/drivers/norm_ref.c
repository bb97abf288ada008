// SPDX-License-Identifier: Apache-2.0
// Normalisations: data whose mean and variance are known powers of two, so that statistics have to
// come out exact, and the reference in double, which computes them from the data all the same.
#include "norm_ref.h"

#include <math.h>

/// The distribution of a case's data.
typedef struct {
    int64_t channels, spatial, nelems;   ///< nelems: of one channel
    bool is_integer, has_mean, is_given; ///< is_given: the statistics
    bool has_outlier, has_reals, is_shared;
    int narrowness; ///< the spread is 2^-narrowness of the mean
} data_t;

static int floor_log2(int64_t x)
{
    int bits = 0;
    while (x >>= 1) ++bits;
    return bits;
}

// Elements are multiples of spread/2 below 2·mean, so a sum of n takes narrowness + 2 + log2(n)
// bits and an element narrowness + 2; both have to fit, the former in single precision.
static int exact_narrowness(const data_t *data, prim_data_type_t dt)
{
    const int by_sum = dt_digits(PRIM_F32) - 3 - floor_log2(data->nelems > 0 ? data->nelems : 1);
    const int by_type = dt_digits(dt) - 2;
    const int least = by_sum < by_type ? by_sum : by_type;
    return least < 1 ? 1 : least > 7 ? 7 : least;
}

static data_t data_of(const norm_case_t *norm)
{
    data_t data = {.channels = norm->channels,
            .spatial = norm->spatial,
            .nelems = norm->images * norm->spatial,
            .has_mean = norm->fill != FILL_NO_MEAN && norm->fill != FILL_OUTLIER,
            .has_outlier = norm->fill == FILL_OUTLIER && !norm->is_shared,
            .is_shared = norm->is_shared,
            .is_given = norm->flags & PRIM_USE_GLOBAL_STATS,
            .is_integer = dt_is_integer(norm->dt),
            .has_reals = norm->data_class == CLASS_REALS};
    data.narrowness =
            data.is_integer || norm->fill == FILL_WIDE ? 1 : exact_narrowness(&data, norm->dt);
    return data;
}

bool norm_stats_are_exact(const norm_case_t *norm)
{
    // Three elements have no rational spread; more than 2^20 may not add up in 24 bits.
    const data_t data = data_of(norm);
    return data.nelems != 3 && data.nelems <= (int64_t)1 << 20 && !data.has_outlier &&
           !data.has_reals && !data.is_shared;
}

static double size_of(const data_t *data, int64_t c)
{
    return data->is_integer ? (double)(4 << c % 4) : .25 * (double)(1 << c % 7);
}

static double mean_of(const data_t *data, int64_t c)
{
    return data->has_mean ? size_of(data, c) : 0.;
}

static double spread_of(const data_t *data, int64_t c)
{
    return data->has_mean ? ldexp(size_of(data, c), -data->narrowness) : size_of(data, c);
}

// A lone element is its own mean, unless that is given.
static bool has_middle(const data_t *data)
{
    return !data->has_reals && data->nelems % 2 == 1 && !(data->is_given && data->nelems == 1);
}

double norm_zero_percent(const norm_case_t *norm)
{
    const data_t data = data_of(norm);
    return has_middle(&data) ? 100. / (double)data.nelems : 0.;
}

// An element that implementations may take for the centre of sums of squares: the rest of the
// channel is lost in them.
static const double outlier_spreads = 1024.;

// Element j lies one spread above or below the mean and element n - 1 - j on the other side. An odd
// number has 3/2, 1/2, 0, -1/2 and -3/2 spreads in its middle: five with the same mean square.
static double src_value(const void *context, int64_t index)
{
    const data_t *const data = context;
    const int64_t c = index / data->spatial % data->channels;
    const int64_t j =
            index / (data->spatial * data->channels) * data->spatial + index % data->spatial;
    const int64_t mirror = data->nelems - 1 - j;
    const int64_t pair = j < mirror ? j : mirror;
    rng_t rng = rng_seed((uint64_t)(c * data->nelems + pair) + 1);
    double side = rng_chance(&rng, .5) ? 1. : -1.;
    if (j > mirror) side = -side;
    if (has_middle(data)) {
        const int64_t from_middle = data->nelems / 2 - pair;
        if (from_middle == 0) side = 0.;
        if (from_middle == 1 && data->nelems > 3) side *= .5;
        if (from_middle == 2) side *= 1.5;
    }
    if (data->has_outlier && pair == (data->nelems - 1) / 2) side *= outlier_spreads;
    return mean_of(data, c) + side * spread_of(data, c);
}

// Up to 3/2 spreads around the mean, with all bits of the mantissa.
static double real_value(const void *context, rng_t *rng, int64_t index)
{
    const data_t *const data = context;
    const int64_t c = index / data->spatial % data->channels;
    return mean_of(data, c) + (3. * rng_real(rng) - 1.5) * spread_of(data, c);
}

static double mean_value(const void *context, int64_t c)
{
    return mean_of(context, c);
}

static double variance_value(const void *context, int64_t c)
{
    const double spread = spread_of(context, c);
    return spread * spread;
}

static double scale_value(const void *context, int64_t c)
{
    (void)context;
    return (double)(1 << (c + 2) % 7) / 8.;
}

static double shift_value(const void *context, int64_t c)
{
    (void)context;
    return (double)(c % 3 - 1) * (double)(1 << c % 7) * (NORM_MAX_SHIFT / 64.);
}

unsigned norm_data_classes(const norm_case_t *norm)
{
    const bool has_pattern = norm->fill == FILL_OUTLIER;
    const unsigned reals = DATA_BIT(CLASS_REALS), small = DATA_BIT(CLASS_SMALL);
    return dt_is_integer(norm->dt) || has_pattern ? small : small | reals;
}

void norm_fill(const norm_case_t *norm, arg_t *arg)
{
    const data_t data = data_of(norm);
    switch (arg->kind) {
    case DATA_SRC:
        if (data.has_reals)
            fill_by_rng(arg, real_value, &data);
        else
            fill_by_index(arg, src_value, &data);
        break;
    case DATA_SRC_1: {
        const double unit = data.is_integer ? 1. : .5;
        const int64_t reach = (int64_t)(NORM_MAX_ADDEND / unit);
        fill_multiples(arg, norm->dt == PRIM_U8 ? 0 : -reach, reach, unit, 1.);
        break;
    }
    case DATA_MEAN: fill_by_index(arg, mean_value, &data); break;
    case DATA_VARIANCE: fill_by_index(arg, variance_value, &data); break;
    case DATA_SCALE: fill_by_index(arg, scale_value, &data); break;
    default: fill_by_index(arg, shift_value, &data); break;
    }
}

/// What the threads of the reference share.
typedef struct {
    data_t data;
    const norm_case_t *norm;
    unsigned flags;
    double epsilon;
    bool has_exact_stats;
    args_t *args;
    const double *src, *addend, *scale, *shift, *given_mean, *given_variance;
    double *mean, *variance, *workspace;
    double *mean_slack, *variance_slack, *workspace_slack;
} reference_t;

/// Element `j` of channel `c`.
static int64_t offset_of(const data_t *data, int64_t c, int64_t j)
{
    return (j / data->spatial * data->channels + c) * data->spatial + j % data->spatial;
}

int64_t norm_parameter(const norm_case_t *norm, int64_t c, int64_t j)
{
    if (norm->parameter_elems == 0) return c;
    const int64_t of_channel = norm->images * norm->spatial / norm->parameter_elems;
    return c % norm->parameter_channels * of_channel + j / norm->parameter_elems;
}

// The mean of (x - centre)^power over a channel.
static double moment(const reference_t *r, int64_t c, double centre, int power)
{
    if (r->data.nelems == 0) return 0.;
    double sum = 0.;
    for (int64_t j = 0; j < r->data.nelems; ++j) {
        const double x = r->src[offset_of(&r->data, c, j)] - centre;
        sum += power == 1 ? x : x * x;
    }
    return sum / (double)r->data.nelems;
}

/// How far elements of a channel lie from their mean.
static double reach_of(const reference_t *r, int64_t c, double mean)
{
    double reach = 0.;
    for (int64_t j = 0; j < r->data.nelems; ++j)
        reach = fmax(reach, fabs(r->src[offset_of(&r->data, c, j)] - mean));
    return reach;
}

/// The error of sums of a channel's elements, in units: no more than the number of additions, and
/// with all but certainty below 8 √n (Higham, Mary, A new approach to probabilistic rounding error
/// analysis, SIAM J. Sci. Comput. 41, 2019, theorem 2.4 with λ = 8).
static double sum_units(const reference_t *r)
{
    const double n = (double)r->data.nelems;
    return fmin(n, 8. * sqrt(n)) + 8.;
}

static const double unit = 0x1p-24;

/// Of a channel.
typedef struct {
    bounded_t mean, variance;
} stats_t;

static stats_t stats_of(const reference_t *r, int64_t c)
{
    stats_t s = {{0., 0.}, {0., 0.}};
    if (r->flags & PRIM_USE_GLOBAL_STATS) {
        s.mean.value = r->given_mean[c];
        s.variance.value = r->given_variance[c];
        return s;
    }
    s.mean.value = moment(r, c, 0., 1);
    s.variance.value = moment(r, c, s.mean.value, 2);
    if (r->has_exact_stats) return s;
    // Outliers and channels of three: the second pass. Others: squares of distances from an
    // element, which are larger than those from the mean by the square of its own distance.
    const bool is_real = r->data.has_reals || r->data.is_shared;
    const double units = is_real ? sum_units(r) : 12.;
    const double reach = is_real ? reach_of(r, c, s.mean.value) : 0.;
    s.mean.slack = units * unit * (fabs(s.mean.value) + reach);
    // About a mean that is off the squares are larger by the square of that.
    s.variance.slack = units * unit * (s.variance.value + reach * reach) +
                       (is_real ? s.mean.slack * s.mean.slack : 0.);
    return s;
}

/// ((x − mean)·factor + shift + addend)·scale of src for place `j` of channel `c`: a difference, a
/// root and a quotient of 2.5 ulp each, three products, 13 units of the largest term; and the
/// errors of the statistics.
static bounded_t normalise(const reference_t *r, const stats_t *s, int64_t c, int64_t j)
{
    const int64_t offset = offset_of(&r->data, c, j), parameter = norm_parameter(r->norm, c, j);
    const double variance = s->variance.value + r->epsilon;
    const double factor = (r->scale ? r->scale[parameter] : 1.) / sqrt(variance);
    const double shift = r->shift ? r->shift[parameter] : 0.;
    const double addend = r->addend ? r->addend[offset] : 0.;
    const double x = (r->src[offset] - s->mean.value) * factor;
    const double terms = fabs(x) + fabs(shift) + fabs(addend);
    const double carried =
            s->mean.slack * fabs(factor) + fabs(x) * s->variance.slack / (2. * variance);
    const double scale = args_scale(r->args, PRIM_ARG_SRC, offset);
    return (bounded_t){(x + shift + addend) * scale, (13. * unit * terms + carried) * fabs(scale)};
}

static void store(const reference_t *r, bounded_t x, int64_t offset)
{
    if (r->flags & (PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU)) {
        if (r->workspace) {
            r->workspace[offset] = x.value > 0. ? 1. : 0.;
            r->workspace_slack[offset] = fabs(x.value) <= x.slack && x.value != 0. ? 1. : 0.;
        }
        if (!(x.value > 0.)) x = (bounded_t){0., fmax(0., x.slack + x.value)};
    }
    ref_store(r->args, x, offset);
}

static void reference_channel(const reference_t *r, int64_t c)
{
    const stats_t s = stats_of(r, c);
    if (r->mean) {
        r->mean[c] = s.mean.value;
        r->mean_slack[c] = s.mean.slack;
    }
    if (r->variance) {
        r->variance[c] = s.variance.value;
        r->variance_slack[c] = s.variance.slack;
    }
    for (int64_t j = 0; j < r->data.nelems; ++j)
        store(r, normalise(r, &s, c, j), offset_of(&r->data, c, j));
}

static void reference_channels(void *context, int64_t begin, int64_t end)
{
    for (int64_t c = begin; c < end; ++c) reference_channel(context, c);
}

void norm_reference(const norm_case_t *norm, args_t *args)
{
    reference_t r = {.data = data_of(norm),
            .norm = norm,
            .flags = norm->flags,
            // The library gets the epsilon in single precision.
            .epsilon = (double)(float)norm->epsilon,
            .args = args,
            .src = args_data(args, PRIM_ARG_SRC),
            .addend = args_data(args, PRIM_ARG_SRC_1),
            .scale = args_data(args, PRIM_ARG_SCALE),
            .shift = args_data(args, PRIM_ARG_SHIFT),
            .has_exact_stats = norm_stats_are_exact(norm),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE)};
    double *const mean = args_data(args, PRIM_ARG_MEAN);
    double *const variance = args_data(args, PRIM_ARG_VARIANCE);
    if (r.flags & PRIM_USE_GLOBAL_STATS) {
        r.given_mean = mean;
        r.given_variance = variance;
    } else {
        r.mean = mean;
        r.variance = variance;
        if (mean) r.mean_slack = args_slack(args, PRIM_ARG_MEAN);
        if (variance) r.variance_slack = args_slack(args, PRIM_ARG_VARIANCE);
    }
    (void)args_slack(args, PRIM_ARG_DST);
    if (r.workspace) r.workspace_slack = args_slack(args, PRIM_ARG_WORKSPACE);
    bench_parallel(r.data.channels, 1, reference_channels, &r);
}
