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

/// @name SIMD_FOUR whole vectors, one after the other
/// @{

enum { SIMD_FOUR = 4 };

#if SIMD_LEVEL == 2
/// The bytes of four vectors of pairs of 128-bit lanes in the order of the vectors.
SIMD_INLINE __m512i v_order_bytes(__m512i packed)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, packed);
}
#endif

SIMD_INLINE void v_store_four_u8(void *p, const vf_t *x)
{
#if SIMD_LEVEL == 2
    // NaN and what is far below 0 become the least integer, and packing makes 0 of it.
    __m512i whole[SIMD_FOUR];
    for (int i = 0; i < SIMD_FOUR; ++i)
        whole[i] = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_set1_ps(255), (__m512)x[i]));
    const __m512i low = _mm512_packus_epi32(whole[0], whole[1]);
    const __m512i high = _mm512_packus_epi32(whole[2], whole[3]);
    _mm512_storeu_si512(p, v_order_bytes(_mm512_packus_epi16(low, high)));
#else
    for (int i = 0; i < SIMD_FOUR; ++i) v_store_u8((char *)p + i * LANES, x[i]);
#endif
}

SIMD_INLINE void v_store_four_s8(void *p, const vf_t *x)
{
#if SIMD_LEVEL == 2
    __m512i whole[SIMD_FOUR];
    for (int i = 0; i < SIMD_FOUR; ++i) {
        const __mmask16 number = _mm512_cmp_ps_mask((__m512)x[i], (__m512)x[i], _CMP_ORD_Q);
        const __m512 most = _mm512_min_ps(_mm512_set1_ps(127), (__m512)x[i]);
        whole[i] = _mm512_maskz_cvtps_epi32(number, most);
    }
    const __m512i low = _mm512_packs_epi32(whole[0], whole[1]);
    const __m512i high = _mm512_packs_epi32(whole[2], whole[3]);
    _mm512_storeu_si512(p, v_order_bytes(_mm512_packs_epi16(low, high)));
#else
    for (int i = 0; i < SIMD_FOUR; ++i) v_store_s8((char *)p + i * LANES, x[i]);
#endif
}

#if SIMD_LEVEL == 2
/// Two vectors as bf16, one after the other.
SIMD_INLINE __m512i v_pack_bf16(vf_t x, vf_t y)
{
#ifdef __AVX512BF16__
    // The instruction makes 0 of subnormal numbers, and keeps bits of NaN.
    enum { QUIET_NAN = 0x01, SUBNORMAL = 0x20, SIGNALLING_NAN = 0x80 };
    enum { OTHER = QUIET_NAN | SUBNORMAL | SIGNALLING_NAN };
    const __mmask16 others = _kor_mask16(
            _mm512_fpclass_ps_mask((__m512)x, OTHER), _mm512_fpclass_ps_mask((__m512)y, OTHER));
    if (!others) return (__m512i)_mm512_cvtne2ps_pbh((__m512)y, (__m512)x);
#endif
    const __m512i low = (__m512i)(v_round_bf16(x) >> 16), high = (__m512i)(v_round_bf16(y) >> 16);
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return _mm512_permutexvar_epi64(order, _mm512_packus_epi32(low, high));
}
#endif

SIMD_INLINE void v_store_four_bf16(void *p, const vf_t *x)
{
#if SIMD_LEVEL == 2
    for (int i = 0; i < SIMD_FOUR; i += 2)
        _mm512_storeu_si512((char *)p + i * LANES * 2, v_pack_bf16(x[i], x[i + 1]));
#else
    for (int i = 0; i < SIMD_FOUR; ++i) v_store_bf16((char *)p + i * LANES * 2, x[i]);
#endif
}

SIMD_INLINE void v_store_four_f16(void *p, const vf_t *x)
{
    for (int i = 0; i < SIMD_FOUR; ++i) v_store_f16((char *)p + i * LANES * 2, x[i]);
}

SIMD_INLINE void v_store_four_f32(void *p, const vf_t *x)
{
    for (int i = 0; i < SIMD_FOUR; ++i) v_store((float *)p + i * LANES, x[i]);
}

/// @}

#endif
