// SPDX-License-Identifier: Apache-2.0
// Depthwise products of rows of pixels. Vectors that begin with the same channel share weights, or
// sums. Compiled for each level: simd_level.h.
#include "simd_periodic.h"
#include "simd_vec.h"

enum { VECTORS = 8, TAPS = 8, REPEATS = 32 };

/// Elements until a vector begins with the same channel again.
static prim_dim_t period_of(prim_dim_t channels)
{
    prim_dim_t period = channels;
    while (period % LANES != 0) period += channels;
    return period;
}

/// `nvectors` vectors from element `at` on, a period apart.
SIMD_INLINE void multiply_block(const simd_periodic_t *a, prim_dim_t at, prim_dim_t period,
        const float *wei, const int nvectors)
{
    vf_t sums[VECTORS];
    for (int k = 0; k < nvectors; ++k) sums[k] = v_set(0);
    for (prim_dim_t t = 0; t < a->ntaps; ++t) {
        const float *const x = a->x + a->taps[t] + at;
        const vf_t w = v_load(wei + t * a->wei_row);
        for (int k = 0; k < nvectors; ++k) sums[k] += v_load(x + k * period) * w;
    }
    for (int k = 0; k < nvectors; ++k) v_store(a->sums + at + k * period, sums[k]);
}

/// The vectors from element `first` to `past`, which are less than VECTORS periods.
SIMD_INLINE void multiply_chunk(
        const simd_periodic_t *a, prim_dim_t first, prim_dim_t past, prim_dim_t period)
{
    for (prim_dim_t j = 0; j < period && first + j < past; j += LANES) {
        const float *const wei = a->wei + j % a->channels;
        prim_dim_t at = first + j;
        if (at + (VECTORS - 1) * period < past) {
            multiply_block(a, at, period, wei, VECTORS);
            continue;
        }
        for (; at + 3 * period < past; at += 4 * period) multiply_block(a, at, period, wei, 4);
        for (; at + period < past; at += 2 * period) multiply_block(a, at, period, wei, 2);
        if (at < past) multiply_block(a, at, period, wei, 1);
    }
}

static void multiply(const simd_periodic_t *a)
{
    const prim_dim_t period = period_of(a->channels), step = VECTORS * period;
    for (prim_dim_t i = 0; i < a->n; i += step)
        multiply_chunk(a, i, i + step < a->n ? i + step : a->n, period);
}

/// ntaps taps of the vectors at, at + period, … before `past`.
SIMD_INLINE void dots_block(const simd_periodic_dots_t *a, prim_dim_t tap, prim_dim_t at,
        prim_dim_t past, const int ntaps, const bool is_masked)
{
    vf_t sums[TAPS];
    const float *x[TAPS];
    float *const to = a->sums + tap * a->period + at % a->period;
    for (int t = 0; t < ntaps; ++t) {
        sums[t] = v_load(to + t * a->period);
        x[t] = a->x + a->taps[tap + t];
    }
    for (prim_dim_t e = at; e < past; e += a->period) {
        const vf_t y = v_load(a->y + e);
        vi_t mask = v_seti(-1);
        if (is_masked) memcpy(&mask, a->mask + e, sizeof mask);
        for (int t = 0; t < ntaps; ++t) {
            const vf_t from = v_load(x[t] + e);
            sums[t] += (is_masked ? (vf_t)((vi_t)from & mask) : from) * y;
        }
    }
    for (int t = 0; t < ntaps; ++t) v_store(to + t * a->period, sums[t]);
}

SIMD_INLINE void dots_of(const simd_periodic_dots_t *a, const bool is_masked)
{
    const prim_dim_t step = REPEATS * a->period;
    for (prim_dim_t i = 0; i < a->n; i += step) {
        const prim_dim_t past = i + step < a->n ? i + step : a->n;
        for (prim_dim_t j = 0; j < a->period && i + j < past; j += LANES) {
            prim_dim_t t = 0;
            for (; t + TAPS <= a->ntaps; t += TAPS) dots_block(a, t, i + j, past, TAPS, is_masked);
            for (; t + 3 <= a->ntaps; t += 3) dots_block(a, t, i + j, past, 3, is_masked);
            for (; t < a->ntaps; ++t) dots_block(a, t, i + j, past, 1, is_masked);
        }
    }
}

static void dots(const simd_periodic_dots_t *a)
{
    if (a->mask)
        dots_of(a, true);
    else
        dots_of(a, false);
}

const simd_periodic_code_t SIMD_NAME(prim__simd_periodic_code) = {
        .multiply = multiply, .dots = dots};
