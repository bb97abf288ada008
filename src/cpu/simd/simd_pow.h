// SPDX-License-Identifier: Apache-2.0
// factor·x^exponent in vectors, with the special cases of C's pow. x^y = 2^(y·log2 x), where an
// exponent of 128 has only 17 bits of f32 behind its point: logarithm and power are computed in
// double, to 2⁻³⁰ of the result, so that only the last rounding counts.
#ifndef PRIM_CPU_SIMD_POW_H
#define PRIM_CPU_SIMD_POW_H

#include <math.h>
#include <stdbool.h>

#include "simd_math.h"

/// One factor and exponent, and what they make of magnitudes that have no logarithm.
typedef struct {
    double factor, exponent;
    float of_0, of_infinity, of_nan;
    bool takes_negative; ///< the exponent is an integer, as an infinite one is by C's rules
    uint32_t sign_mask;  ///< the sign of f32 where the exponent is odd, else 0
} power_t;

static inline power_t power_of(double factor, double exponent)
{
    const bool is_integer = floor(exponent) == exponent;
    const bool is_even = floor(exponent / 2) == exponent / 2;
    return (power_t){.factor = factor,
            .exponent = exponent,
            .of_0 = (float)(factor * pow(0.0, exponent)),
            .of_infinity = (float)(factor * pow((double)INFINITY, exponent)),
            .of_nan = (float)(factor * pow((double)NAN, exponent)),
            .takes_negative = is_integer,
            .sign_mask = is_integer && !is_even ? 0x80000000U : 0};
}

/// factor·m^exponent, m = 2^n·(1 + f) with √½ ≤ 1 + f < √2. What exceeds 2^±300 is infinite or 0 as
/// f32, whatever the factor.
SIMD_INLINE vd_t v_power_in_double(vd_t n, vd_t f, const power_t *p)
{
    // ln(1 + f) = 2·artanh(s); |s| < 0.172, so that the next term is below 2⁻³⁹ of the sum.
    const vd_t s = f / (f + 2.0), s2 = s * s;
    vd_t sum = s2 * (1.0 / 13) + 1.0 / 11;
    sum = sum * s2 + 1.0 / 9;
    sum = sum * s2 + 1.0 / 7;
    sum = sum * s2 + 1.0 / 5;
    sum = sum * s2 + 1.0 / 3;
    sum = sum * s2 + 1.0;
    const vd_t log2 = n + s * sum * 2.88539008177792681472;
    const vd_t y = vd_within(log2 * p->exponent, 300);
    // As v_to_int() rounds. e^r with |r| ≤ ln 2 / 2: the next term is below 2⁻³² of the sum.
    const vd_t shifted = y + 0x1.8p52, whole = shifted - 0x1.8p52;
    const vd_t r = (y - whole) * 0.69314718055994530942;
    vd_t e = r * (1.0 / 40320) + 1.0 / 5040;
    e = e * r + 1.0 / 720;
    e = e * r + 1.0 / 120;
    e = e * r + 1.0 / 24;
    e = e * r + 1.0 / 6;
    e = e * r + 0.5;
    e = e * r + 1.0;
    e = e * r + 1.0;
    const vd_t scale = (vd_t)(((vl_t)shifted + 1023) << 52); // 2^whole
    return e * scale * p->factor;
}

/// factor·x^exponent, within 0.51 ulp of the result rounded to f32.
SIMD_INLINE vf_t v_power(vf_t x, const power_t *p)
{
    const vf_t magnitude = v_abs(x);
    // 1 is apart for exponents without end: 0·∞ is no number.
    const vi_t has_log = (magnitude > 0.0F) & (magnitude < __builtin_inff()) & (magnitude != 1.0F);
    const split_t m = v_split(v_select(has_log, magnitude, v_set(1)));
    half_vf_t n[2], f[2], y[2];
    memcpy(n, &m.n, sizeof n);
    memcpy(f, &m.f, sizeof f);
    for (int i = 0; i < 2; ++i)
        y[i] = __builtin_convertvector(v_power_in_double(__builtin_convertvector(n[i], vd_t),
                                               __builtin_convertvector(f[i], vd_t), p),
                half_vf_t);
    vf_t power;
    memcpy(&power, y, sizeof power);

    const vf_t of_1 = v_select(magnitude == 1.0F, v_set((float)p->factor), v_set(p->of_nan));
    const vf_t of_ends = v_select(magnitude == 0.0F, v_set(p->of_0),
            v_select(magnitude == __builtin_inff(), v_set(p->of_infinity), of_1));
    power = v_select(has_log, power, of_ends);
    const vf_t y_signed = (vf_t)((vu_t)power ^ ((vu_t)x & p->sign_mask));
    if (p->takes_negative) return y_signed;
    const vi_t is_undefined = (x < 0.0F) & (magnitude < __builtin_inff());
    return v_select(is_undefined, v_set(__builtin_nanf("")), y_signed);
}

#endif
