// SPDX-License-Identifier: Apache-2.0
// The functions of clh/eltwise.h whose instructions would take longer than the memory, for elements that are loaded and
// stored as 16 bits: by the device's approximate 2^x and 1/x, within the tolerances of doc/numerics.md.
//
//   eltwise_short(alg, x, alpha, beta), eltwise_short_slope(alg, x, alpha, beta)   (SLOPES, clh/eltwise_slope.h)
//
// -D: FAST_EXP2: 1: so (OCL_FEATURE_FAST_EXP2; REAL_WIDTH > 1); 0: those of clh/eltwise.h. SLOPES: 0, 1.
#ifndef CLH_ELTWISE_SHORT_H
#define CLH_ELTWISE_SHORT_H

#if !defined(FAST_EXP2) || !defined(SLOPES)
#error "clh/eltwise_short.h needs FAST_EXP2, SLOPES"
#endif

#if SLOPES
#include "clh/eltwise_slope.h"
#else
#include "clh/eltwise.h"
#endif

#if FAST_EXP2

#include "clh/io_vec.h"
#include "clh/nv/nv_arith.h"

static inline real_t short_exp2(real_t x)
{
    float y[REAL_WIDTH];
    RAW_JOIN(vstore, REAL_WIDTH)(x, 0, y);
    for (int i = 0; i < REAL_WIDTH; ++i) y[i] = nv_ex2(y[i]);
    return RAW_JOIN(vload, REAL_WIDTH)(0, y);
}

#define SHORT_LOG2_E 1.44269504f

// 1/(1 + e^−p); the power may be infinite.
static inline real_t short_logistic(real_t p)
{
    return native_recip(1.0f + short_exp2(p * -SHORT_LOG2_E));
}

// As gelu_tanh_exponent(), rounded. It exceeds what 16 bits show by far before x³ is infinite.
static inline real_t short_gelu_tanh_exponent(real_t x)
{
    return x * fma((real_t)(0.0713548163f), x * x, (real_t)(1.59576917f));
}

// e^(−x²/2). The square of 16 bits is exact; what else rounds in the exponent counts for large ones, of bf16. From 512 on
// it is 0.
static inline real_t short_exp_minus_half_square(real_t x)
{
    const real_t square = fmin(x * x, (real_t)(512.0f)), c = -0.721347511f;
    const real_t p = square * c;
    const real_t rest = fma(square, c, -p) + square * -9.62981496e-9f;
    const real_t e = short_exp2(p);
    return fma(e, 0.693147182f * rest, e);
}

// As scaled_normal_tail(), with t = 1/(1 + 0.3·x), for x ≤ 14: relative error 1.5e-7.
static inline real_t short_normal_tail(real_t x)
{
    const real_t t = native_recip(fma(x, (real_t)(0.3f), (real_t)(1.0f)));
    const real_t u = fma(t, (real_t)(2.47619048f), (real_t)(-1.47619048f));
    real_t y = fma(u, (real_t)(6.24989978e-5f), (real_t)(-3.61336910e-5f));
    y = fma(y, u, (real_t)(-9.63493423e-4f));
    y = fma(y, u, (real_t)(-3.21628850e-4f));
    y = fma(y, u, (real_t)(1.48520775e-2f));
    y = fma(y, u, (real_t)(6.70540587e-2f));
    y = fma(y, u, (real_t)(1.62331974e-1f));
    y = fma(y, u, (real_t)(2.57020574e-1f));
    return t * y;
}

static inline real_t short_gelu_erf(real_t x)
{
    const real_t tail = short_exp_minus_half_square(x) * short_normal_tail(fabs(x));
    return x * (x < 0.0f ? tail : 1.0f - tail);
}

static inline real_t eltwise_short(int alg, real_t x, float alpha, float beta)
{
    switch (alg) {
    case ELTWISE_SWISH: return x * short_logistic(alpha * x);
    case ELTWISE_GELU_TANH: return x * short_logistic(short_gelu_tanh_exponent(x));
    case ELTWISE_GELU_ERF: return short_gelu_erf(x);
    default: return eltwise(alg, x, alpha, beta);
    }
}

#if SLOPES
// e^(−x²/2) for |x| ≤ 16. A result of f16 is 0 where the rounding of the exponent would count.
static inline real_t short_slope_exp(real_t x)
{
#if DST_DT == DT_F16
    return short_exp2(x * x * -0.721347511f);
#else
    const real_t square = x * x, c = -0.721347511f, p = square * c;
    const real_t e = short_exp2(p);
    return fma(e, 0.693147182f * fma(square, c, -p), e);
#endif
}

// Φ(x) + x·φ(x), both of which have the factor e^(−x²/2); from 16 on it is 0 or 1. A NaN goes through the tail.
static inline real_t short_gelu_erf_slope(real_t x_any)
{
    const real_t x = fmin(fmax(x_any, (real_t)(-16.0f)), (real_t)(16.0f));
    const real_t tail = short_normal_tail(fabs(x_any)), factor = x * 0.398942280f + (x < 0.0f ? tail : -tail);
    return fma(short_slope_exp(x), factor, x < 0.0f ? (real_t)(0.0f) : (real_t)(1.0f));
}

static inline real_t eltwise_short_slope(int alg, real_t x, float alpha, float beta)
{
    return alg == ELTWISE_GELU_ERF ? short_gelu_erf_slope(x) : eltwise_slope(alg, x, alpha, beta);
}
#endif

#else

#define eltwise_short eltwise
#define eltwise_short_slope eltwise_slope

#endif

#endif
