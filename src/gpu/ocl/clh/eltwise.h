// SPDX-License-Identifier: Apache-2.0
// The eltwise functions, accurate to a few ulp on the whole range; numbers as in prim_alg_kind_t.
// With a compile-time `alg` the switch folds away. All take and give real_t (clh/types.h): float,
// or vectors with -DREAL_WIDTH. Integers that must stay exact: clh/eltwise_int.h.
#ifndef CLH_ELTWISE_H
#define CLH_ELTWISE_H

#include "clh/types.h"

#define ELTWISE_RELU 0x20
#define ELTWISE_TANH 0x21
#define ELTWISE_ELU 0x22
#define ELTWISE_SQUARE 0x23
#define ELTWISE_ABS 0x24
#define ELTWISE_SQRT 0x25
#define ELTWISE_LINEAR 0x26
#define ELTWISE_SOFT_RELU 0x27
#define ELTWISE_HARDSIGMOID 0x28
#define ELTWISE_LOGISTIC 0x29
#define ELTWISE_EXP 0x2a
#define ELTWISE_GELU_TANH 0x2b
#define ELTWISE_SWISH 0x2c
#define ELTWISE_LOG 0x2d
#define ELTWISE_CLIP 0x2e
#define ELTWISE_CLIP_V2 0x2f
#define ELTWISE_POW 0x30
#define ELTWISE_GELU_ERF 0x31
#define ELTWISE_ROUND 0x32
#define ELTWISE_MISH 0x33
#define ELTWISE_HARDSWISH 0x34
#define ELTWISE_RELU_DST 0x100
#define ELTWISE_TANH_DST 0x101
#define ELTWISE_ELU_DST 0x102
#define ELTWISE_SQRT_DST 0x103
#define ELTWISE_LOGISTIC_DST 0x104
#define ELTWISE_EXP_DST 0x105
#define ELTWISE_CLIP_V2_DST 0x106

// min(max(x, lo), hi); a NaN stays one.
static inline real_t clamp_nan(real_t x, real_t lo, real_t hi)
{
    const real_t y = x < lo ? lo : x;
    return y > hi ? hi : y;
}

// e^(−|p + rest|) for a product p with its rounding error: an error of half an ulp in an exponent
// of −80 would be 40 ulp in the result. Beyond |p| = 128 the result is 0 and the error unknown.
static inline real_t exp_minus_abs(real_t p, real_t rest)
{
    const real_t e = exp(-fabs(p));
    return fabs(p) < 128.0f ? e - copysign(e, p) * rest : e;
}

// 1/(1 + e^(−(p + rest))): e to a power ≤ 0 only, so nothing overflows and small results keep their
// digits.
static inline real_t logistic_exact(real_t p, real_t rest)
{
    const real_t e = exp_minus_abs(p, rest);
    return (p < 0.0f ? e : (real_t)(1.0f)) / (1.0f + e);
}

static inline real_t logistic(real_t x)
{
    return logistic_exact(x, (real_t)(0.0f));
}

static inline real_t swish(real_t x, real_t alpha)
{
    const real_t p = alpha * x;
    return x * logistic_exact(p, fma(alpha, x, -p));
}

// ln(1 + e^(α·x))/α, where α·x > 0 as x + ln(1 + e^(−α·x))/α.
static inline real_t soft_relu(real_t x, real_t alpha)
{
    const real_t p = alpha * x;
    const real_t e = exp_minus_abs(p, fma(alpha, x, -p));
    return (p > 0.0f ? x : (real_t)(0.0f)) + log1p(e) / alpha;
}

// x·tanh(ln(1 + eˣ)) = x·n/(n + 2) with n = eˣ(eˣ + 2): no difference of close numbers. From 20 on
// 1 − tanh is below half an ulp.
static inline real_t mish(real_t x)
{
    const real_t e = exp(fmin(x, 20.0f));
    const real_t n = e * (e + 2.0f);
    return x * (n / (n + 2.0f));
}

// x/2·(1 + tanh u) = x·logistic(2u), which does not cancel for x < 0. The exponent is 2u =
// √(8/π)·x·(1 + 0.044715·x²) and, as `rest`, the rounding errors of each step: they weigh as much
// as the exponent is large.
static inline real_t gelu_tanh_exponent(real_t x, real_t *rest)
{
    const real_t c = 1.59576917f, c_rest = -4.53406804e-8f; // √(8/π)
    const real_t k = 0.0447149985f, k_rest = 1.54614449e-9f;
    const real_t square = x * x, cx = c * x;
    const real_t cubic = fma(k, square, (real_t)(1.0f));
    const real_t p = cx * cubic;
    const real_t cubic_rest =
            fma(k, square, 1.0f - cubic) + k * fma(x, x, -square) + k_rest * square;
    const real_t cx_rest = fma(c, x, -cx) + c_rest * x;
    *rest = fma(cx, cubic, -p) + cx * cubic_rest + cx_rest * cubic;
    return p;
}

static inline real_t gelu_tanh(real_t x)
{
    real_t rest;
    const real_t p = gelu_tanh_exponent(x, &rest);
    return x * logistic_exact(p, rest);
}

// e^(z²)·erfc(z)/2 for z = x/√2, x ≥ 0, as t·polynomial(u) with t = 1/(1 + x/4) and u = 2.54·t
// − 1.544 in −1..1: the minimax polynomial for z ≤ 10.4 (Remez exchange), relative error 9e-9. The
// form is that of Abramowitz and Stegun 7.1.26.
static inline real_t scaled_normal_tail(real_t x)
{
    const real_t t = 1.0f / (1.0f + 0.25f * x);
    const real_t u = 2.54f * t - 1.544f;
    real_t y = 3.86635611e-6f;
    y = y * u + 1.60854634e-5f;
    y = y * u - 4.88120349e-5f;
    y = y * u - 3.29981849e-4f;
    y = y * u + 1.19643497e-4f;
    y = y * u + 6.29959768e-3f;
    y = y * u + 2.94543877e-2f;
    y = y * u + 8.14309046e-2f;
    y = y * u + 1.58166945e-1f;
    y = y * u + 2.26616234e-1f;
    return t * y;
}

// e^(−x²/2), where x² is exact as a sum of two.
static inline real_t exp_minus_half_square(real_t x)
{
    const real_t square = x * x;
    const real_t e = exp(-0.5f * square);
    return fabs(x) < 16.0f ? e - 0.5f * fma(x, x, -square) * e : e;
}

// x/2·(1 + erf(x/√2)): |x|·tail for x < 0, x·(1 − tail) else, with the normal distribution's tail
// as e^(−x²/2)·scaled tail. x² is exact as a sum of two. The device's erf may be 16 ulp off.
static inline real_t gelu_erf(real_t x)
{
    const real_t tail = exp_minus_half_square(x) * scaled_normal_tail(fabs(x));
    return x * (x < 0.0f ? tail : 1.0f - tail);
}

static inline real_t eltwise(int alg, real_t x, float alpha_1, float beta_1)
{
    const real_t alpha = alpha_1, beta = beta_1;
    const real_t zero = 0.0f, one = 1.0f;
    switch (alg) {
    case ELTWISE_RELU:
    case ELTWISE_RELU_DST: return x > zero ? x : alpha * x;
    case ELTWISE_TANH:
    case ELTWISE_TANH_DST: return tanh(x);
    case ELTWISE_ELU:
    case ELTWISE_ELU_DST: return x > zero ? x : alpha * expm1(x);
    case ELTWISE_SQUARE: return x * x;
    case ELTWISE_ABS: return fabs(x);
    case ELTWISE_SQRT:
    case ELTWISE_SQRT_DST: return sqrt(x);
    case ELTWISE_LINEAR: return alpha * x + beta;
    case ELTWISE_SOFT_RELU: return soft_relu(x, alpha);
    case ELTWISE_HARDSIGMOID: return clamp_nan(alpha * x + beta, zero, one);
    case ELTWISE_LOGISTIC:
    case ELTWISE_LOGISTIC_DST: return logistic(x);
    case ELTWISE_EXP:
    case ELTWISE_EXP_DST: return exp(x);
    case ELTWISE_GELU_TANH: return gelu_tanh(x);
    case ELTWISE_SWISH: return swish(x, alpha);
    case ELTWISE_LOG: return log(x);
    case ELTWISE_CLIP:
    case ELTWISE_CLIP_V2:
    case ELTWISE_CLIP_V2_DST: return clamp_nan(x, alpha, beta);
    case ELTWISE_POW: return alpha * pow(x, beta);
    case ELTWISE_GELU_ERF: return gelu_erf(x);
    case ELTWISE_ROUND: return rint(x);
    case ELTWISE_MISH: return mish(x);
    case ELTWISE_HARDSWISH: return x * clamp_nan(alpha * x + beta, zero, one);
    default: return x;
    }
}

#endif
