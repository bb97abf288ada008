// SPDX-License-Identifier: Apache-2.0
// Errors of post-ops in the arithmetic that they are promised in: the error that comes in, carried
// through the step, plus the step's own roundings (running error analysis: Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.3). doc/numerics.md has the constants.
#include <float.h>
#include <math.h>

#include "bench_args.h"
#include "bench_numeric.h"

/// Units that compositions of a few library functions may be off by: 4·10^-6 and, where near-equal
/// numbers are subtracted, 4·10^-5 in f32.
#define FEW_UNITS 67.
#define MANY_UNITS 671.

/// Functions of products and sums alone.
static double arithmetic_error(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    const double product = fabs(alpha * x), sum = product + fabs(beta);
    const bool is_product_exact = fabs(alpha) == 1. || alpha == 0.;
    switch (alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return x > 0. || is_product_exact ? 0. : product;
    case PRIM_ELTWISE_LINEAR: return (is_product_exact ? 0. : product) + (beta != 0. ? sum : 0.);
    case PRIM_ELTWISE_SQUARE: return x * x;
    case PRIM_ELTWISE_HARDSIGMOID: return 2. * fmin(sum, 1. + sum * 0x1p-20);
    case PRIM_ELTWISE_HARDSWISH: return 3. * fabs(x) * sum;
    default: return 0.;
    }
}

/// Of functions that the libraries of devices compute.
static double function_error(prim_alg_kind_t alg, double x, double alpha, double beta, double unit)
{
    const double y = fabs(ref_eltwise(alg, x, alpha, beta));
    switch (alg) {
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SWISH:
    case PRIM_ELTWISE_MISH: return MANY_UNITS * unit * y;
    case PRIM_ELTWISE_LOG: return unit * (MANY_UNITS * y + 8.);
    case PRIM_ELTWISE_SOFT_RELU: return unit * (MANY_UNITS * y + 4. / fabs(alpha));
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD:
        return x > 0. ? 0. : unit * (MANY_UNITS * y + 4. * fabs(alpha));
    case PRIM_ELTWISE_GELU_TANH: return unit * (MANY_UNITS * y + (x < 0. ? 4. * fabs(x) : 0.));
    case PRIM_ELTWISE_GELU_ERF: return unit * (FEW_UNITS * y + (x < 0. ? 4. * fabs(x) : 0.));
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_LOGISTIC:
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_EXP:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_POW: return FEW_UNITS * unit * y;
    default: return -1.;
    }
}

double eltwise_error(prim_alg_kind_t alg, double x, double alpha, double beta, double unit)
{
    const double error = function_error(alg, x, alpha, beta, unit);
    if (error < 0.) return unit * arithmetic_error(alg, x, alpha, beta);
    // An exponential below the normal numbers may be flushed before x multiplies it; of an argument
    // beyond 128, which is alpha * x in swish, there is nothing left.
    const double most = alg == PRIM_ELTWISE_SWISH ? 128. / fabs(alpha) : 128.;
    return error + 0x1p-126 * fmin(1. + fabs(x), most);
}

/// What an error of the argument becomes: of monotone and of smooth functions the larger of the
/// ends' distances, to first order. Infinite where not all of them have a number that is not too
/// large (log, sqrt, pow next to 0).
static double carried(const post_op_t *op, bounded_t x)
{
    if (x.slack == 0.) return 0.;
    const double alpha = (double)op->alpha, beta = (double)op->beta;
    const double y = ref_eltwise(op->alg, x.value, alpha, beta);
    const double above = ref_eltwise(op->alg, x.value + x.slack, alpha, beta);
    const double below = ref_eltwise(op->alg, x.value - x.slack, alpha, beta);
    const bool is_number = isfinite(y);
    if (isfinite(above) != is_number || isfinite(below) != is_number) return (double)INFINITY;
    return is_number ? fmax(fabs(above - y), fabs(below - y)) : 0.;
}

static bounded_t bounded_eltwise(const post_op_t *op, bounded_t x, double unit)
{
    const double alpha = (double)op->alpha, beta = (double)op->beta;
    const double y = ref_eltwise(op->alg, x.value, alpha, beta), error = carried(op, x);
    if (!isfinite(y)) return (bounded_t){y, error};
    return (bounded_t){y, error + eltwise_error(op->alg, x.value, alpha, beta, unit)};
}

bool is_exact_in_f32(double x)
{
    return (double)(float)x == x;
}

bool is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

/// s32 operands beyond 2^24 round when they become f32.
static double operand_error(const post_op_t *op, double operand, double unit)
{
    const double b = fabs(operand);
    return op->dt == PRIM_S32 && b * unit > 1. ? unit * b : 0.;
}

/// One or the other as it is: the condition is read without an error.
static bounded_t bounded_select(const post_op_t *op, bounded_t x, step_values_t values, double unit)
{
    if (values.condition != 0.) return x;
    return (bounded_t){values.operand, operand_error(op, values.operand, unit)};
}

static bounded_t bounded_binary(const post_op_t *op, bounded_t x, double operand, double unit)
{
    const double b = fabs(operand);
    const double from = operand_error(op, operand, unit);
    bounded_t y = {ref_binary(op->alg, x.value, operand, 0.), 0.};
    // What f32 holds, a correctly rounded operation gives; a quotient is that good by a power of
    // two.
    const bool is_exact = x.slack + from == 0. && is_exact_in_f32(x.value) &&
                          is_exact_in_f32(operand) && is_exact_in_f32(y.value) &&
                          (op->alg != PRIM_BINARY_DIV || is_power_of_two(operand));
    const double rounding = is_exact ? 0. : unit * fabs(y.value);
    switch (op->alg) {
    case PRIM_BINARY_ADD:
    case PRIM_BINARY_SUB: y.slack = x.slack + from + rounding; break;
    case PRIM_BINARY_MUL: y.slack = x.slack * b + from * fabs(x.value) + rounding; break;
    // 2.5 ulp; the divisor's error is relative.
    case PRIM_BINARY_DIV: y.slack = x.slack / b + 5. * rounding + from / b * fabs(y.value); break;
    case PRIM_BINARY_MIN:
    case PRIM_BINARY_MAX: y.slack = x.slack + from; break;
    default: y.slack = x.slack + from > 0. && fabs(x.value - operand) <= x.slack + from;
    }
    return y;
}

static bounded_t bounded_sum(const post_op_t *op, bounded_t x, double old, double unit)
{
    const double point = (double)op->zero_point, scale = (double)op->scale;
    const double term = scale * (old - point);
    bounded_t y = {x.value + term, x.slack};
    const bool is_exact = x.slack == 0. && is_exact_in_f32(x.value) && is_exact_in_f32(term) &&
                          is_exact_in_f32(y.value) && fabs(old) * unit <= 1.;
    // old and point become f32, their difference, the product and the sum round.
    if (!is_exact) y.slack += unit * (3. * fabs(scale) * (fabs(old) + fabs(point)) + fabs(y.value));
    return y;
}

bounded_t bounded_post_op(const post_op_t *op, bounded_t x, step_values_t values, double unit)
{
    const double operand = values.operand;
    if (op->kind == PRIM_BINARY && op->alg == PRIM_BINARY_SELECT)
        return bounded_select(op, x, values, unit);
    bounded_t y = x;
    switch (op->kind) {
    case PRIM_SUM: y = bounded_sum(op, x, values.old, unit); break;
    case PRIM_ELTWISE: y = bounded_eltwise(op, x, unit); break;
    case PRIM_BINARY: y = bounded_binary(op, x, operand, unit); break;
    default:
        if (x.value > 0.) {
            y.slack = x.value >= x.slack ? x.slack : x.slack * fmax(1., fabs(operand));
            break;
        }
        y.value = x.value * operand;
        y.slack = x.slack * fmax(1., fabs(operand));
        if (!is_exact_in_f32(y.value) || x.slack > 0.) y.slack += unit * fabs(y.value);
    }
    if (isinf(x.slack)) return (bounded_t){y.value, x.slack};
    if (isnan(y.slack) || (!isfinite(y.value) && op->kind != PRIM_ELTWISE)) y.slack = 0.;
    // A subnormal number may be flushed, and has fewer digits.
    if (unit == 0x1p-24 && y.value != 0. && fabs(y.value) < (double)FLT_MIN)
        y.slack += fabs(y.value) + 0x1p-149;
    return y;
}
