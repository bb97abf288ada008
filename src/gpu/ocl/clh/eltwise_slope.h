// SPDX-License-Identifier: Apache-2.0
// The derivatives of the functions in clh/eltwise.h, accurate to a few ulp of their largest term on
// the whole range. Of the algorithms that take dst, x is the function's value. With a compile-time
// `alg` the switch folds away.
#ifndef CLH_ELTWISE_SLOPE_H
#define CLH_ELTWISE_SLOPE_H

#include "clh/eltwise.h"

// logistic(p + rest)·logistic(−p − rest) = e/(1 + e)²: no difference of close numbers.
static inline real_t logistic_slope(real_t p, real_t rest)
{
    const real_t e = exp_minus_abs(p, rest);
    return e / ((1.0f + e) * (1.0f + e));
}

// σ(p) + p·σ'(p) with p = α·x. From 128 on σ' is 0, which p may be infinite times.
static inline real_t swish_slope(real_t x, real_t alpha)
{
    const real_t p = alpha * x, rest = fma(alpha, x, -p);
    const real_t factor = clamp_nan(p, (real_t)(-128.0f), (real_t)(128.0f));
    return logistic_exact(p, rest) + factor * logistic_slope(p, rest);
}

// σ(p) + x·p'·σ'(p) with p as in gelu_tanh(); from 16 on it is 0 or 1.
static inline real_t gelu_tanh_slope(real_t x_any)
{
    const real_t x = clamp_nan(x_any, (real_t)(-16.0f), (real_t)(16.0f));
    real_t rest;
    const real_t p = gelu_tanh_exponent(x, &rest);
    const real_t p_slope = 1.59576917f * fma((real_t)(0.134145f), x * x, (real_t)(1.0f));
    return logistic_exact(p, rest) + x * p_slope * logistic_slope(p, rest);
}

// Φ(x) + x·φ(x), the normal distribution and its density; from 16 on it is 0 or 1.
static inline real_t gelu_erf_slope(real_t x_any)
{
    const real_t x = clamp_nan(x_any, (real_t)(-16.0f), (real_t)(16.0f));
    const real_t e = exp_minus_half_square(x);
    const real_t tail = e * scaled_normal_tail(fabs(x));
    return (x < 0.0f ? tail : 1.0f - tail) + x * (0.398942280f * e);
}

// With e and n as in mish(): n/(n + 2) + x·4·e·(1 + e)/(n + 2)². From 20 on the second term is
// below half an ulp, and below −128 both are 0.
static inline real_t mish_slope(real_t x_any)
{
    const real_t x = clamp_nan(x_any, (real_t)(-128.0f), (real_t)(20.0f));
    const real_t e = exp(x);
    const real_t n = e * (e + 2.0f), below = n + 2.0f;
    return n / below + x * (4.0f * (e * (1.0f + e) / (below * below)));
}

static inline real_t eltwise_slope(int alg, real_t x, float alpha_1, float beta_1)
{
    const real_t alpha = alpha_1, beta = beta_1;
    const real_t zero = 0.0f, one = 1.0f;
    const real_t line = alpha * x + beta; // of HARDSIGMOID and HARDSWISH
    switch (alg) {
    case ELTWISE_RELU:
    case ELTWISE_RELU_DST: return x > zero ? one : alpha;
    case ELTWISE_TANH: return 4.0f * logistic_slope(2.0f * x, zero);
    case ELTWISE_TANH_DST: return (1.0f - x) * (1.0f + x);
    case ELTWISE_ELU: return x > zero ? one : alpha * exp(x);
    case ELTWISE_ELU_DST: return x > zero ? one : x + alpha;
    case ELTWISE_SQUARE: return 2.0f * x;
    case ELTWISE_ABS: return x > zero ? one : (x < zero ? -one : zero);
    case ELTWISE_SQRT: return 0.5f / sqrt(x);
    case ELTWISE_SQRT_DST: return 0.5f / x;
    case ELTWISE_LINEAR: return alpha;
    case ELTWISE_SOFT_RELU: return logistic_exact(alpha * x, fma(alpha, x, -(alpha * x)));
    case ELTWISE_HARDSIGMOID: return line <= zero || line >= one ? zero : alpha;
    case ELTWISE_LOGISTIC: return logistic_slope(x, zero);
    case ELTWISE_LOGISTIC_DST: return x * (1.0f - x);
    case ELTWISE_EXP: return exp(x);
    case ELTWISE_EXP_DST: return x;
    case ELTWISE_GELU_TANH: return gelu_tanh_slope(x);
    case ELTWISE_SWISH: return swish_slope(x, alpha);
    case ELTWISE_LOG: return 1.0f / x;
    case ELTWISE_CLIP: return x > alpha && x <= beta ? one : zero;
    case ELTWISE_CLIP_V2:
    case ELTWISE_CLIP_V2_DST: return x > alpha && x < beta ? one : zero;
    case ELTWISE_POW: return beta_1 == 0.0f ? zero : alpha * beta * pow(x, beta - 1.0f);
    case ELTWISE_GELU_ERF: return gelu_erf_slope(x);
    case ELTWISE_MISH: return mish_slope(x);
    case ELTWISE_HARDSWISH:
        return line <= zero ? zero : (line >= one ? one : 2.0f * alpha * x + beta);
    default: return zero;
    }
}

#endif
