// SPDX-License-Identifier: Apache-2.0
// Conversion of rows between data types and f32. Compiled for each level: simd_level.h.
#include "simd_convert.h"
#include "simd_vec.h"

typedef vf_t load_t(const void *p);
typedef void store_t(void *p, vf_t x);

#if SIMD_LEVEL == 2
SIMD_INLINE __mmask16 first_lanes(prim_dim_t n)
{
    return (__mmask16)((1U << n) - 1);
}
#endif

SIMD_INLINE void load_row(
        float *restrict row, const char *restrict src, load_t *load, size_t bytes, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(row + i, load(src + (size_t)i * bytes));
    if (i == n) return;
#if SIMD_LEVEL == 2
    if (bytes == 2) {
        const __m256i rest = _mm256_maskz_loadu_epi16(first_lanes(n - i), src + (size_t)i * bytes);
        v_store_part(row + i, load(&rest), n - i);
        return;
    }
#endif
    // The last ones by way of a vector's memory: nothing is read beyond the row.
    char rest[sizeof(vf_t)] = {0};
    memcpy(rest, src + (size_t)i * bytes, (size_t)(n - i) * bytes);
    v_store_part(row + i, load(rest), n - i);
}

SIMD_INLINE void store_row(
        char *restrict dst, const float *restrict row, store_t *store, size_t bytes, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) store(dst + (size_t)i * bytes, v_load(row + i));
    if (i == n) return;
    char rest[sizeof(vf_t)];
    store(rest, v_load_part(row + i, n - i, 0));
#if SIMD_LEVEL == 2
    if (bytes == 2) {
        __m256i halves;
        memcpy(&halves, rest, sizeof halves);
        _mm256_mask_storeu_epi16(dst + (size_t)i * bytes, first_lanes(n - i), halves);
        return;
    }
#endif
    memcpy(dst + (size_t)i * bytes, rest, (size_t)(n - i) * bytes);
}

static void load(float *row, const void *src, prim_data_type_t dt, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: load_row(row, src, v_load_f16, 2, n); return;
    case PRIM_BF16: load_row(row, src, v_load_bf16, 2, n); return;
    case PRIM_S8: load_row(row, src, v_load_s8, 1, n); return;
    case PRIM_U8: load_row(row, src, v_load_u8, 1, n); return;
    default: memcpy(row, src, (size_t)n * sizeof *row);
    }
}

static void store(void *dst, const float *row, prim_data_type_t dt, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: store_row(dst, row, v_store_f16, 2, n); return;
    case PRIM_BF16: store_row(dst, row, v_store_bf16, 2, n); return;
    case PRIM_S8: store_row(dst, row, v_store_s8, 1, n); return;
    case PRIM_U8: store_row(dst, row, v_store_u8, 1, n); return;
    default: memcpy(dst, row, (size_t)n * sizeof *row);
    }
}

const simd_convert_code_t SIMD_NAME(prim__simd_convert_code) = {.load = load, .store = store};
