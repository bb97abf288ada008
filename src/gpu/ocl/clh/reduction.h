// SPDX-License-Identifier: Apache-2.0
// The algorithms of reduction: what an element adds, how two results are joined, the last step. Numbers as in
// prim_alg_kind_t; with a compile-time `alg` the switches fold away.
#ifndef CLH_REDUCTION_H
#define CLH_REDUCTION_H

#define REDUCTION_MAX 0x2fff2
#define REDUCTION_MIN 0x2fff3
#define REDUCTION_SUM 0x2fff4
#define REDUCTION_MUL 0x2fff5
#define REDUCTION_MEAN 0x2fff6
#define REDUCTION_NORM_LP_MAX 0x2fff7
#define REDUCTION_NORM_LP_SUM 0x2fff8
#define REDUCTION_NORM_LP_POWER_P_MAX 0x2fff9
#define REDUCTION_NORM_LP_POWER_P_SUM 0x2fffa

// The result of no elements.
static inline float reduction_start(int alg)
{
    if (alg == REDUCTION_MAX) return -INFINITY;
    if (alg == REDUCTION_MIN) return INFINITY;
    return alg == REDUCTION_MUL ? 1.0f : 0.0f;
}

// x, or |x|^p.
static inline float reduction_term(int alg, float p, float x)
{
    if (alg < REDUCTION_NORM_LP_MAX) return x;
    if (p == 1.0f) return fabs(x);
    return p == 2.0f ? x * x : pow(fabs(x), p);
}

// A NaN on either side is the result.
static inline float reduction_join(int alg, float a, float b)
{
    if (alg == REDUCTION_MAX) return b > a || isnan(b) ? b : a;
    if (alg == REDUCTION_MIN) return b < a || isnan(b) ? b : a;
    return alg == REDUCTION_MUL ? a * b : a + b;
}

static inline float reduction_root(float p, float x)
{
    if (p == 1.0f) return x;
    return p == 2.0f ? sqrt(x) : pow(x, 1.0f / p);
}

// Of the joined terms of n elements.
static inline float reduction_last(int alg, float p, float eps, long n, float x)
{
    switch (alg) {
    case REDUCTION_MEAN: return x / (float)n;
    case REDUCTION_NORM_LP_MAX: return reduction_root(p, reduction_join(REDUCTION_MAX, eps, x));
    case REDUCTION_NORM_LP_SUM: return reduction_root(p, x + eps);
    case REDUCTION_NORM_LP_POWER_P_MAX: return reduction_join(REDUCTION_MAX, eps, x);
    case REDUCTION_NORM_LP_POWER_P_SUM: return x + eps;
    default: return x;
    }
}

#endif
