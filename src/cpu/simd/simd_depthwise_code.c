// SPDX-License-Identifier: Apache-2.0
// Products of a depthwise convolution: channels in vectors, taps one after the other in a register,
// elements converted as they are loaded. Compiled for each level: simd_level.h.
#include "simd_depthwise.h"
#include "simd_vec.h"

typedef vf_t load_t(const void *p);

SIMD_INLINE void add_taps_of(float *restrict sums, const void *const *x, load_t *load, size_t bytes,
        const float *const *w, int ntaps, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vf_t sum = v_load(sums + i);
        for (int t = 0; t < ntaps; ++t)
            sum += load((const char *)x[t] + (size_t)i * bytes) * v_load(w[t] + i);
        v_store(sums + i, sum);
    }
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
