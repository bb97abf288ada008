// SPDX-License-Identifier: Apache-2.0
// The order-free bound of a sum of products: any order of additions, with or without fused
// multiply-add, is off by at most n·u·Σ|src·wei| to first order (Higham, Accuracy and Stability of
// Numerical Algorithms, section 3.1).
#include <math.h>
#include <stdlib.h>

#include "core/bench_args.h"
#include "core/bench_text.h"
#include "product.h"

/// Roundings besides those of the sum: scales and their product, the bias, the last store.
#define OTHER_ROUNDINGS 8.

/// What the slack of every element follows from.
typedef struct {
    double *data, *slack; ///< the sum with its bias; Σ|src·wei| or 0
    double units;         ///< of Σ|src·wei|
    double exact_units;   ///< of the sum itself
    double bias;          ///< the largest
} bound_t;

static bool is_float_product(const product_t *product)
{
    return !dt_is_integer(product->src) || !dt_is_integer(product->wei);
}

/// Scales vary along the sum, so that it is one of partial sums in floating point.
static bool has_scales_inside(const prb_t *prb)
{
    const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS};
    for (int i = 0; i < 2; ++i) {
        const quant_entry_t *const e = attr_scale(prb->attr, args[i]);
        if (!e || e->policy == POLICY_COMMON) continue;
        if (e->ngroups || e->policy == POLICY_PER_OCIC || e->policy == POLICY_PER_TENSOR)
            return true;
        if (i == 0 && (e->policy == POLICY_PER_OC || e->policy == POLICY_PER_DIM_1 ||
                              e->policy == POLICY_PER_DIM_01 || e->policy == POLICY_PER_DIM_2 ||
                              e->policy == POLICY_PER_DIM_3))
            return true;
        if (i == 1 && e->policy != POLICY_PER_OC && e->policy != POLICY_PER_DIM_1) return true;
    }
    return false;
}

/// Scales of the inputs that are no powers of two.
static bool has_rounding_scales(const args_t *args)
{
    const int ids[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS};
    for (int i = 0; i < 2; ++i) {
        const arg_t *const scales = args_find(args, PRIM_ARG_ATTR_SCALES | ids[i]);
        for (int64_t k = 0; scales && k < scales->nelems; ++k)
            if (!is_power_of_two(scales->data[k])) return true;
    }
    return false;
}

/// Matrix units of GPUs cut what they add instead of rounding it (Fasi, Higham, Mikaitis, Pranesh,
/// Numerical behavior of NVIDIA tensor cores, PeerJ CS 2021): a unit twice as large.
static double accumulation_unit(const product_t *product)
{
    if (product->dst == PRIM_F64 || product->src == PRIM_F64) return 0x1p-53;
    const bool is_short = dt_bits(product->src) <= 16 || dt_bits(product->wei) <= 16;
    return is_short ? 0x1p-23 : 0x1p-24;
}

/// The relative error of an operand that --attr-fpmath lets a device shorten.
static double operand_error(const prb_t *prb, prim_data_type_t dt)
{
    if (dt != PRIM_F32) return 0.;
    switch (prb->attr->fpmath) {
    case PRIM_FPMATH_ANY:
    case PRIM_FPMATH_BF16: return 0x1p-8;
    case PRIM_FPMATH_TF32: return 0x1p-10; // matrix units cut
    case PRIM_FPMATH_F16: return 0x1p-11;
    default: return 0.;
    }
}

static double relaxed_unit(const prb_t *prb, const product_t *product)
{
    const bool is_short = dt_bits(product->src) <= 16 && dt_bits(product->wei) <= 16;
    switch (prb->attr->acc_mode) {
    case PRIM_ACCUMULATION_RELAXED:
    case PRIM_ACCUMULATION_ANY:
    case PRIM_ACCUMULATION_F16: return is_short ? 0x1p-11 : 0.;
    default: return 0.;
    }
}

/// No chain of additions is longer than 2^16; longer sums are added up in pieces (numerics.md).
static double additions(int64_t n)
{
    return fmin((double)n, 0x1p16) + (double)n * 0x1p-16;
}

static void bound_range(void *context, int64_t begin, int64_t end)
{
    const bound_t *const b = context;
    for (int64_t i = begin; i < end; ++i) {
        const double terms = b->slack[i], sum = fabs(b->data[i]);
        b->slack[i] = b->units > 0. ? b->units * (terms + 2. * b->bias)
                                    : b->exact_units * (sum + 2. * b->bias);
    }
}

static double largest_bias(const args_t *args)
{
    const arg_t *const bias = args_find(args, PRIM_ARG_BIAS);
    double largest = 0.;
    for (int64_t i = 0; bias && i < bias->nelems; ++i) largest = fmax(largest, fabs(bias->data[i]));
    return largest;
}

static double *magnitudes(const arg_t *arg, const double *values)
{
    double *const result = bench_calloc((size_t)arg->nelems, sizeof(double));
    for (int64_t i = 0; i < arg->nelems; ++i) result[i] = fabs(values[i]);
    return result;
}

/// Σ|src·wei| of every result, into the slack.
static void sum_magnitudes(args_t *args, product_args_t ids, product_sum_t sum, double *slack)
{
    double *const src = magnitudes(args_find(args, ids.src), args_dequantized(args, ids.src));
    double *const wei = magnitudes(args_find(args, ids.wei), args_dequantized(args, ids.wei));
    sum(args->prb, args, src, wei, NULL, slack);
    free(src);
    free(wei);
}

/// The integers add up exactly; what follows rounds: the sum itself when it leaves 24 bits, scales.
static double roundings_of_exact_sum(const product_t *product, const args_t *args)
{
    const prb_t *const prb = args->prb;
    const attr_spec_t *const attr = prb->attr;
    const bool stays_integer =
            product->dst == PRIM_S32 && attr->post_ops.count == 0 && attr->scales.count == 0 &&
            (product->bias == PRIM_DATA_TYPE_UNDEF || dt_is_integer(product->bias));
    double roundings = prb->data_class == CLASS_SMALL || stays_integer ? 0. : 2.;
    if (has_rounding_scales(args)) roundings += 5.;
    return roundings;
}

/// Sums that are all off by one slack, besides the addition of a bias.
typedef struct {
    const args_t *args;
    arg_t *dst;
    double slack, bias_unit;
} transformed_t;

/// Logarithms and roots next to 0 may be numbers or not.
static bool is_number_open(const args_t *args, bounded_t x, double y, int64_t offset)
{
    const bool is_number = isfinite(y);
    return isfinite(ref_finish(args, x.value - x.slack, offset)) != is_number ||
           isfinite(ref_finish(args, x.value + x.slack, offset)) != is_number;
}

static void finish_transformed(void *context, int64_t begin, int64_t end)
{
    const transformed_t *const t = context;
    for (int64_t i = begin; i < end; ++i) {
        const double sum = t->dst->data[i];
        const bounded_t x = {sum, t->slack + t->bias_unit * fabs(sum)};
        const bounded_t y = ref_finish_bounded(t->args, x, i);
        t->dst->data[i] = y.value;
        t->dst->slack[i] = is_number_open(t->args, x, y.value, i) ? INFINITY : y.slack;
    }
}

static double root_mean_square(const arg_t *arg)
{
    double sum = 0.;
    for (int64_t i = 0; i < arg->nelems; ++i) sum += arg->data[i] * arg->data[i];
    return arg->nelems ? sqrt(sum / (double)arg->nelems) : 0.;
}

static void transformed_reference(const product_t *product, args_t *args, product_sum_t sum)
{
    const product_args_t ids = product_args(product);
    arg_t *const dst = args_find(args, ids.dst);
    const double *const src = args_dequantized(args, ids.src);
    const double *const wei = args_dequantized(args, ids.wei);
    const double *const bias = args_data(args, PRIM_ARG_BIAS);
    sum(args->prb, args, src, wei, NULL, dst->data);
    transformed_t t = {args, dst, product->transform_error * root_mean_square(dst), 0.};
    if (bias) {
        sum(args->prb, args, src, wei, bias, dst->data);
        t.bias_unit = 0x1p-24;
    }
    if (ids.dst == PRIM_ARG_DST) {
        bench_parallel(dst->nelems, 4096, finish_transformed, &t);
        return;
    }
    for (int64_t i = 0; i < dst->nelems; ++i) dst->slack[i] = t.slack; // gradients have no chain
}

double product_units(const product_t *product, const prb_t *prb, int64_t n)
{
    const double unit = fmax(accumulation_unit(product), relaxed_unit(prb, product));
    return (additions(n) + OTHER_ROUNDINGS) * unit + operand_error(prb, product->src) +
           operand_error(prb, product->wei);
}

void product_reference(const product_t *product, args_t *args, product_sum_t sum)
{
    const prb_t *const prb = args->prb;
    const product_args_t ids = product_args(product);
    arg_t *const between = args_between(args);
    const arg_t *const result = between ? between : args_find(args, ids.dst);
    double *const slack = between ? between->slack : args_slack(args, ids.dst);
    const bool rounds_inside =
            has_scales_inside(prb) || (prb->data_class != CLASS_SMALL && is_float_product(product));
    bound_t bound = {.data = result->data, .slack = slack};
    if (product->transform_error > 0.) {
        transformed_reference(product, args, sum);
        return;
    }
    sum(prb, args, args_dequantized(args, ids.src), args_dequantized(args, ids.wei),
            args_data(args, PRIM_ARG_BIAS), bound.data);
    bound.bias = largest_bias(args);
    const double unit = accumulation_unit(product);
    if (rounds_inside) {
        sum_magnitudes(args, ids, sum, slack);
        bound.units = product_units(product, prb, product->n_acc);
    }
    bound.exact_units = roundings_of_exact_sum(product, args) * fmin(unit, 0x1p-24);
    bench_parallel(result->nelems, 4096, bound_range, &bound);
    if (!between) ref_finish_all(args);
}
