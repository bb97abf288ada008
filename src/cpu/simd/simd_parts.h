// SPDX-License-Identifier: Apache-2.0
// n < LANES elements of each type to the first lanes of a vector, and back, rounded as
// prim__store() rounds: from and to registers, since a load of what was just stored as another
// vector waits.
#ifndef PRIM_CPU_SIMD_PARTS_H
#define PRIM_CPU_SIMD_PARTS_H

#include "simd_vec.h"

SIMD_INLINE void v_store_part16(void *p, vu16_t x, int64_t n)
{
#if SIMD_LEVEL == 2
    _mm256_mask_storeu_epi16(p, (__mmask16)((1U << n) - 1), (__m256i)x);
#else
    memcpy(p, &x, (size_t)n * 2);
#endif
}

SIMD_INLINE void v_store_part8(void *p, vi8_t x, int64_t n)
{
#if SIMD_LEVEL == 2
    _mm_mask_storeu_epi8(p, (__mmask16)((1U << n) - 1), (__m128i)x);
#else
    memcpy(p, &x, (size_t)n);
#endif
}

SIMD_INLINE void v_store_part_bf16(void *p, vf_t x, int64_t n)
{
    v_store_part16(p, v_to_bf16(x), n);
}

SIMD_INLINE void v_store_part_f16(void *p, vf_t x, int64_t n)
{
    v_store_part16(p, v_to_f16(x), n);
}

SIMD_INLINE void v_store_part_s8(void *p, vf_t x, int64_t n)
{
    v_store_part8(p, v_to_s8(x), n);
}

SIMD_INLINE void v_store_part_u8(void *p, vf_t x, int64_t n)
{
    v_store_part8(p, v_to_u8(x), n);
}

SIMD_INLINE void v_store_part_f32(void *p, vf_t x, int64_t n)
{
    v_store_part((float *)p, x, n);
}

SIMD_INLINE vu16_t v_load_part16(const void *p, int64_t n)
{
#if SIMD_LEVEL == 2
    return (vu16_t)_mm256_maskz_loadu_epi16((__mmask16)((1U << n) - 1), p);
#else
    vu16_t x = {0};
    memcpy(&x, p, (size_t)n * 2);
    return x;
#endif
}

SIMD_INLINE vf_t v_load_part_bf16(const void *p, int64_t n)
{
    return v_of_bf16(v_load_part16(p, n));
}

SIMD_INLINE vf_t v_load_part_f16(const void *p, int64_t n)
{
    return v_of_f16(v_load_part16(p, n));
}

SIMD_INLINE vf_t v_load_part_s8(const void *p, int64_t n)
{
    char room[LANES] = {0};
    memcpy(room, p, (size_t)n);
    return v_load_s8(room);
}

SIMD_INLINE vf_t v_load_part_u8(const void *p, int64_t n)
{
    char room[LANES] = {0};
    memcpy(room, p, (size_t)n);
    return v_load_u8(room);
}

SIMD_INLINE vf_t v_load_part_f32(const void *p, int64_t n)
{
    return v_load_part((const float *)p, n, 0);
}

#endif
