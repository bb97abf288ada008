// SPDX-License-Identifier: Apache-2.0
// Sums of a direct convolution: a block of channels × vectors stays in registers over all planes
// and taps. Compiled for each level: simd_level.h.
#include "simd_direct.h"
#include "simd_vec.h"

// The sums, what a tap shows and a weight fill the registers: 32, or 16 of AVX2 and SSE2.
#if SIMD_LEVEL >= 2
enum { VECTORS = 6, VECTORS_OF_ONE = 8 };
#elif SIMD_LEVEL == 1
enum { VECTORS = 2, VECTORS_OF_ONE = 6 };
#else
enum { VECTORS = 2, VECTORS_OF_ONE = 4 };
#endif

/// The sums of `nvectors` vectors from element `at` on.
SIMD_INLINE void add_block(
        const simd_direct_t *a, prim_dim_t at, const int nchannels, const int nvectors)
{
    vf_t sums[SIMD_DIRECT_CHANNELS][VECTORS_OF_ONE];
    for (int o = 0; o < nchannels; ++o)
        for (int k = 0; k < nvectors; ++k) sums[o][k] = v_set(0);
    const float *wei = a->wei, *plane = a->x + at;
    for (prim_dim_t c = 0; c < a->nplanes; ++c, plane += a->plane_elems) {
        for (prim_dim_t t = 0; t < a->ntaps; ++t, wei += nchannels) {
            vf_t x[VECTORS_OF_ONE];
            for (int k = 0; k < nvectors; ++k) x[k] = v_load(plane + a->taps[t] + k * LANES);
            for (int o = 0; o < nchannels; ++o) {
                const vf_t w = v_set(wei[o]);
                for (int k = 0; k < nvectors; ++k) sums[o][k] += x[k] * w;
            }
        }
    }
    for (int o = 0; o < nchannels; ++o)
        for (int k = 0; k < nvectors; ++k)
            v_store(a->sums + o * a->sums_row + at + k * LANES, sums[o][k]);
}

/// The last vector may reach beyond the elements, into the slack.
SIMD_INLINE void multiply_channels(const simd_direct_t *a, const int nchannels, const int nvectors)
{
    prim_dim_t i = 0;
    for (; i + nvectors * LANES <= a->n; i += nvectors * LANES)
        add_block(a, i, nchannels, nvectors);
    for (; i + 2 * LANES <= a->n; i += 2 * LANES) add_block(a, i, nchannels, 2);
    for (; i < a->n; i += LANES) add_block(a, i, nchannels, 1);
}

static void multiply(const simd_direct_t *sums, int nchannels)
{
    switch (nchannels) {
    case 1: multiply_channels(sums, 1, VECTORS_OF_ONE); return;
    case 2: multiply_channels(sums, 2, VECTORS); return;
    case 3: multiply_channels(sums, 3, VECTORS); return;
    default: multiply_channels(sums, 4, VECTORS); return;
    }
}

SIMD_INLINE void add_dots(const simd_direct_dots_t *a, const int nchannels, const int ntaps)
{
    vf_t sums[SIMD_DIRECT_CHANNELS][SIMD_DIRECT_TAPS];
    for (int o = 0; o < nchannels; ++o)
        for (int t = 0; t < ntaps; ++t) sums[o][t] = v_set(0);
    for (prim_dim_t i = 0; i < a->n; i += LANES) {
        vi_t mask;
        memcpy(&mask, a->mask + i, sizeof mask);
        vf_t y[SIMD_DIRECT_CHANNELS];
        for (int o = 0; o < nchannels; ++o) y[o] = v_load(a->y + o * a->y_row + i);
        for (int t = 0; t < ntaps; ++t) {
            const vf_t x = (vf_t)((vi_t)v_load(a->x + a->taps[t] + i) & mask);
            for (int o = 0; o < nchannels; ++o) sums[o][t] += x * y[o];
        }
    }
    for (int o = 0; o < nchannels; ++o)
        for (int t = 0; t < ntaps; ++t) a->sums[o * a->sums_row + t] += v_sum(sums[o][t]);
}

SIMD_INLINE void dots_of_channels(const simd_direct_dots_t *a, const int nchannels, int ntaps)
{
    switch (ntaps) {
    case 1: add_dots(a, nchannels, 1); return;
    case 2: add_dots(a, nchannels, 2); return;
    case 3: add_dots(a, nchannels, 3); return;
    default: add_dots(a, nchannels, 4); return;
    }
}

static void dots(const simd_direct_dots_t *a, int nchannels, int ntaps)
{
    switch (nchannels) {
    case 1: dots_of_channels(a, 1, ntaps); return;
    case 2: dots_of_channels(a, 2, ntaps); return;
    case 3: dots_of_channels(a, 3, ntaps); return;
    default: dots_of_channels(a, 4, ntaps); return;
    }
}

const simd_direct_code_t SIMD_NAME(prim__simd_direct_code) = {.multiply = multiply, .dots = dots};
