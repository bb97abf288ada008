// SPDX-License-Identifier: Apache-2.0
// Products of a depthwise convolution: channels in vectors, taps one after the other in a register,
// elements converted as they are loaded. Compiled for each level: simd_level.h.
#include "simd_depthwise.h"
#include "simd_vec.h"

typedef vf_t load_t(const void *p);

enum { PIXELS = 4, MOST_VECTORS = 4 };

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

/// The sums of `npixels` pixels and `nvectors` vectors of channels side by side: a product need not
/// wait for the one before, and weights are loaded once.
SIMD_INLINE void add_block(const products_t *a, float *restrict sums, prim_dim_t pixel,
        prim_dim_t i, const int npixels, const int nvectors)
{
    vf_t block[PIXELS][MOST_VECTORS];
    for (int p = 0; p < npixels; ++p)
        for (int k = 0; k < nvectors; ++k)
            block[p][k] = v_load(sums + (pixel + p) * a->n + i + k * LANES);
    for (int t = 0; t < a->taps->n; ++t) {
        for (int k = 0; k < nvectors; ++k) {
            const vf_t w = v_load(a->taps->w[t] + i + k * LANES);
            for (int p = 0; p < npixels; ++p)
                block[p][k] += a->load(shown(a, t, pixel + p, i + k * LANES)) * w;
        }
    }
    for (int p = 0; p < npixels; ++p)
        for (int k = 0; k < nvectors; ++k)
            v_store(sums + (pixel + p) * a->n + i + k * LANES, block[p][k]);
}

/// The last channels of a pixel, from i on, less than a vector.
SIMD_INLINE void add_rest(const products_t *a, float *restrict sums, prim_dim_t pixel, prim_dim_t i)
{
    const prim_dim_t n = a->n - i;
    float *const at = sums + pixel * a->n + i;
    vf_t sum = v_load_part(at, n, 0);
    for (int t = 0; t < a->taps->n; ++t) {
        // By way of a vector's memory: nothing is read beyond the channels.
        char rest[sizeof(vf_t)] = {0};
        memcpy(rest, shown(a, t, pixel, i), (size_t)n * a->bytes);
        sum += a->load(rest) * v_load_part(a->taps->w[t] + i, n, 0);
    }
    v_store_part(at, sum, n);
}

SIMD_INLINE void add_pixels(const products_t *a, float *restrict sums, prim_dim_t pixel,
        const int npixels, const int most_vectors)
{
    prim_dim_t i = 0;
    for (; i + most_vectors * LANES <= a->n; i += most_vectors * LANES)
        add_block(a, sums, pixel, i, npixels, most_vectors);
    for (; i + LANES <= a->n; i += LANES) add_block(a, sums, pixel, i, npixels, 1);
    for (int p = 0; p < npixels && i < a->n; ++p) add_rest(a, sums, pixel + p, i);
}

/// Eight sums are on the way at once where they can be.
SIMD_INLINE void add_taps_of(float *restrict sums, const simd_depthwise_taps_t *taps, load_t *load,
        size_t bytes, prim_dim_t npixels, prim_dim_t n)
{
    const products_t products = {taps, load, bytes, n};
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

const simd_depthwise_code_t SIMD_NAME(prim__simd_depthwise_code) = {.add_taps = add_taps};
