// SPDX-License-Identifier: Apache-2.0
// Products of a depthwise convolution: channels in vectors, taps one after the other in a register,
// elements converted as they are loaded. Compiled for each level: simd_level.h.
#include "simd_depthwise.h"
#include "simd_vec.h"

typedef vf_t load_t(const void *p);

enum { MOST_VECTORS = 4 };

/// The sums of `nvectors` vectors of channels side by side, so that a product need not wait for the
/// one before.
SIMD_INLINE void add_block(float *restrict sums, const void *const *x, load_t *load, size_t bytes,
        const float *const *w, int ntaps, prim_dim_t i, int nvectors)
{
    vf_t block[MOST_VECTORS];
    for (int k = 0; k < nvectors; ++k) block[k] = v_load(sums + i + k * LANES);
    for (int t = 0; t < ntaps; ++t) {
        const char *const at = (const char *)x[t] + (size_t)i * bytes;
        for (int k = 0; k < nvectors; ++k)
            block[k] += load(at + (size_t)(k * LANES) * bytes) * v_load(w[t] + i + k * LANES);
    }
    for (int k = 0; k < nvectors; ++k) v_store(sums + i + k * LANES, block[k]);
}

SIMD_INLINE void add_taps_of(float *restrict sums, const void *const *x, load_t *load, size_t bytes,
        const float *const *w, int ntaps, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + MOST_VECTORS * LANES <= n; i += MOST_VECTORS * LANES)
        add_block(sums, x, load, bytes, w, ntaps, i, MOST_VECTORS);
    for (; i + LANES <= n; i += LANES) add_block(sums, x, load, bytes, w, ntaps, i, 1);
    if (i == n) return;
    vf_t sum = v_load_part(sums + i, n - i, 0);
    for (int t = 0; t < ntaps; ++t) {
        // By way of a vector's memory: nothing is read beyond the channels.
        char rest[sizeof(vf_t)] = {0};
        memcpy(rest, (const char *)x[t] + (size_t)i * bytes, (size_t)(n - i) * bytes);
        sum += load(rest) * v_load_part(w[t] + i, n - i, 0);
    }
    v_store_part(sums + i, sum, n - i);
}

static void add_taps(float *sums, const void *const *x, prim_data_type_t dt, const float *const *w,
        int ntaps, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: add_taps_of(sums, x, v_load_f16, 2, w, ntaps, n); return;
    case PRIM_BF16: add_taps_of(sums, x, v_load_bf16, 2, w, ntaps, n); return;
    case PRIM_S8: add_taps_of(sums, x, v_load_s8, 1, w, ntaps, n); return;
    case PRIM_U8: add_taps_of(sums, x, v_load_u8, 1, w, ntaps, n); return;
    default: add_taps_of(sums, x, v_load, 4, w, ntaps, n);
    }
}

const simd_depthwise_code_t SIMD_NAME(prim__simd_depthwise_code) = {.add_taps = add_taps};
