// SPDX-License-Identifier: Apache-2.0
// Element-wise functions in double, as the formulas at prim_alg_kind_t read.
#include <math.h>

#include "bench_numeric.h"

static const double inv_sqrt_2 = 0.70710678118654752440;
static const double sqrt_2_over_pi = 0.79788456080286535588;

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/// ln(1 + e^x) without overflow.
static double softplus(double x)
{
    return x > 0. ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double logistic(double x)
{
    return 1. / (1. + exp(-x));
}

/// The two halves keep the functions short: those of relu's family, then the smooth ones.
static double piecewise(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    switch (alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return x > 0. ? x : alpha * x;
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: return x > 0. ? x : alpha * expm1(x);
    case PRIM_ELTWISE_SQUARE: return x * x;
    case PRIM_ELTWISE_ABS: return fabs(x);
    case PRIM_ELTWISE_LINEAR: return alpha * x + beta;
    case PRIM_ELTWISE_HARDSIGMOID: return clamp(alpha * x + beta, 0., 1.);
    case PRIM_ELTWISE_HARDSWISH: return x * clamp(alpha * x + beta, 0., 1.);
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return clamp(x, alpha, beta);
    case PRIM_ELTWISE_ROUND: return nearbyint(x);
    default: return NAN;
    }
}

double ref_eltwise(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    switch (alg) {
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: return tanh(x);
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: return sqrt(x);
    case PRIM_ELTWISE_SOFT_RELU: return softplus(alpha * x) / alpha;
    case PRIM_ELTWISE_LOGISTIC:
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: return logistic(x);
    case PRIM_ELTWISE_EXP:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: return exp(x);
    case PRIM_ELTWISE_GELU_TANH:
        // (1 + tanh y) / 2 is the logistic function of 2y, without cancellation.
        return x * logistic(2. * sqrt_2_over_pi * x * (1. + 0.044715 * x * x));
    case PRIM_ELTWISE_GELU_ERF: return 0.5 * x * erfc(-x * inv_sqrt_2);
    case PRIM_ELTWISE_SWISH: return x * logistic(alpha * x);
    case PRIM_ELTWISE_LOG: return log(x);
    case PRIM_ELTWISE_POW: return alpha * pow(x, beta);
    case PRIM_ELTWISE_MISH: return x * tanh(softplus(x));
    default: return piecewise(alg, x, alpha, beta);
    }
}

double ref_binary(prim_alg_kind_t alg, double a, double b, double condition)
{
    switch (alg) {
    case PRIM_BINARY_ADD: return a + b;
    case PRIM_BINARY_MUL: return a * b;
    case PRIM_BINARY_MAX: return a > b ? a : b;
    case PRIM_BINARY_MIN: return a < b ? a : b;
    case PRIM_BINARY_DIV: return a / b;
    case PRIM_BINARY_SUB: return a - b;
    case PRIM_BINARY_GE: return a >= b;
    case PRIM_BINARY_GT: return a > b;
    case PRIM_BINARY_LE: return a <= b;
    case PRIM_BINARY_LT: return a < b;
    case PRIM_BINARY_EQ: return a == b;
    case PRIM_BINARY_NE: return a != b;
    case PRIM_BINARY_SELECT: return condition != 0. ? a : b;
    default: return NAN;
    }
}
