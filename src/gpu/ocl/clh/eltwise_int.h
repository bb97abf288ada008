// SPDX-License-Identifier: Apache-2.0
// Eltwise functions of integers, computed in integers: relu, linear, clip.
#ifndef CLH_ELTWISE_INT_H
#define CLH_ELTWISE_INT_H

#include "clh/eltwise.h"

// The rounding error of a + b, for any order of magnitudes (Knuth, TAOCP vol. 2, 4.2.2).
static inline float sum_error(float a, float b, float sum)
{
    const float part = sum - a;
    return (a - (sum - part)) + (b - part);
}

// a·x + b to the nearest integer, halves to even; beyond ±2³² just something large. The product is
// taken as two exact ones (x has 32 bits, a factor of 16 bits leaves room for a's 24) and summed
// with the errors kept, then rounded in fixed point with 30 fractional bits.
static inline long multiply_add_int(int x, float a, float b)
{
    const float high = (float)(x & ~0xffff), low = (float)(x & 0xffff);
    const float p = a * high, q = a * low;
    const float pq = p + q;
    const float sum = pq + b;
    const float rest =
            (fma(a, high, -p) + fma(a, low, -q)) + (sum_error(p, q, pq) + sum_error(pq, b, sum));
    if (isnan(sum)) return 0;
    if (fabs(sum) >= 0x1p32f) return sum > 0.0f ? 1L << 40 : -(1L << 40);
    const float scaled = rest * 0x1p30f;
    const long fixed = convert_long(floor(sum * 0x1p30f)) + convert_long(floor(scaled));
    const long whole = fixed >> 30, part = fixed & ((1L << 30) - 1), half_unit = 1L << 29;
    const bool is_above = part > half_unit || (part == half_unit && scaled != floor(scaled));
    const bool is_tie_to_odd = part == half_unit && (whole & 1L);
    return whole + (is_above || is_tie_to_odd ? 1L : 0L);
}

// Store it with saturation.
static inline long eltwise_int(int alg, int x, float alpha, float beta)
{
    switch (alg) {
    case ELTWISE_RELU:
        if (alpha == 0.0f) return max(x, 0);
        return x > 0 ? x : multiply_add_int(x, alpha, 0.0f);
    case ELTWISE_LINEAR: return multiply_add_int(x, alpha, beta);
    case ELTWISE_CLIP:
    case ELTWISE_CLIP_V2:
        if (x < convert_long_sat(ceil(alpha))) return convert_long_sat(rint(alpha));
        if (x > convert_long_sat(floor(beta))) return convert_long_sat(rint(beta));
        return x;
    default: return x;
    }
}

#endif
