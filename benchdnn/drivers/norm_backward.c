// SPDX-License-Identifier: Apache-2.0
// The gradients of normalisations in double, from their formulas, with bounds for f32.
#include "norm_backward.h"

#include <math.h>

static const double unit = 0x1p-24;

typedef struct {
    const norm_case_t *norm;
    int64_t n; ///< elements of a channel
    double epsilon;
    bool are_constants; ///< the statistics
    const double *src, *mean, *variance, *scale, *diff_dst, *workspace;
    double *diff_src, *slack, *diff_src1;
    double *diff_scale, *scale_slack, *diff_shift, *shift_slack; ///< or NULL
} backward_t;

/// The error of a sum in units of the sum of its terms' sizes, with roundings of the terms.
static double sum_units(int64_t n)
{
    return fmin((double)n, 8. * sqrt((double)n)) + 16.;
}

/// Element `j` of channel `c`.
static int64_t offset_of(const backward_t *b, int64_t c, int64_t j)
{
    const norm_case_t *const norm = b->norm;
    return (j / norm->spatial * norm->channels + c) * norm->spatial + j % norm->spatial;
}

static double inverse_deviation(const backward_t *b, int64_t c)
{
    return 1. / sqrt(b->variance[c] + b->epsilon);
}

static double normalized(const backward_t *b, int64_t c, int64_t j)
{
    return (b->src[offset_of(b, c, j)] - b->mean[c]) * inverse_deviation(b, c);
}

/// diff_dst behind the fused relu.
static double masked(const backward_t *b, int64_t c, int64_t j)
{
    const int64_t at = offset_of(b, c, j);
    return b->workspace && b->workspace[at] == 0. ? 0. : b->diff_dst[at];
}

static double gradient(const backward_t *b, int64_t c, int64_t j)
{
    return masked(b, c, j) * (b->scale ? b->scale[norm_parameter(b->norm, c, j)] : 1.);
}

static void differentiate_channel(const backward_t *b, int64_t c)
{
    double sum = 0., product = 0., sum_size = 0., product_size = 0.;
    for (int64_t j = 0; j < b->n && !b->are_constants; ++j) {
        const double g = gradient(b, c, j), x = normalized(b, c, j);
        sum += g / (double)b->n;
        product += g * x / (double)b->n;
        sum_size += fabs(g) / (double)b->n;
        product_size += fabs(g * x) / (double)b->n;
    }
    const double factor = inverse_deviation(b, c), units = sum_units(b->n) * unit;
    for (int64_t j = 0; j < b->n; ++j) {
        const int64_t at = offset_of(b, c, j);
        const double g = gradient(b, c, j), x = normalized(b, c, j);
        b->diff_src[at] = (g - sum - x * product) * factor;
        b->slack[at] = factor * (16. * unit * (fabs(g) + fabs(sum) + fabs(x * product)) +
                                        units * (sum_size + fabs(x) * product_size));
        if (b->diff_src1) b->diff_src1[at] = masked(b, c, j);
    }
}

static void differentiate_channels(void *context, int64_t begin, int64_t end)
{
    for (int64_t c = begin; c < end; ++c) differentiate_channel(context, c);
}

/// The elements of a value of scale and shift: `elems` from `first` on of each channel `c`,
/// `c + step` and so on.
typedef struct {
    int64_t c, step, first, elems;
} share_t;

static share_t share_of(const backward_t *b, int64_t parameter)
{
    const norm_case_t *const norm = b->norm;
    if (norm->parameter_elems == 0) return (share_t){parameter, norm->channels, 0, b->n};
    const int64_t of_channel = b->n / norm->parameter_elems;
    return (share_t){parameter / of_channel, norm->parameter_channels,
            parameter % of_channel * norm->parameter_elems, norm->parameter_elems};
}

static void differentiate_parameter(const backward_t *b, int64_t parameter)
{
    const share_t share = share_of(b, parameter);
    double scale = 0., shift = 0., scale_size = 0., shift_size = 0.;
    int64_t nterms = 0;
    for (int64_t c = share.c; c < b->norm->channels; c += share.step) {
        for (int64_t j = share.first; j < share.first + share.elems; ++j) {
            const double d = masked(b, c, j), x = normalized(b, c, j);
            shift += d;
            scale += d * x;
            shift_size += fabs(d);
            scale_size += fabs(d * x);
        }
        nterms += share.elems;
    }
    const double units = sum_units(nterms) * unit;
    if (b->diff_scale) b->diff_scale[parameter] = scale;
    if (b->diff_scale) b->scale_slack[parameter] = units * scale_size;
    if (b->diff_shift) b->diff_shift[parameter] = shift;
    if (b->diff_shift) b->shift_slack[parameter] = units * shift_size;
}

static void differentiate_parameters(void *context, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i) differentiate_parameter(context, i);
}

void norm_backward_reference(const norm_case_t *norm, args_t *args)
{
    backward_t b = {.norm = norm,
            .n = norm->images * norm->spatial,
            .epsilon = (double)(float)norm->epsilon,
            .are_constants = norm->flags & PRIM_USE_GLOBAL_STATS,
            .src = args_data(args, PRIM_ARG_SRC),
            .mean = args_data(args, PRIM_ARG_MEAN),
            .variance = args_data(args, PRIM_ARG_VARIANCE),
            .scale = args_data(args, PRIM_ARG_SCALE),
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC),
            .diff_src1 = args_data(args, PRIM_ARG_DIFF_SRC_1),
            .diff_scale = args_data(args, PRIM_ARG_DIFF_SCALE),
            .diff_shift = args_data(args, PRIM_ARG_DIFF_SHIFT)};
    const arg_t *const parameter =
            args_find(args, b.diff_scale ? PRIM_ARG_DIFF_SCALE : PRIM_ARG_DIFF_SHIFT);
    if (b.diff_scale) b.scale_slack = args_slack(args, PRIM_ARG_DIFF_SCALE);
    if (b.diff_shift) b.shift_slack = args_slack(args, PRIM_ARG_DIFF_SHIFT);
    bench_parallel(norm->channels, 1, differentiate_channels, &b);
    if (parameter) bench_parallel(parameter->nelems, 1, differentiate_parameters, &b);
}
