// SPDX-License-Identifier: Apache-2.0
// Reductions and maps of rows. Compiled for each level: simd_level.h.
#include "simd_math.h"
#include "simd_rows.h"

/// Vectors that are summed side by side, so that an addition need not wait for the one before.
enum { NSUMS = 4 };

static float max_of(const float *x, prim_dim_t n)
{
    vf_t max[NSUMS];
    for (int k = 0; k < NSUMS; ++k) max[k] = v_set(-__builtin_inff());
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k) {
            const vf_t v = v_load(x + i + k * LANES);
            max[k] = v_select(v > max[k], v, max[k]);
        }
    }
    for (; i < n; i += LANES) {
        const vf_t v =
                n - i >= LANES ? v_load(x + i) : v_load_part(x + i, n - i, -__builtin_inff());
        max[0] = v_select(v > max[0], v, max[0]);
    }
    for (int k = 1; k < NSUMS; ++k) max[0] = v_select(max[k] > max[0], max[k], max[0]);
    return v_max(max[0]);
}

SIMD_INLINE vf_t larger_or_nan(vf_t acc, vf_t x)
{
    return v_select((x > acc) | (x != x), x, acc);
}

/// The smallest is the largest of −x, negative. `sign` is 0 or the sign bit.
SIMD_INLINE vf_t flip(vf_t x, uint32_t sign)
{
    return (vf_t)((vu_t)x ^ sign);
}

/// The largest of x, flipped; NaN is looked for apart, so that a maximum waits for the one before
/// alone.
SIMD_INLINE float largest(const float *x, uint32_t sign, prim_dim_t n)
{
    const float none = sign ? __builtin_inff() : -__builtin_inff();
    vf_t acc[NSUMS];
    vi_t has_nan[NSUMS] = {{0}};
    for (int k = 0; k < NSUMS; ++k) acc[k] = v_set(-__builtin_inff());
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k) {
            const vf_t v = flip(v_load(x + i + k * LANES), sign);
            acc[k] = v_at_least(acc[k], v); // keeps acc where v is NaN
            has_nan[k] |= v != v;
        }
    }
    for (; i < n; i += LANES) {
        const vf_t v = flip(n - i >= LANES ? v_load(x + i) : v_load_part(x + i, n - i, none), sign);
        acc[0] = v_at_least(acc[0], v);
        has_nan[0] |= v != v;
    }
    for (int k = 1; k < NSUMS; ++k) {
        acc[0] = v_at_least(acc[0], acc[k]);
        has_nan[0] |= has_nan[k];
    }
    return v_max(v_select(has_nan[0], v_set(__builtin_nanf("")), acc[0]));
}

static float extreme(const float *x, bool is_min, prim_dim_t n)
{
    return is_min ? -largest(x, 0x80000000U, n) : largest(x, 0, n);
}

/// Exponents of all ones are infinities and NaN.
SIMD_INLINE vi_t not_finite(vf_t x)
{
    return (vi_t)(((vu_t)x & 0x7f800000U) == 0x7f800000U);
}

static bool all_finite(const float *x, prim_dim_t n)
{
    vi_t found = {0};
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) found |= not_finite(v_load(x + i));
    if (i < n) found |= not_finite(v_load_part(x + i, n - i, 0));
    return !v_any(found);
}

static void extreme_columns(float *acc, const float *x, bool is_min, prim_dim_t n)
{
    const uint32_t sign = is_min ? 0x80000000U : 0;
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vf_t old = flip(v_load(acc + i), sign);
        v_store(acc + i, flip(larger_or_nan(old, flip(v_load(x + i), sign)), sign));
    }
    if (i == n) return;
    const vf_t old = flip(v_load_part(acc + i, n - i, 0), sign);
    const vf_t v = flip(v_load_part(x + i, n - i, 0), sign);
    v_store_part(acc + i, flip(larger_or_nan(old, v), sign), n - i);
}

/// Σ term(x), each term a vector; the rest's missing lanes are `rest` and count 0.
typedef vf_t term_t(vf_t x, vf_t parameter);

SIMD_INLINE float sum_terms(
        const float *x, float *out, vf_t parameter, float rest, prim_dim_t n, term_t *term)
{
    vf_t sums[NSUMS] = {{0}};
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k) {
            const vf_t y = term(v_load(x + i + k * LANES), parameter);
            if (out) v_store(out + i + k * LANES, y);
            sums[k] += y;
        }
    }
    for (; i + LANES <= n; i += LANES) {
        const vf_t y = term(v_load(x + i), parameter);
        if (out) v_store(out + i, y);
        sums[0] += y;
    }
    if (i < n) {
        const vf_t y = term(v_load_part(x + i, n - i, rest), parameter);
        if (out) v_store_part(out + i, y, n - i);
        sums[1] += y;
    }
    return v_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

SIMD_INLINE vf_t itself(vf_t x, vf_t unused)
{
    (void)unused;
    return x;
}

SIMD_INLINE vf_t squared_distance(vf_t x, vf_t centre)
{
    return (x - centre) * (x - centre);
}

SIMD_INLINE vf_t exp_of_difference(vf_t x, vf_t max)
{
    return v_exp_lifted(x - max);
}

static float sum(const float *x, prim_dim_t n)
{
    return sum_terms(x, NULL, v_set(0), 0, n, itself);
}

static float sum_squares(const float *x, float centre, prim_dim_t n)
{
    return sum_terms(x, NULL, v_set(centre), centre, n, squared_distance);
}

static float exp_row(float *out, const float *x, float max, prim_dim_t n)
{
    const float none = -__builtin_inff(); // e^−∞ = 0, unless max is infinite: NaN anyway
    if (!out) return sum_terms(x, NULL, v_set(max), none, n, exp_of_difference) * 0x1p-64F;
    return sum_terms(x, out, v_set(max), none, n, exp_of_difference) * 0x1p-64F;
}

/// x·factor / 2⁶⁴. Only fractions keep products with what is lifted finite and positive.
SIMD_INLINE vf_t lowered(vf_t x, vf_t factor)
{
    const vi_t is_fraction = (factor >= 0.0F) & (factor <= 1.0F);
    return v_any(~is_fraction) ? x * 0x1p-32F * factor * 0x1p-32F : v_lower(x * factor);
}

static void lower(float *out, const float *x, float factor, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, lowered(v_load_at(x, i, n, 0), v_set(factor)), i, n);
}

static void lower_columns(float *out, const float *x, const float *factors, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, lowered(v_load_at(x, i, n, 0), v_load_at(factors, i, n, 0)), i, n);
}

static void scale_row(float *out, const float *x, float factor, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) v_store_at(out, v_load_at(x, i, n, 0) * factor, i, n);
}

static void softmax(float *out, const float *x, float factor, prim_dim_t n)
{
    const float sum = exp_row(out, x, max_of(x, n), n);
    lower(out, out, factor / sum, n);
}

static void shift_row(
        float *out, const float *x, float first, float second, float factor, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES)
        v_store(out + i, ((v_load(x + i) - first) - second) * factor);
    for (; i < n; ++i) out[i] = ((x[i] - first) - second) * factor;
}

static void quantise(float *out, const float *x, float zero, float factor, float divisor,
        float shift, prim_dim_t n)
{
    prim_dim_t i = 0;
    if (divisor == 1) {
        for (; i + LANES <= n; i += LANES)
            v_store(out + i, (v_load(x + i) - zero) * factor + shift);
        for (; i < n; ++i) out[i] = (x[i] - zero) * factor + shift;
        return;
    }
    for (; i + LANES <= n; i += LANES)
        v_store(out + i, (v_load(x + i) - zero) * factor / divisor + shift);
    for (; i < n; ++i) out[i] = (x[i] - zero) * factor / divisor + shift;
}

static void normalize(float *out, const float *x, float mean, float factor, const float *scale,
        const float *shift, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        vf_t y = (v_load_at(x, i, n, 0) - mean) * factor;
        if (scale) y *= v_load_at(scale, i, n, 0);
        if (shift) y += v_load_at(shift, i, n, 0);
        v_store_at(out, y, i, n);
    }
}

static void affine(float *out, const float *x, float mean, float factor, float shift, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, (v_load_at(x, i, n, 0) - mean) * factor + shift, i, n);
}

static void max_columns(float *max, const float *x, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const prim_dim_t left = n - i;
        if (left >= LANES) {
            const vf_t v = v_load(x + i), old = v_load(max + i);
            v_store(max + i, v_select(v > old, v, old));
            continue;
        }
        const vf_t v = v_load_part(x + i, left, 0), old = v_load_part(max + i, left, 0);
        v_store_part(max + i, v_select(v > old, v, old), left);
    }
}

static void exp_columns(float *sums, float *out, const float *x, const float *max, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t y = v_exp_lifted(v_load_at(x, i, n, 0) - v_load_at(max, i, n, 0));
        v_store_at(out, y, i, n);
        v_store_at(sums, v_load_at(sums, i, n, 0) + y, i, n);
    }
}

static void log_columns(float *x, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(x + i, v_log(v_load(x + i)));
    if (i < n) v_store_part(x + i, v_log(v_load_part(x + i, n - i, 1)), n - i);
}

const simd_rows_code_t SIMD_NAME(prim__simd_rows_code) = {.max = max_of,
        .extreme = extreme,
        .sum = sum,
        .all_finite = all_finite,
        .sum_squares = sum_squares,
        .exp = exp_row,
        .softmax = softmax,
        .lower = lower,
        .scale = scale_row,
        .shift = shift_row,
        .quantise = quantise,
        .normalize = normalize,
        .affine = affine,
        .max_columns = max_columns,
        .extreme_columns = extreme_columns,
        .exp_columns = exp_columns,
        .lower_columns = lower_columns,
        .log_columns = log_columns};
