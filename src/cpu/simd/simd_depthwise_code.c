// SPDX-License-Identifier: Apache-2.0
// Products of a depthwise convolution: channels in vectors, taps one after the other in a register,
// elements converted as they are loaded. Compiled for each level: simd_level.h.
#include "simd_depthwise.h"

#include <stddef.h>

#include "simd_vec.h"

typedef vf_t load_t(const void *p);

enum { PIXELS = 4, MOST_VECTORS = 4, RUN = 3 };

/// One sort of products: how elements of x are loaded, and their size.
typedef struct {
    const simd_depthwise_taps_t *taps;
    load_t *load;
    size_t bytes;
    prim_dim_t n; ///< channels of a pixel
} products_t;

/// What tap t shows to a pixel, from channel i on.
SIMD_INLINE const char *shown(const products_t *a, int t, prim_dim_t pixel, prim_dim_t i)
{
    return (const char *)a->taps->x[t] + (size_t)pixel * a->taps->step[t] + (size_t)i * a->bytes;
}

/// Sums of a few pixels and vectors of channels, in registers.
typedef vf_t block_t[PIXELS][MOST_VECTORS];

SIMD_INLINE void load_sums(block_t block, const products_t *a, const float *sums, prim_dim_t pixel,
        prim_dim_t i, const int npixels, const int nvectors)
{
    for (int p = 0; p < npixels; ++p)
        for (int k = 0; k < nvectors; ++k)
            block[p][k] =
                    a->taps->starts ? v_set(0) : v_load(sums + (pixel + p) * a->n + i + k * LANES);
}

SIMD_INLINE void store_sums(block_t block, const products_t *a, float *restrict sums,
        prim_dim_t pixel, prim_dim_t i, const int npixels, const int nvectors)
{
    for (int p = 0; p < npixels; ++p)
        for (int k = 0; k < nvectors; ++k)
            v_store(sums + (pixel + p) * a->n + i + k * LANES, block[p][k]);
}

/// Whether RUN taps from t on show neighbours: what one shows to a pixel the one before shows to
/// the next.
SIMD_INLINE bool is_run(const simd_depthwise_taps_t *taps, int t)
{
    if (t + RUN > taps->n) return false;
    for (int j = 1; j < RUN; ++j)
        if (taps->step[t + j] != taps->step[t] ||
                (const char *)taps->x[t + j] - (const char *)taps->x[t + j - 1] !=
                        (ptrdiff_t)taps->step[t])
            return false;
    return true;
}

/// Their products, with what they share loaded once.
SIMD_INLINE void add_run(block_t block, const products_t *a, int t, prim_dim_t pixel, prim_dim_t i,
        const int nvectors)
{
    for (int k = 0; k < nvectors; ++k) {
        vf_t x[PIXELS + RUN - 1];
        for (int q = 0; q < PIXELS + RUN - 1; ++q)
            x[q] = a->load(shown(a, t, pixel + q, i + k * LANES));
        for (int j = 0; j < RUN; ++j) {
            const vf_t w = v_load(a->taps->w[t + j] + i + k * LANES);
            for (int p = 0; p < PIXELS; ++p) block[p][k] += x[p + j] * w;
        }
    }
}

/// The products of `npixels` pixels and `nvectors` vectors of channels side by side: one need not
/// wait for the one before, and weights are loaded once.
SIMD_INLINE void add_products(block_t block, const products_t *a, prim_dim_t pixel, prim_dim_t i,
        const int npixels, const int nvectors)
{
    for (int t = 0; t < a->taps->n;) {
        if (npixels == PIXELS && is_run(a->taps, t)) {
            add_run(block, a, t, pixel, i, nvectors);
            t += RUN;
            continue;
        }
        for (int k = 0; k < nvectors; ++k) {
            const vf_t w = v_load(a->taps->w[t] + i + k * LANES);
            for (int p = 0; p < npixels; ++p)
                block[p][k] += a->load(shown(a, t, pixel + p, i + k * LANES)) * w;
        }
        ++t;
    }
}

SIMD_INLINE void add_block(const products_t *a, float *restrict sums, prim_dim_t pixel,
        prim_dim_t i, const int npixels, const int nvectors)
{
    block_t block;
    load_sums(block, a, sums, pixel, i, npixels, nvectors);
    add_products(block, a, pixel, i, npixels, nvectors);
    store_sums(block, a, sums, pixel, i, npixels, nvectors);
}

/// All channels of a pixel, less than a vector.
SIMD_INLINE void add_few(const products_t *a, float *restrict sums, prim_dim_t pixel)
{
    const prim_dim_t n = a->n;
    float *const at = sums + pixel * n;
    vf_t sum = a->taps->starts ? v_set(0) : v_load_part(at, n, 0);
    for (int t = 0; t < a->taps->n; ++t) {
        // By way of a vector's memory: nothing is read beyond the channels.
        char rest[sizeof(vf_t)] = {0};
        memcpy(rest, shown(a, t, pixel, 0), (size_t)n * a->bytes);
        sum += a->load(rest) * v_load_part(a->taps->w[t], n, 0);
    }
    v_store_part(at, sum, n);
}

/// The vectors of channels that are whole.
SIMD_INLINE void add_vectors(const products_t *a, float *restrict sums, prim_dim_t pixel,
        const int npixels, const int most_vectors)
{
    prim_dim_t i = 0;
    for (; i + most_vectors * LANES <= a->n; i += most_vectors * LANES)
        add_block(a, sums, pixel, i, npixels, most_vectors);
    for (; i + LANES <= a->n; i += LANES) add_block(a, sums, pixel, i, npixels, 1);
}

/// The last channels are a vector too, which some of the others are in as well: their products are
/// added up twice, from the same sums.
SIMD_INLINE void add_pixels(const products_t *a, float *restrict sums, prim_dim_t pixel,
        const int npixels, const int most_vectors)
{
    if (a->n % LANES == 0) {
        add_vectors(a, sums, pixel, npixels, most_vectors);
    } else if (a->n < LANES) {
        for (int p = 0; p < npixels; ++p) add_few(a, sums, pixel + p);
    } else {
        block_t last;
        load_sums(last, a, sums, pixel, a->n - LANES, npixels, 1);
        add_products(last, a, pixel, a->n - LANES, npixels, 1);
        add_vectors(a, sums, pixel, npixels, most_vectors);
        store_sums(last, a, sums, pixel, a->n - LANES, npixels, 1);
    }
}

enum { WINDOW = SIMD_DEPTHWISE_WINDOW };

/// Windows of 3×3 taps, all of them inside src, whose rows show neighbours: false, or how the taps
/// make one.
SIMD_INLINE bool find_window(
        simd_depthwise_window_t *window, const simd_depthwise_taps_t *taps, prim_dim_t npixels)
{
    if (taps->n != WINDOW || !taps->starts || npixels < PIXELS) return false;
    const ptrdiff_t step = (ptrdiff_t)taps->step[0];
    const ptrdiff_t column = (const char *)taps->x[1] - (const char *)taps->x[0];
    if (step != column && step != 2 * column) return false;
    *window = (simd_depthwise_window_t){.column = (size_t)column, .stride = step == column ? 1 : 2};
    for (int t = 0; t < WINDOW; ++t) {
        if ((ptrdiff_t)taps->step[t] != step) return false;
        if (t % RUN > 0 && (const char *)taps->x[t] - (const char *)taps->x[t - 1] != column)
            return false;
        if (t % RUN == 0) window->x[t / RUN] = taps->x[t];
        window->w[t] = taps->w[t];
    }
    return true;
}

/// The sums of PIXELS pixels of a vector of channels. x: what the taps of the first column show to
/// the first pixel, NULL for rows that are outside src. is_edge: the first tap of the first pixel
/// may be outside, or the last one of the last pixel.
SIMD_INLINE void add_window_of_pixels(vf_t sums[PIXELS], const char *const x[RUN],
        const vf_t w[WINDOW], ptrdiff_t column, load_t *load, const int stride, const bool is_edge,
        bool lacks_first, bool lacks_last)
{
    enum { MOST = 2 * (PIXELS - 1) + RUN };
    const int last = stride * (PIXELS - 1) + RUN - 1;
    for (int p = 0; p < PIXELS; ++p) sums[p] = v_set(0);
    for (int r = 0; r < RUN; ++r) {
        if (!x[r]) continue;
        vf_t shown[MOST];
        for (int q = is_edge ? 1 : 0; q < last + (is_edge ? 0 : 1); ++q)
            shown[q] = load(x[r] + q * column);
        if (is_edge && !lacks_first) sums[0] += load(x[r]) * w[r * RUN];
        for (int j = 0; j < RUN; ++j)
            for (int p = 0; p < PIXELS; ++p)
                if (!is_edge || (stride * p + j > 0 && stride * p + j < last))
                    sums[p] += shown[stride * p + j] * w[r * RUN + j];
        if (is_edge && !lacks_last)
            sums[PIXELS - 1] += load(x[r] + last * column) * w[r * RUN + RUN - 1];
    }
}

/// A vector of channels, from i on, of all pixels: weights stay in registers. The last PIXELS may
/// overlap those before, whose sums are the same.
SIMD_INLINE void add_window_of_channels(float *restrict sums, const simd_depthwise_window_t *window,
        load_t *load, size_t bytes, prim_dim_t npixels, prim_dim_t n, prim_dim_t i,
        const int stride)
{
    const ptrdiff_t column = (ptrdiff_t)window->column;
    vf_t w[WINDOW];
    for (int t = 0; t < WINDOW; ++t) w[t] = v_load(window->w[t] + i);
    for (prim_dim_t p = 0; p < npixels; p += PIXELS) {
        const prim_dim_t pixel = p + PIXELS <= npixels ? p : npixels - PIXELS;
        const char *x[RUN];
        for (int r = 0; r < RUN; ++r)
            x[r] = window->x[r] ? (const char *)window->x[r] + i * (prim_dim_t)bytes +
                                          (window->first + pixel * stride) * column
                                : NULL;
        const bool lacks_first = window->lacks_first && pixel == 0;
        const bool lacks_last = window->lacks_last && pixel + PIXELS == npixels;
        vf_t block[PIXELS];
        if (lacks_first || lacks_last)
            add_window_of_pixels(block, x, w, column, load, stride, true, lacks_first, lacks_last);
        else
            add_window_of_pixels(block, x, w, column, load, stride, false, false, false);
        for (int q = 0; q < PIXELS; ++q) v_store(sums + (pixel + q) * n + i, block[q]);
    }
}

SIMD_INLINE bool add_window_of(float *restrict sums, const simd_depthwise_window_t *window,
        load_t *load, size_t bytes, prim_dim_t npixels, prim_dim_t n)
{
    if (n < LANES || npixels < PIXELS) return false;
    for (prim_dim_t c = 0; c < n; c += LANES) {
        const prim_dim_t i = c + LANES <= n ? c : n - LANES;
        if (window->stride == 1)
            add_window_of_channels(sums, window, load, bytes, npixels, n, i, 1);
        else
            add_window_of_channels(sums, window, load, bytes, npixels, n, i, 2);
    }
    return true;
}

/// Eight sums are on the way at once where they can be.
SIMD_INLINE void add_taps_of(float *restrict sums, const simd_depthwise_taps_t *taps, load_t *load,
        size_t bytes, prim_dim_t npixels, prim_dim_t n)
{
    const products_t products = {taps, load, bytes, n};
    simd_depthwise_window_t window;
    if (find_window(&window, taps, npixels) &&
            add_window_of(sums, &window, load, bytes, npixels, n))
        return;
    prim_dim_t p = 0;
    for (; p + PIXELS <= npixels; p += PIXELS) add_pixels(&products, sums, p, PIXELS, 2);
    for (; p < npixels; ++p) add_pixels(&products, sums, p, 1, MOST_VECTORS);
}

static void add_taps(float *sums, const simd_depthwise_taps_t *taps, prim_data_type_t dt,
        prim_dim_t npixels, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: add_taps_of(sums, taps, v_load_f16, 2, npixels, n); return;
    case PRIM_BF16: add_taps_of(sums, taps, v_load_bf16, 2, npixels, n); return;
    case PRIM_S8: add_taps_of(sums, taps, v_load_s8, 1, npixels, n); return;
    case PRIM_U8: add_taps_of(sums, taps, v_load_u8, 1, npixels, n); return;
    default: add_taps_of(sums, taps, v_load, 4, npixels, n);
    }
}

static bool add_window(float *sums, const simd_depthwise_window_t *window, prim_data_type_t dt,
        prim_dim_t npixels, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: return add_window_of(sums, window, v_load_f16, 2, npixels, n);
    case PRIM_BF16: return add_window_of(sums, window, v_load_bf16, 2, npixels, n);
    case PRIM_S8: return add_window_of(sums, window, v_load_s8, 1, npixels, n);
    case PRIM_U8: return add_window_of(sums, window, v_load_u8, 1, npixels, n);
    default: return add_window_of(sums, window, v_load, 4, npixels, n);
    }
}

const simd_depthwise_code_t SIMD_NAME(prim__simd_depthwise_code) = {
        .add_taps = add_taps, .add_window = add_window};
