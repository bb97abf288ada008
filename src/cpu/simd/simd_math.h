// SPDX-License-Identifier: Apache-2.0
// Functions of vectors of f32. Errors in units in the last place, which tests/unit/simd_test.c
// compares over the whole range: exp 1, expm1 1, log 1, tanh 3, logistic 2, the normal distribution
// 12 and 2·x² more. Results below 2⁻¹²⁶ are rounded to subnormal numbers; infinities and NaN are
// those of C's functions.
#ifndef PRIM_CPU_SIMD_MATH_H
#define PRIM_CPU_SIMD_MATH_H

#include "simd_vec.h"

/// 2^n, −126 ≤ n ≤ 127
SIMD_INLINE vf_t v_power_of_2(vi_t n)
{
    return (vf_t)((vu_t)(n + 127) << 23);
}

/// x = n·ln 2 + r, |r| ≤ ln 2 / 2, and e^r − 1.
typedef struct {
    vi_t n;
    vf_t whole, expm1; ///< n, and NaN where x is
} reduced_t;

/// |x| ≤ 110. The polynomial is that of Cephes' expf (S. Moshier).
SIMD_INLINE reduced_t v_reduce_exp(vf_t x)
{
    const vf_t shifted = x * 1.44269504088896341F + 12582912.0F; // see v_to_int()
    const vf_t n = shifted - 12582912.0F;
    // ln 2 in two parts, the first short enough for n·part to be exact.
    const vf_t r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
    vf_t p = r * 1.9875691500e-4F + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    return (reduced_t){(vi_t)shifted - (vi_t)v_set(12582912.0F), n, p * (r * r) + r};
}

/// e^x, −153 < n < 129. Processors that leave subnormal results to microcode take a hundred cycles
/// for each: below 2⁻¹²⁶ the integer is made that is such a number, and no product is one, also
/// where nobody reads it.
SIMD_INLINE vf_t v_finish_exp(reduced_t x)
{
    const vf_t y = x.expm1 + 1.0F;
#if SIMD_LEVEL == 2
    // The instruction that multiplies by 2^n leaves them to microcode, too. Lanes that it zeroes it
    // does not compute.
    const __mmask16 small = _mm512_cmp_ps_mask((__m512)x.whole, (__m512)v_set(-126), _CMP_LT_OS);
    const vf_t large = (vf_t)_mm512_maskz_scalef_ps(~small, (__m512)y, (__m512)x.whole);
    const vf_t steps = (vf_t)_mm512_maskz_scalef_ps(small, (__m512)y, (__m512)(x.whole + 149.0F));
    return (vf_t)((vi_t)large | ((vi_t)(steps + 8388608.0F) - (vi_t)v_set(8388608.0F)));
#else
    const vi_t is_small = (vi_t)(x.whole < -126.0F), is_large = (vi_t)(x.whole > 127.0F);
    const vi_t most = (vi_t)v_selectu(is_small, v_setu(0), (vu_t)x.n);
    const vf_t normal = y * v_power_of_2(most + is_large);
    const vi_t least = (vi_t)v_selectu(is_small, (vu_t)x.n, v_setu((uint32_t)-127));
    // In units of 2⁻¹⁴⁹, below 2²³: the sum's last place is one, its low bits are the integer.
    const vf_t sum = y * v_power_of_2(least + 149) + 8388608.0F;
    const vi_t subnormal = (vi_t)sum - (vi_t)v_set(8388608.0F);
    return v_select(is_small, (vf_t)subnormal, normal + v_select(is_large, normal, v_set(0)));
#endif
}

SIMD_INLINE vf_t v_exp(vf_t x)
{
    // Beyond these e^x is 0 or infinite, by rounding.
    return v_finish_exp(v_reduce_exp(v_at_most(v_at_least(x, v_set(-105)), v_set(89))));
}

/// 2⁶⁴·e^x for x ≤ 0, and 0 where e^x is: what is added and multiplied further without subnormal
/// numbers.
SIMD_INLINE vf_t v_exp_lifted(vf_t x)
{
#if SIMD_LEVEL == 2
    const reduced_t reduced = v_reduce_exp(x);
    const __mmask16 stays = _mm512_cmp_ps_mask((__m512)x, (__m512)v_set(-105), _CMP_NLT_US);
    return (vf_t)_mm512_maskz_scalef_ps(
            stays, (__m512)(reduced.expm1 + 1.0F), (__m512)(reduced.whole + 64.0F));
#else
    const reduced_t reduced = v_reduce_exp(v_at_least(x, v_set(-105)));
    const vf_t y = (reduced.expm1 + 1.0F) * v_power_of_2(reduced.n + 64);
    return v_select(x < -105.0F, v_set(0), y);
#endif
}

/// x / 2⁶⁴, x ≥ 0 or NaN; subnormal results as v_finish_exp() makes them.
SIMD_INLINE vf_t v_lower(vf_t x)
{
    const vf_t unit = v_set(0x1p-64F), per_step = v_set(0x1p85F); // a step is 2⁻¹⁴⁹
#if SIMD_LEVEL == 2
    const __mmask16 small = _mm512_cmp_ps_mask((__m512)x, (__m512)v_set(0x1p-62F), _CMP_LT_OS);
    const vf_t normal = (vf_t)_mm512_maskz_mul_ps(~small, (__m512)x, (__m512)unit);
    const vf_t steps = (vf_t)_mm512_maskz_mul_ps(small, (__m512)x, (__m512)per_step);
#else
    const vi_t is_small = x < 0x1p-62F;
    const vf_t normal = v_select(is_small, v_set(0), x) * unit;
    const vf_t steps = v_select(is_small, x, v_set(0)) * per_step;
#endif
    return (vf_t)((vi_t)normal | ((vi_t)(steps + 8388608.0F) - (vi_t)v_set(8388608.0F)));
}

/// x·y / 2⁶⁴, 0 ≤ y ≤ 2⁶⁴.
SIMD_INLINE vf_t v_times_lifted(vf_t x, vf_t y)
{
    const vf_t product = v_copysign(v_lower(v_abs(x) * y), x);
    const vi_t is_large = v_abs(x) >= 0x1p60F; // the product may be infinite
    if (!v_any(is_large)) return product;
    return v_select(is_large, x * (y * 0x1p-64F), product);
}

/// e^x − 1 for x ≤ 0, without cancellation; anything for x > 88.
SIMD_INLINE vf_t v_expm1_negative(vf_t x)
{
    const reduced_t reduced = v_reduce_exp(v_at_most(v_at_least(x, v_set(-80)), v_set(87)));
    const vf_t scale = v_power_of_2(reduced.n);
    return scale * reduced.expm1 + (scale - 1.0F);
}

/// x = 2^n·(1 + f), √½ ≤ 1 + f < √2
typedef struct {
    vf_t n, f;
} split_t;

/// 0 < x < ∞
SIMD_INLINE split_t v_split(vf_t x)
{
    const vi_t is_tiny = x < 0x1p-126F;
    const vu_t bits = (vu_t)v_select(is_tiny, x * 0x1p23F, x);
    const vi_t e = (vi_t)(bits - 0x3f3504f3U) >> 23;
    const vf_t f = (vf_t)(bits - ((vu_t)e << 23)) - 1.0F;
    return (split_t){__builtin_convertvector(e + (is_tiny & -23), vf_t), f};
}

/// ln x. The polynomial is that of Cephes' logf.
SIMD_INLINE vf_t v_log(vf_t x)
{
    const split_t split = v_split(x);
    const vf_t n = split.n, f = split.f, f2 = f * f;
    vf_t p = f * 7.0376836292e-2F + -1.1514610310e-1F;
    p = p * f + 1.1676998740e-1F;
    p = p * f + -1.2420140846e-1F;
    p = p * f + 1.4249322787e-1F;
    p = p * f + -1.6668057665e-1F;
    p = p * f + 2.0000714765e-1F;
    p = p * f + -2.4999993993e-1F;
    p = p * f + 3.3333331174e-1F;
    const vf_t tail = p * (f * f2) + n * -2.12194440e-4F - f2 * 0.5F;
    const vf_t finite = (f + tail) + n * 0.693359375F;
    const vf_t special = v_select(x == 0.0F, v_set(-__builtin_inff()), v_set(__builtin_nanf("")));
    const vf_t positive = v_select(x == __builtin_inff(), x, finite);
    return v_select(x > 0.0F, positive, special);
}

/// ln(1 + x), 0 ≤ x ≤ 1: the logarithm of the rounded sum, and what the rounding lost.
SIMD_INLINE vf_t v_log1p_fraction(vf_t x)
{
    const vf_t sum = x + 1.0F;
    return v_log(sum) - ((sum - 1.0F) - x) / sum;
}

SIMD_INLINE vf_t v_tanh(vf_t x)
{
    const vf_t e = v_expm1_negative(v_abs(x) * -2.0F);
    return v_copysign(e / (e + 2.0F), x);
}

/// 2⁶⁴ / (1 + e⁻ˣ), small results with all their digits.
SIMD_INLINE vf_t v_logistic_lifted(vf_t x)
{
    const vf_t e = v_exp_lifted(-v_abs(x));
    const vf_t numerator = v_select(x < 0.0F, e, v_set(0x1p64F));
    return numerator / (v_at_least(e, v_set(0x1p-30F)) * 0x1p-64F + 1.0F);
}

SIMD_INLINE vf_t v_logistic(vf_t x)
{
    return v_lower(v_logistic_lifted(x));
}

/// The normal distribution Φ(x). With y = |x|, e^(y²/2)·Φ(−y)·(y + 4) varies between 0.4 and 2; it
/// is interpolated in u = (y − 4)/(y + 4) at Chebyshev's nodes, to 3·10⁻⁸ of its value. Times 2⁶⁴.
SIMD_INLINE vf_t v_normal_lifted(vf_t x)
{
    const vf_t y = v_at_most(v_abs(x), v_set(16));
    const vf_t t = 1.0F / (y + 4.0F), u = 1.0F - t * 8.0F;
    vf_t p = u * -1.301223092e-04F + 1.790493989e-04F;
    p = p * u + 1.563369995e-03F;
    p = p * u + -3.515918972e-03F;
    p = p * u + -7.522386499e-03F;
    p = p * u + 6.040547788e-02F;
    p = p * u + -1.865238398e-01F;
    p = p * u + 3.871366978e-01F;
    p = p * u + -6.078965664e-01F;
    p = p * u + 7.552851439e-01F;
    const vf_t below = v_exp_lifted(y * y * -0.5F) * (t * p); // Φ(−|x|)
    return v_select(x > 0.0F, 0x1p64F - below, below);
}

SIMD_INLINE vf_t v_normal(vf_t x)
{
    return v_lower(v_normal_lifted(x));
}

#endif
