// SPDX-License-Identifier: Apache-2.0
// Sums of pixels over runs of channels. Compiled for each level (simd_level.h), and with SIMD_WORD
// 1 for words of two bf16, which AVX-512 BF16 multiplies, 2 for words of four bytes and VNNI.
#include "simd_runs.h"
#include "simd_vec.h"

#ifndef SIMD_WORD
#define SIMD_WORD 0 // f32
#endif

// The sums, a vector of weights of each and a word of src fill the registers.
#if SIMD_LEVEL == 2
enum { PIXELS = 8, VECTORS = 3, DOT_PIXELS = 4 };
#elif SIMD_LEVEL == 3
enum { PIXELS = 8, VECTORS = 2, DOT_PIXELS = 4 };
#else
enum { PIXELS = 8, VECTORS = 1, DOT_PIXELS = 2 };
#endif

enum { WORD_ELEMS = 1 << SIMD_WORD, ELEM_BYTES = 4 >> SIMD_WORD };

#if SIMD_WORD > 0
/// A word in all lanes.
SIMD_INLINE vf_t set_word(const char *p)
{
    int32_t word;
    memcpy(&word, p, sizeof word);
    return (vf_t)v_seti(word);
}
#endif

#if SIMD_WORD == 2
/// Of s32, and of the type that the instruction has: others are copied for each product.
typedef __m512i sum_t;

SIMD_INLINE sum_t multiply_add(sum_t sums, vf_t x, vf_t w)
{
    return _mm512_dpbusd_epi32(sums, (__m512i)x, (__m512i)w);
}

SIMD_INLINE vf_t to_float(sum_t sums)
{
    return (vf_t)_mm512_cvtepi32_ps(sums);
}
#elif SIMD_WORD == 1
SIMD_INLINE vf_t multiply_add(vf_t sums, vf_t x, vf_t w)
{
    return (vf_t)_mm512_dpbf16_ps(
            (__m512)sums, (__m512bh)(__m512i)(vi_t)x, (__m512bh)(__m512i)(vi_t)w);
}

/// Its first element and a zero.
SIMD_INLINE vf_t set_half(const char *p)
{
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return (vf_t)v_seti(half);
}

/// The last n elements of a run, fewer than a vector has, then zeros.
SIMD_INLINE vf_t load_end(const char *p, prim_dim_t n)
{
    return (vf_t)_mm512_maskz_loadu_epi16((__mmask32)((1U << n) - 1), p);
}
#else
SIMD_INLINE vf_t multiply_add(vf_t sums, vf_t x, vf_t w)
{
    return sums + x * w;
}

SIMD_INLINE vf_t set_word(const char *p)
{
    float word;
    memcpy(&word, p, sizeof word);
    return v_set(word);
}

SIMD_INLINE vf_t load_end(const char *p, prim_dim_t n)
{
    return v_load_part((const float *)(const void *)p, n, 0);
}
#endif

#if SIMD_WORD != 2
typedef vf_t sum_t;

SIMD_INLINE vf_t to_float(sum_t sums)
{
    return sums;
}
#endif

/// Where pixels i.. begin in src; `count` of n are left, and the last stands in the place of
/// others.
SIMD_INLINE void find_pixels(
        const char **x, const simd_runs_t *a, prim_dim_t i, const int n, const int count)
{
    for (int r = 0; r < n; ++r) {
        const prim_dim_t at = i + (r < count ? r : count - 1);
        x[r] = (const char *)a->x + a->pixels[at] * ELEM_BYTES;
    }
}

/// One word of each pixel times `nvectors` vectors of weights.
SIMD_INLINE void add_word(sum_t sums[PIXELS][VECTORS], const char *const *x, const int npixels,
        prim_dim_t offset, const float *wei, prim_dim_t panel, const int nvectors)
{
    vf_t w[VECTORS];
    for (int v = 0; v < nvectors; ++v) w[v] = v_load(wei + v * panel);
    for (int r = 0; r < npixels; ++r) {
        const vf_t word = set_word(x[r] + offset);
        for (int v = 0; v < nvectors; ++v) sums[r][v] = multiply_add(sums[r][v], word, w[v]);
    }
}

#if SIMD_WORD == 0
/// Adds what is there: `rest` channels in the last of the vectors.
SIMD_INLINE void add_sums(const float *from, prim_dim_t row, sum_t sums[PIXELS][VECTORS],
        const int npixels, const int nvectors, const int count, prim_dim_t rest)
{
    for (int r = 0; r < npixels; ++r, from += row) {
        if (r >= count) return;
        for (int v = 0; v < nvectors - 1; ++v) sums[r][v] += v_load(from + v * LANES);
        sums[r][nvectors - 1] += v_load_at(from + (nvectors - 1) * LANES, 0, rest, 0);
    }
}
#endif

/// `count` pixels i.. and channels o.., as `npixels` of which the last stands in the place of those
/// that are missing; npixels and nvectors are constants of the caller's.
SIMD_INLINE void multiply_tile(const simd_runs_t *a, prim_dim_t i, prim_dim_t o, const int nvectors,
        const int npixels, const int count)
{
    const char *x[PIXELS];
    find_pixels(x, a, i, npixels, count);
    sum_t sums[PIXELS][VECTORS];
    for (int r = 0; r < npixels; ++r)
        for (int v = 0; v < nvectors; ++v) sums[r][v] = (sum_t)v_set(0);
    const float *wei = a->wei + o / LANES * a->wei_row;
    // Bytes beyond a run meet weights of 0.
    const prim_dim_t words = (a->elems + (SIMD_WORD == 2 ? WORD_ELEMS - 1 : 0)) / WORD_ELEMS;
    const prim_dim_t bytes = words * (prim_dim_t)sizeof *wei;
    for (prim_dim_t k = 0; k < a->nruns; ++k) {
        const prim_dim_t first = a->runs[k] * ELEM_BYTES;
        for (prim_dim_t b = first; b < first + bytes; b += (prim_dim_t)sizeof *wei, wei += LANES)
            add_word(sums, x, npixels, b, wei, a->wei_row, nvectors);
#if SIMD_WORD == 1
        if (a->elems % WORD_ELEMS == 0) continue;
        for (int r = 0; r < npixels; ++r)
            for (int v = 0; v < nvectors; ++v)
                sums[r][v] = multiply_add(
                        sums[r][v], set_half(x[r] + first + bytes), v_load(wei + v * a->wei_row));
        wei += LANES;
#endif
    }
    const prim_dim_t rest = a->nchannels - o - (nvectors - 1) * LANES;
    float *to = a->sums + i * a->sums_row + o;
#if SIMD_WORD == 0
    if (a->accumulates) add_sums(to, a->sums_row, sums, npixels, nvectors, count, rest);
#endif
    for (int r = 0; r < npixels; ++r, to += a->sums_row) {
        if (r >= count) return;
        for (int v = 0; v < nvectors - 1; ++v) v_store(to + v * LANES, to_float(sums[r][v]));
        v_store_at(to + (nvectors - 1) * LANES, to_float(sums[r][nvectors - 1]), 0, rest);
    }
}

/// All channels of `count` pixels i.., as npixels.
SIMD_INLINE void multiply_pixels(
        const simd_runs_t *a, prim_dim_t i, const int npixels, const int count)
{
    for (prim_dim_t o = 0; o < a->nchannels; o += VECTORS * LANES) {
        const prim_dim_t rest = a->nchannels - o;
        if (rest <= LANES)
            multiply_tile(a, i, o, 1, npixels, count);
        else if (VECTORS == 1 || rest > 2 * LANES)
            multiply_tile(a, i, o, VECTORS, npixels, count);
        else
            multiply_tile(a, i, o, VECTORS < 2 ? VECTORS : 2, npixels, count);
    }
}

static void multiply(const simd_runs_t *a)
{
    prim_dim_t i = 0;
    for (; i + PIXELS <= a->npixels; i += PIXELS) multiply_pixels(a, i, PIXELS, PIXELS);
    const int rest = (int)(a->npixels - i);
    if (rest > PIXELS / 2)
        multiply_pixels(a, i, PIXELS, rest);
    else if (rest > PIXELS / 4)
        multiply_pixels(a, i, PIXELS / 2, rest);
    else if (rest > 0)
        multiply_pixels(a, i, PIXELS / 4, rest);
}

#if SIMD_WORD != 2
/// The sums of the lanes of four vectors, to `to`.
SIMD_INLINE void store_sums(float *to, const vf_t *x, const int n)
{
#if SIMD_LEVEL == 2
    if (n == 4) {
        const __m512 a = (__m512)x[0], b = (__m512)x[1], c = (__m512)x[2], d = (__m512)x[3];
        const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        const __m512 all =
                _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE));
        const __m256 half =
                _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
        _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
        return;
    }
#endif
    for (int i = 0; i < n; ++i) to[i] = v_sum(x[i]);
}

/// Pixels i.. and channels o..; nchannels is a constant of the caller's.
SIMD_INLINE void dots_tile(const simd_runs_t *a, prim_dim_t i, prim_dim_t o, const int nchannels)
{
    enum { STEP = LANES * WORD_ELEMS };
    const char *x[DOT_PIXELS];
    const prim_dim_t left = a->npixels - i;
    const int count = left < DOT_PIXELS ? (int)left : DOT_PIXELS;
    find_pixels(x, a, i, DOT_PIXELS, count);
    vf_t sums[DOT_PIXELS][SIMD_RUNS_CHANNELS];
    for (int r = 0; r < DOT_PIXELS; ++r)
        for (int c = 0; c < nchannels; ++c) sums[r][c] = v_set(0);
    const prim_dim_t words = (a->elems + WORD_ELEMS - 1) / WORD_ELEMS;
    const prim_dim_t row = (words + SIMD_RUNS_LANES - 1) / SIMD_RUNS_LANES * SIMD_RUNS_LANES;
    const float *wei = a->wei + o * a->wei_row;
    for (prim_dim_t k = 0; k < a->nruns; ++k, wei += row) {
        for (prim_dim_t e = 0; e < a->elems; e += STEP) {
            vf_t w[SIMD_RUNS_CHANNELS];
            for (int c = 0; c < nchannels; ++c)
                w[c] = v_load(wei + c * a->wei_row + e / WORD_ELEMS);
            const prim_dim_t at = (a->runs[k] + e) * ELEM_BYTES;
            const bool is_whole = a->elems - e >= STEP;
            for (int r = 0; r < DOT_PIXELS; ++r) {
                const vf_t from = is_whole ? v_load(x[r] + at) : load_end(x[r] + at, a->elems - e);
                for (int c = 0; c < nchannels; ++c)
                    sums[r][c] = multiply_add(sums[r][c], from, w[c]);
            }
        }
    }
    for (int r = 0; r < DOT_PIXELS; ++r)
        if (r < count) store_sums(a->sums + (i + r) * a->sums_row + o, sums[r], nchannels);
}

static void dots(const simd_runs_t *a)
{
    for (prim_dim_t i = 0; i < a->npixels; i += DOT_PIXELS) {
        for (prim_dim_t o = 0; o < a->nchannels; o += SIMD_RUNS_CHANNELS) {
            switch (a->nchannels - o) {
            case 1: dots_tile(a, i, o, 1); break;
            case 2: dots_tile(a, i, o, 2); break;
            case 3: dots_tile(a, i, o, 3); break;
            default: dots_tile(a, i, o, SIMD_RUNS_CHANNELS); break;
            }
        }
    }
}

#endif

#if SIMD_WORD == 2
const simd_runs_code_t prim__simd_runs_code_bytes = {.lanes = LANES, .multiply = multiply};
#elif SIMD_WORD == 1
const simd_runs_code_t prim__simd_runs_code_bf16 = {
        .lanes = LANES, .multiply = multiply, .dots = dots};
#else
const simd_runs_code_t SIMD_NAME(prim__simd_runs_code) = {
        .lanes = LANES, .multiply = multiply, .dots = dots};
#endif
