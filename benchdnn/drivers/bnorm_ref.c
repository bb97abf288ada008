// SPDX-License-Identifier: Apache-2.0
// Batch normalisation: data whose mean and variance are known powers of two, so that statistics
// have to come out exact, and the reference in double, which computes them from the data all the
// same.
#include "bnorm_ref.h"

#include <math.h>

unsigned bnorm_flags(const prb_t *prb)
{
    return (unsigned)opt_word(prb, BNORM_FLAGS);
}

static int64_t spatial_size(const problem_t *p)
{
    return p->in[AXIS_D] * p->in[AXIS_H] * p->in[AXIS_W];
}

/// The distribution of a case's data.
typedef struct {
    int64_t channels, spatial, nelems;   ///< nelems: of one channel
    bool is_integer, has_mean, is_given; ///< is_given: the statistics
    bool has_outlier;
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

static data_t data_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const prim_data_type_t dt = opt_dt(prb, BNORM_DT, 0);
    const int alg = opt_word(prb, BNORM_CHECK_ALG);
    data_t data = {.channels = p->ic,
            .spatial = spatial_size(p),
            .has_mean = alg != FILL_NO_MEAN && alg != FILL_OUTLIER,
            .has_outlier = alg == FILL_OUTLIER};
    data.is_given = bnorm_flags(prb) & PRIM_USE_GLOBAL_STATS;
    data.nelems = p->mb * data.spatial;
    data.is_integer = dt_is_integer(dt);
    data.narrowness = data.is_integer || alg == FILL_WIDE ? 1 : exact_narrowness(&data, dt);
    return data;
}

bool bnorm_stats_are_exact(const prb_t *prb)
{
    // Three elements have no rational spread; more than 2^20 may not add up in 24 bits.
    const data_t data = data_of(prb);
    return data.nelems != 3 && data.nelems <= (int64_t)1 << 20 && !data.has_outlier;
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
    return data->nelems % 2 == 1 && !(data->is_given && data->nelems == 1);
}

double bnorm_zero_percent(const prb_t *prb)
{
    const data_t data = data_of(prb);
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
    return (double)(c % 3 - 1) * (double)(1 << c % 7) * (BNORM_MAX_SHIFT / 64.);
}

void bnorm_fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
    const data_t data = data_of(prb);
    switch (arg->kind) {
    case DATA_SRC: fill_by_index(arg, src_value, &data); break;
    case DATA_SRC_1: {
        const double unit = data.is_integer ? 1. : .5;
        const int64_t reach = (int64_t)(BNORM_MAX_ADDEND / unit);
        fill_multiples(arg, opt_dt(prb, BNORM_DT, 0) == PRIM_U8 ? 0 : -reach, reach, unit, 1.);
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
    unsigned flags;
    double epsilon;
    const args_t *args;
    const double *src, *addend, *scale, *shift, *given_mean, *given_variance;
    double *dst, *mean, *variance, *workspace;
} reference_t;

static int64_t offset_of(const data_t *data, int64_t c, int64_t j)
{
    return (j / data->spatial * data->channels + c) * data->spatial + j % data->spatial;
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

static void reference_channel(const reference_t *r, int64_t c)
{
    const bool is_given = r->flags & PRIM_USE_GLOBAL_STATS;
    const double mean = is_given ? r->given_mean[c] : moment(r, c, 0., 1);
    const double variance = is_given ? r->given_variance[c] : moment(r, c, mean, 2);
    if (r->mean) r->mean[c] = mean;
    if (r->variance) r->variance[c] = variance;
    const double factor = (r->scale ? r->scale[c] : 1.) / sqrt(variance + r->epsilon);
    const double shift = r->shift ? r->shift[c] : 0.;
    for (int64_t j = 0; j < r->data.nelems; ++j) {
        const int64_t offset = offset_of(&r->data, c, j);
        double x = (r->src[offset] - mean) * factor + shift;
        if (r->addend) x += r->addend[offset];
        if (r->flags & (PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU)) {
            if (r->workspace) r->workspace[offset] = x > 0. ? 1. : 0.;
            if (!(x > 0.)) x = 0.;
        }
        r->dst[offset] = ref_finish(r->args, x, offset);
    }
}

static void reference_channels(void *context, int64_t begin, int64_t end)
{
    for (int64_t c = begin; c < end; ++c) reference_channel(context, c);
}

void bnorm_reference(const prb_t *prb, args_t *args)
{
    reference_t r = {.data = data_of(prb),
            .flags = bnorm_flags(prb),
            // The library gets the epsilon in single precision.
            .epsilon = (double)(float)prb->problem->eps,
            .args = args,
            .src = args_data(args, PRIM_ARG_SRC),
            .addend = args_data(args, PRIM_ARG_SRC_1),
            .scale = args_data(args, PRIM_ARG_SCALE),
            .shift = args_data(args, PRIM_ARG_SHIFT),
            .dst = args_data(args, PRIM_ARG_DST),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE)};
    double *const mean = args_data(args, PRIM_ARG_MEAN);
    double *const variance = args_data(args, PRIM_ARG_VARIANCE);
    if (r.flags & PRIM_USE_GLOBAL_STATS) {
        r.given_mean = mean;
        r.given_variance = variance;
    } else {
        r.mean = mean;
        r.variance = variance;
    }
    bench_parallel(r.data.channels, 1, reference_channels, &r);
}
