// SPDX-License-Identifier: Apache-2.0
// Maxima and sums of taps: vectors of results stay in registers while they meet all taps. Compiled
// for each level: simd_level.h.
#include "simd_pool.h"
#include "simd_vec.h"

/// Vectors that meet a tap together.
enum { NVECTORS = 4 };

/// Elements p[0], p[2], …; none beyond the last of them is read.
SIMD_INLINE vf_t v_load_even(const float *p)
{
    const vf_t a = v_load(p), b = v_load(p + LANES - 1);
#if LANES == 4
    return __builtin_shufflevector(a, b, 0, 2, 5, 7);
#elif LANES == 8
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
#endif
}

SIMD_INLINE vf_t load_strided(const float *p, prim_dim_t stride)
{
    if (stride == 1) return v_load(p);
    if (stride == 2) return v_load_even(p);
    float values[LANES];
    for (int i = 0; i < LANES; ++i) values[i] = p[i * stride];
    return v_load(values);
}

/// `count` vectors of results.
SIMD_INLINE void max_block(float *acc, float *winners, const simd_tap_t *taps, int ntaps,
        prim_dim_t at, prim_dim_t stride, const int count)
{
    vf_t best[NVECTORS], winner[NVECTORS];
    for (int k = 0; k < count; ++k) {
        best[k] = v_load(acc + at + k * LANES);
        winner[k] = winners ? v_load(winners + at + k * LANES) : best[k];
    }
    for (int t = 0; t < ntaps; ++t) {
        const float *const x = taps[t].x + at * stride;
        for (int k = 0; k < count; ++k) {
            const vf_t v = load_strided(x + k * LANES * stride, stride);
            const vi_t wins = v > best[k];
            best[k] = v_select(wins, v, best[k]);
            if (winners) winner[k] = v_select(wins, v_set(taps[t].index), winner[k]);
        }
    }
    for (int k = 0; k < count; ++k) {
        v_store(acc + at + k * LANES, best[k]);
        if (winners) v_store(winners + at + k * LANES, winner[k]);
    }
}

/// The last n < LANES results, stride 1.
SIMD_INLINE void max_rest(
        float *acc, float *winners, const simd_tap_t *taps, int ntaps, prim_dim_t at, prim_dim_t n)
{
    vf_t best = v_load_part(acc + at, n, 0), winner = best;
    if (winners) winner = v_load_part(winners + at, n, 0);
    for (int t = 0; t < ntaps; ++t) {
        const vf_t v = v_load_part(taps[t].x + at, n, 0);
        const vi_t wins = v > best;
        best = v_select(wins, v, best);
        if (winners) winner = v_select(wins, v_set(taps[t].index), winner);
    }
    v_store_part(acc + at, best, n);
    if (winners) v_store_part(winners + at, winner, n);
}

SIMD_INLINE void max_row(float *acc, float *winners, const simd_tap_t *taps, int ntaps,
        prim_dim_t n, prim_dim_t stride)
{
    prim_dim_t at = 0;
    for (; at + NVECTORS * LANES <= n; at += NVECTORS * LANES)
        max_block(acc, winners, taps, ntaps, at, stride, NVECTORS);
    for (; at < n && (stride != 1 || at + LANES <= n); at += LANES)
        max_block(acc, winners, taps, ntaps, at, stride, 1);
    if (at < n) max_rest(acc, winners, taps, ntaps, at, n - at);
}

SIMD_INLINE void sum_block(float *acc, const simd_tap_t *taps, int ntaps, prim_dim_t at,
        prim_dim_t stride, const int count)
{
    vf_t sum[NVECTORS];
    for (int k = 0; k < count; ++k) sum[k] = v_load(acc + at + k * LANES);
    for (int t = 0; t < ntaps; ++t) {
        const float *const x = taps[t].x + at * stride;
        for (int k = 0; k < count; ++k) sum[k] += load_strided(x + k * LANES * stride, stride);
    }
    for (int k = 0; k < count; ++k) v_store(acc + at + k * LANES, sum[k]);
}

SIMD_INLINE void sum_row(
        float *acc, const simd_tap_t *taps, int ntaps, prim_dim_t n, prim_dim_t stride)
{
    prim_dim_t at = 0;
    for (; at + NVECTORS * LANES <= n; at += NVECTORS * LANES)
        sum_block(acc, taps, ntaps, at, stride, NVECTORS);
    for (; at < n && (stride != 1 || at + LANES <= n); at += LANES)
        sum_block(acc, taps, ntaps, at, stride, 1);
    if (at >= n) return;
    vf_t sum = v_load_part(acc + at, n - at, 0);
    for (int t = 0; t < ntaps; ++t) sum += v_load_part(taps[t].x + at, n - at, 0);
    v_store_part(acc + at, sum, n - at);
}

// Loops of their own for the strides that vectors load.

static void max(float *acc, float *winners, const simd_tap_t *taps, int ntaps, prim_dim_t n,
        prim_dim_t stride)
{
    if (stride == 1 && !winners)
        max_row(acc, NULL, taps, ntaps, n, 1);
    else if (stride == 2 && !winners)
        max_row(acc, NULL, taps, ntaps, n, 2);
    else if (stride == 1)
        max_row(acc, winners, taps, ntaps, n, 1);
    else
        max_row(acc, winners, taps, ntaps, n, stride);
}

static void sum(float *acc, const simd_tap_t *taps, int ntaps, prim_dim_t n, prim_dim_t stride)
{
    if (stride == 1)
        sum_row(acc, taps, ntaps, n, 1);
    else if (stride == 2)
        sum_row(acc, taps, ntaps, n, 2);
    else
        sum_row(acc, taps, ntaps, n, stride);
}

/// The positions 0 ≤ i < n for which 0 ≤ first + i·stride < width.
SIMD_INLINE void clip(prim_dim_t *begin, prim_dim_t *past, prim_dim_t first, prim_dim_t stride,
        prim_dim_t width, prim_dim_t n)
{
    *begin = first < 0 ? (-first + stride - 1) / stride : 0;
    *past = first >= width ? 0 : (width - 1 - first) / stride + 1;
    if (*past > n) *past = n;
}

/// row[i] += x[i]
SIMD_INLINE void add_row(float *row, const float *x, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(row + i, v_load(row + i) + v_load(x + i));
    for (; i < n; ++i) row[i] += x[i];
}

/// row[i] += x
SIMD_INLINE void add_constant(float *row, float x, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(row + i, v_load(row + i) + x);
    for (; i < n; ++i) row[i] += x;
}

/// Tap by tap, or, where there are more taps than windows, window by window.
static void spread(float *row, const float *x, const simd_spread_t *windows, prim_dim_t n)
{
    const prim_dim_t width = windows->width, stride = windows->stride, step = windows->step;
    prim_dim_t begin, past;
    for (prim_dim_t i = 0; i < n && windows->ntaps > n; ++i) {
        const prim_dim_t first = windows->first + i * stride;
        clip(&begin, &past, first, step, width, windows->ntaps);
        if (step == 1 && past > begin) {
            add_constant(row + first + begin, x[i], past - begin);
            continue;
        }
        for (prim_dim_t k = begin; k < past; ++k) row[first + k * step] += x[i];
    }
    for (prim_dim_t k = 0; k < windows->ntaps && windows->ntaps <= n; ++k) {
        const prim_dim_t first = windows->first + k * step;
        clip(&begin, &past, first, stride, width, n);
        if (stride == 1 && past > begin) {
            add_row(row + first + begin, x + begin, past - begin);
            continue;
        }
        for (prim_dim_t i = begin; i < past; ++i) row[first + i * stride] += x[i];
    }
}

const simd_pool_code_t SIMD_NAME(prim__simd_pool_code) = {.max = max, .sum = sum, .spread = spread};
