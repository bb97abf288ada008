// SPDX-License-Identifier: Apache-2.0
// Conversion of rows between data types and f32. Compiled for each level: simd_level.h.
#include "simd_convert.h"
#include "simd_parts.h"

typedef vf_t load_t(const void *p);
typedef vf_t load_part_t(const void *p, int64_t n);
typedef void store_t(void *p, vf_t x);
typedef void store_part_t(void *p, vf_t x, int64_t n);

/// A permutation and a store: one instruction narrows and stores, and takes longer where nothing
/// else is computed.
SIMD_INLINE void store_bf16(void *p, vf_t x)
{
#if SIMD_LEVEL == 2
    const __m512i odd = _mm512_set_epi16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31, 29, 27,
            25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    const __m512i upper = _mm512_permutexvar_epi16(odd, (__m512i)v_round_bf16(x));
    _mm256_storeu_si256(p, _mm512_castsi512_si256(upper));
#else
    v_store_bf16(p, x);
#endif
}

SIMD_INLINE void load_row(float *restrict row, const char *restrict src, load_t *load,
        load_part_t *load_part, size_t bytes, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(row + i, load(src + (size_t)i * bytes));
    if (i < n) v_store_part(row + i, load_part(src + (size_t)i * bytes, n - i), n - i);
}

SIMD_INLINE void store_row(char *restrict dst, const float *restrict row, store_t *store,
        store_part_t *store_part, size_t bytes, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) store(dst + (size_t)i * bytes, v_load(row + i));
    if (i < n) store_part(dst + (size_t)i * bytes, v_load_part(row + i, n - i, 0), n - i);
}

static void load(float *row, const void *src, prim_data_type_t dt, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: load_row(row, src, v_load_f16, v_load_part_f16, 2, n); return;
    case PRIM_BF16: load_row(row, src, v_load_bf16, v_load_part_bf16, 2, n); return;
    case PRIM_S8: load_row(row, src, v_load_s8, v_load_part_s8, 1, n); return;
    case PRIM_U8: load_row(row, src, v_load_u8, v_load_part_u8, 1, n); return;
    default: memcpy(row, src, (size_t)n * sizeof *row);
    }
}

static void store(void *dst, const float *row, prim_data_type_t dt, prim_dim_t n)
{
    switch (dt) {
    case PRIM_F16: store_row(dst, row, v_store_f16, v_store_part_f16, 2, n); return;
    case PRIM_BF16: store_row(dst, row, store_bf16, v_store_part_bf16, 2, n); return;
    case PRIM_S8: store_row(dst, row, v_store_s8, v_store_part_s8, 1, n); return;
    case PRIM_U8: store_row(dst, row, v_store_u8, v_store_part_u8, 1, n); return;
    default: memcpy(dst, row, (size_t)n * sizeof *row);
    }
}

const simd_convert_code_t SIMD_NAME(prim__simd_convert_code) = {.load = load, .store = store};
