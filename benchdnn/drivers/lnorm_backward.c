// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation in double, from their formulas, with bounds for f32.
#include "lnorm_backward.h"

#include <math.h>

static const double unit = 0x1p-24;

typedef struct {
    int64_t nrows, n;
    double epsilon;
    bool are_constants; ///< the statistics
    const double *src, *mean, *variance, *scale, *diff_dst;
    double *diff_src, *slack;
    double *diff_scale, *scale_slack, *diff_shift, *shift_slack; ///< or NULL
} backward_t;

/// The error of a sum in units of the sum of its terms' sizes, with roundings of the terms.
static double sum_units(int64_t n)
{
    return fmin((double)n, 8. * sqrt((double)n)) + 16.;
}

static double inverse_deviation(const backward_t *b, int64_t row)
{
    return 1. / sqrt(b->variance[row] + b->epsilon);
}

static double normalized(const backward_t *b, int64_t row, int64_t place)
{
    return (b->src[row * b->n + place] - b->mean[row]) * inverse_deviation(b, row);
}

static double gradient(const backward_t *b, int64_t row, int64_t place)
{
    return b->diff_dst[row * b->n + place] * (b->scale ? b->scale[place] : 1.);
}

static void differentiate_row(const backward_t *b, int64_t row)
{
    double sum = 0., product = 0., sum_size = 0., product_size = 0.;
    for (int64_t i = 0; i < b->n && !b->are_constants; ++i) {
        const double g = gradient(b, row, i), x = normalized(b, row, i);
        sum += g / (double)b->n;
        product += g * x / (double)b->n;
        sum_size += fabs(g) / (double)b->n;
        product_size += fabs(g * x) / (double)b->n;
    }
    const double factor = inverse_deviation(b, row), units = sum_units(b->n) * unit;
    for (int64_t i = 0; i < b->n; ++i) {
        const int64_t at = row * b->n + i;
        const double g = gradient(b, row, i), x = normalized(b, row, i);
        b->diff_src[at] = (g - sum - x * product) * factor;
        b->slack[at] = factor * (16. * unit * (fabs(g) + fabs(sum) + fabs(x * product)) +
                                        units * (sum_size + fabs(x) * product_size));
    }
}

static void differentiate_rows(void *context, int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; ++row) differentiate_row(context, row);
}

static void differentiate_places(void *context, int64_t begin, int64_t end)
{
    const backward_t *const b = context;
    const double units = sum_units(b->nrows) * unit;
    for (int64_t i = begin; i < end; ++i) {
        double scale = 0., shift = 0., scale_size = 0., shift_size = 0.;
        for (int64_t row = 0; row < b->nrows; ++row) {
            const double d = b->diff_dst[row * b->n + i], x = normalized(b, row, i);
            shift += d;
            scale += d * x;
            shift_size += fabs(d);
            scale_size += fabs(d * x);
        }
        if (b->diff_scale) b->diff_scale[i] = scale;
        if (b->diff_scale) b->scale_slack[i] = units * scale_size;
        if (b->diff_shift) b->diff_shift[i] = shift;
        if (b->diff_shift) b->shift_slack[i] = units * shift_size;
    }
}

void lnorm_backward_reference(const norm_case_t *norm, args_t *args)
{
    backward_t b = {.nrows = norm->channels,
            .n = norm->spatial,
            .epsilon = (double)(float)norm->epsilon,
            .are_constants = norm->flags & PRIM_USE_GLOBAL_STATS,
            .src = args_data(args, PRIM_ARG_SRC),
            .mean = args_data(args, PRIM_ARG_MEAN),
            .variance = args_data(args, PRIM_ARG_VARIANCE),
            .scale = args_data(args, PRIM_ARG_SCALE),
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC),
            .diff_scale = args_data(args, PRIM_ARG_DIFF_SCALE),
            .diff_shift = args_data(args, PRIM_ARG_DIFF_SHIFT)};
    if (b.diff_scale) b.scale_slack = args_slack(args, PRIM_ARG_DIFF_SCALE);
    if (b.diff_shift) b.shift_slack = args_slack(args, PRIM_ARG_DIFF_SHIFT);
    bench_parallel(b.nrows, 1, differentiate_rows, &b);
    if (b.diff_scale || b.diff_shift) bench_parallel(b.n, 1, differentiate_places, &b);
}
