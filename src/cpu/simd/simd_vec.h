// SPDX-License-Identifier: Apache-2.0
// The vector layer: what the processor's vectors of f32 do, written with the compiler's vector
// types; intrinsics stand here alone, where the compiler has no operator. For simd_*_code.c
// (simd_level.h). A condition is a vector of integers, all bits set where it holds.
#ifndef PRIM_CPU_SIMD_VEC_H
#define PRIM_CPU_SIMD_VEC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "simd_level.h"

/// f32 lanes of a vector.
#if SIMD_LEVEL == 1
#define LANES 8
#elif SIMD_LEVEL == 2
#define LANES 16
#else
#define LANES 4
#endif

#define SIMD_INLINE static inline __attribute__((always_inline, unused))

typedef float vf_t __attribute__((vector_size(4 * LANES)));
typedef int32_t vi_t __attribute__((vector_size(4 * LANES)));
typedef uint32_t vu_t __attribute__((vector_size(4 * LANES)));
typedef uint16_t vu16_t __attribute__((vector_size(2 * LANES)));
typedef double vd_t __attribute__((vector_size(4 * LANES)));
typedef int64_t vl_t __attribute__((vector_size(4 * LANES)));
typedef float half_vf_t __attribute__((vector_size(2 * LANES))); ///< as many lanes as vd_t
typedef int8_t vi8_t __attribute__((vector_size(LANES)));
typedef uint8_t vu8_t __attribute__((vector_size(LANES)));

SIMD_INLINE vf_t v_set(float x)
{
    return x - (vf_t){0}; // −0 stays −0
}

SIMD_INLINE vi_t v_seti(int32_t x)
{
    return x + (vi_t){0};
}

SIMD_INLINE vu_t v_setu(uint32_t x)
{
    return x + (vu_t){0};
}

/// condition ? a : b
SIMD_INLINE vf_t v_select(vi_t condition, vf_t a, vf_t b)
{
#if SIMD_LEVEL == 2
    return (vf_t)_mm512_mask_blend_ps(
            _mm512_movepi32_mask((__m512i)condition), (__m512)b, (__m512)a);
#elif SIMD_LEVEL == 1
    return (vf_t)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)condition);
#else
    return (vf_t)((condition & (vi_t)a) | (~condition & (vi_t)b));
#endif
}

SIMD_INLINE vu_t v_selectu(vi_t condition, vu_t a, vu_t b)
{
    return (vu_t)v_select(condition, (vf_t)a, (vf_t)b);
}

/// x < low ? low : x, and x > high ? high : x; NaN stays.
SIMD_INLINE vf_t v_at_least(vf_t x, vf_t low)
{
#if SIMD_LEVEL == 2
    return (vf_t)_mm512_max_ps((__m512)low, (__m512)x);
#elif SIMD_LEVEL == 1
    return (vf_t)_mm256_max_ps((__m256)low, (__m256)x);
#else
    return v_select(x < low, low, x);
#endif
}

SIMD_INLINE vf_t v_at_most(vf_t x, vf_t high)
{
#if SIMD_LEVEL == 2
    return (vf_t)_mm512_min_ps((__m512)high, (__m512)x);
#elif SIMD_LEVEL == 1
    return (vf_t)_mm256_min_ps((__m256)high, (__m256)x);
#else
    return v_select(x > high, high, x);
#endif
}

/// Between −most and most; NaN stays.
SIMD_INLINE vd_t vd_within(vd_t x, double most)
{
    const vd_t high = most - (vd_t){0};
#if SIMD_LEVEL == 2
    return (vd_t)_mm512_min_pd((__m512d)high, _mm512_max_pd((__m512d)-high, (__m512d)x));
#elif SIMD_LEVEL == 1
    return (vd_t)_mm256_min_pd((__m256d)high, _mm256_max_pd((__m256d)-high, (__m256d)x));
#else
    const vl_t above = x > high, below = x < -high;
    const vl_t inside = (vl_t)x & ~(above | below);
    return (vd_t)(((vl_t)high & above) | ((vl_t)-high & below) | inside);
#endif
}

SIMD_INLINE vf_t v_abs(vf_t x)
{
    return (vf_t)((vu_t)x & 0x7fffffffU);
}

/// |magnitude| with the sign of x
SIMD_INLINE vf_t v_copysign(vf_t magnitude, vf_t x)
{
    return (vf_t)(((vu_t)magnitude & 0x7fffffffU) | ((vu_t)x & 0x80000000U));
}

SIMD_INLINE vf_t v_sqrt(vf_t x)
{
#if SIMD_LEVEL == 2
    return (vf_t)_mm512_sqrt_ps((__m512)x);
#elif SIMD_LEVEL == 1
    return (vf_t)_mm256_sqrt_ps((__m256)x);
#elif SIMD_LEVEL == 3
    return (vf_t)vsqrtq_f32((float32x4_t)x);
#else
    vf_t y;
    for (int i = 0; i < LANES; ++i) y[i] = __builtin_sqrtf(x[i]);
    return y;
#endif
}

/// To the nearest integer, halves to even; |x| ≤ 2²². The low bits of x + 1.5·2²³ are the integer.
SIMD_INLINE vi_t v_to_int(vf_t x)
{
    return (vi_t)(x + 12582912.0F) - (vi_t)v_set(12582912.0F);
}

/// The same as f32, for every x.
SIMD_INLINE vf_t v_round(vf_t x)
{
#if SIMD_LEVEL == 3
    return (vf_t)vrndnq_f32((float32x4_t)x);
#else
    const vf_t magnitude = v_abs(x);
    // From 2²³ on all numbers are integers. NaN is not below.
    return v_select(
            magnitude < 8388608.0F, v_copysign((magnitude + 8388608.0F) - 8388608.0F, x), x);
#endif
}

/// @name LANES elements of any address as f32
/// @{

SIMD_INLINE vf_t v_load(const void *p)
{
    vf_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/// Floats whose lanes multiply vectors. GCC would take those of v_load() apart in general
/// registers.
SIMD_INLINE vf_t v_load_factors(const float *p)
{
#if SIMD_LEVEL == 3
    return (vf_t)vld1q_f32(p);
#else
    return v_load(p);
#endif
}

/// Compilers convert vectors of 16 halves in pieces.
SIMD_INLINE vu_t v_widen_u16(vu16_t x)
{
#if SIMD_LEVEL == 2
    return (vu_t)_mm512_cvtepu16_epi32((__m256i)x);
#else
    return __builtin_convertvector(x, vu_t);
#endif
}

SIMD_INLINE vf_t v_of_bf16(vu16_t bits)
{
    return (vf_t)(v_widen_u16(bits) << 16);
}

SIMD_INLINE vf_t v_load_bf16(const void *p)
{
    vu16_t bits;
    memcpy(&bits, p, sizeof bits);
    return v_of_bf16(bits);
}

SIMD_INLINE vf_t v_of_f16(vu16_t bits)
{
#if SIMD_LEVEL == 2
    return (vf_t)_mm512_cvtph_ps((__m256i)bits);
#elif SIMD_LEVEL == 1
    return (vf_t)_mm256_cvtph_ps((__m128i)bits);
#elif SIMD_LEVEL == 3
    return (vf_t)vcvt_f32_f16((float16x4_t)bits);
#else
    // The exponents' biases are 112 apart; the product normalises subnormal numbers.
    const vu_t wide = __builtin_convertvector(bits, vu_t);
    const vu_t magnitude = (wide & 0x7fffU) << 13;
    const vu_t finite = (vu_t)((vf_t)magnitude * 0x1p112F);
    const vi_t is_finite = (vi_t)(magnitude < (0x7c00U << 13));
    return (vf_t)(v_selectu(is_finite, finite, magnitude | 0x7f800000U) | (wide & 0x8000U) << 16);
#endif
}

SIMD_INLINE vf_t v_load_f16(const void *p)
{
    vu16_t bits;
    memcpy(&bits, p, sizeof bits);
    return v_of_f16(bits);
}

/// Compilers convert eight times wider vectors in pieces.
SIMD_INLINE vi_t v_widen_s8(vi8_t x)
{
#if SIMD_LEVEL == 2
    return (vi_t)_mm512_cvtepi8_epi32((__m128i)x);
#elif SIMD_LEVEL == 1
    __m128i low = _mm_setzero_si128();
    memcpy(&low, &x, sizeof x);
    return (vi_t)_mm256_cvtepi8_epi32(low);
#elif SIMD_LEVEL == 3
    uint32_t low;
    memcpy(&low, &x, sizeof x);
    return (vi_t)vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(low))));
#else
    return __builtin_convertvector(x, vi_t);
#endif
}

SIMD_INLINE vi_t v_widen_u8(vu8_t x)
{
#if SIMD_LEVEL == 2
    return (vi_t)_mm512_cvtepu8_epi32((__m128i)x);
#elif SIMD_LEVEL == 1
    __m128i low = _mm_setzero_si128();
    memcpy(&low, &x, sizeof x);
    return (vi_t)_mm256_cvtepu8_epi32(low);
#elif SIMD_LEVEL == 3
    uint32_t low;
    memcpy(&low, &x, sizeof x);
    return (vi_t)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(low))));
#else
    return __builtin_convertvector(x, vi_t);
#endif
}

SIMD_INLINE vf_t v_load_s8(const void *p)
{
    vi8_t x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(v_widen_s8(x), vf_t);
}

SIMD_INLINE vf_t v_load_u8(const void *p)
{
    vu8_t x;
    memcpy(&x, p, sizeof x);
    // By way of signed integers, which every level converts in one instruction.
    return __builtin_convertvector(v_widen_u8(x), vf_t);
}

/// @}
/// @name LANES elements to any address, rounded as prim__store() rounds
/// @{

SIMD_INLINE void v_store(void *p, vf_t x)
{
    memcpy(p, &x, sizeof x);
}

/// Rounded to bf16, in the upper halves of the lanes.
SIMD_INLINE vu_t v_round_bf16(vf_t x)
{
    const vu_t bits = (vu_t)x;
    const vu_t rounded = bits + 0x7fffU + (bits >> 16 & 1U);
    const vu_t nan = (bits & 0x80000000U) | 0x7fc00000U;
#if SIMD_LEVEL == 2
    const __mmask16 is_nan = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q);
    return (vu_t)_mm512_mask_blend_epi32(is_nan, (__m512i)rounded, (__m512i)nan);
#else
    const vi_t is_nan = (vi_t)((bits & 0x7fffffffU) > 0x7f800000U);
    return v_selectu(is_nan, nan, rounded);
#endif
}

SIMD_INLINE vu16_t v_to_bf16(vf_t x)
{
    const vu_t rounded = v_round_bf16(x) >> 16;
#if SIMD_LEVEL == 2
    return (vu16_t)_mm512_cvtepi32_epi16((__m512i)rounded);
#else
    return __builtin_convertvector(rounded, vu16_t);
#endif
}

SIMD_INLINE void v_store_bf16(void *p, vf_t x)
{
    const vu16_t narrow = v_to_bf16(x);
    memcpy(p, &narrow, sizeof narrow);
}

SIMD_INLINE vu16_t v_to_f16(vf_t x)
{
#if SIMD_LEVEL == 2
    return (vu16_t)_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT);
#elif SIMD_LEVEL == 1
    return (vu16_t)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT);
#elif SIMD_LEVEL == 3
    return (vu16_t)vcvt_f16_f32((float32x4_t)x);
#else
    const vu_t bits = (vu_t)x, magnitude = bits & 0x7fffffffU;
    const vu_t normal = (magnitude - (112U << 23) + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
    // Below 2⁻¹⁴ an addition rounds: 0.5 has its last place where f16's subnormals have it.
    const vu_t subnormal = (vu_t)((vf_t)magnitude + 0.5F) - (126U << 23);
    const vu_t finite = v_selectu((vi_t)(magnitude < (113U << 23)), subnormal, normal);
    const vu_t special =
            v_selectu((vi_t)(magnitude > 0x7f800000U), v_setu(0x7e00U), v_setu(0x7c00U));
    const vi_t is_special = (vi_t)(magnitude >= (143U << 23));
    return __builtin_convertvector(
            v_selectu(is_special, special, finite) | (bits >> 16 & 0x8000U), vu16_t);
#endif
}

SIMD_INLINE void v_store_f16(void *p, vf_t x)
{
    const vu16_t narrow = v_to_f16(x);
    memcpy(p, &narrow, sizeof narrow);
}

/// x inside [low, high] as an integer, 0 for NaN.
SIMD_INLINE vi_t v_saturate(vf_t x, float low, float high)
{
    const vf_t number = v_select(x == x, x, v_set(0));
    return v_to_int(v_at_most(v_at_least(number, v_set(low)), v_set(high)));
}

/// The low bytes of all lanes.
SIMD_INLINE vi8_t v_narrow(vi_t x)
{
#if SIMD_LEVEL == 2
    return (vi8_t)_mm512_cvtepi32_epi8((__m512i)x);
#elif SIMD_LEVEL == 3
    const int16x4_t half = vmovn_s32((int32x4_t)x);
    const int8x8_t low = vmovn_s16(vcombine_s16(half, half));
    vi8_t narrow;
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
#else
    return __builtin_convertvector(x, vi8_t);
#endif
}

SIMD_INLINE vi8_t v_to_s8(vf_t x)
{
    return v_narrow(v_saturate(x, -128, 127));
}

SIMD_INLINE vi8_t v_to_u8(vf_t x)
{
#if SIMD_LEVEL == 2
    // The second operand is left of NaN; what is too large becomes 2³¹, which is narrowed to 255.
    const __m512 positive = _mm512_max_ps((__m512)x, _mm512_setzero_ps());
    return (vi8_t)_mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(positive));
#else
    return v_narrow(v_saturate(x, 0, 255));
#endif
}

SIMD_INLINE void v_store_s8(void *p, vf_t x)
{
    const vi8_t narrow = v_to_s8(x);
    memcpy(p, &narrow, sizeof narrow);
}

SIMD_INLINE void v_store_u8(void *p, vf_t x)
{
    const vi8_t narrow = v_to_u8(x);
    memcpy(p, &narrow, sizeof narrow);
}

/// @}
/// @name The last n < LANES elements of a row
/// @{

/// Lanes from n on are `rest`.
SIMD_INLINE vf_t v_load_part(const float *p, int64_t n, float rest)
{
#if SIMD_LEVEL == 2
    const __mmask16 mask = (__mmask16)((1U << n) - 1);
    return (vf_t)_mm512_mask_loadu_ps(_mm512_set1_ps(rest), mask, p);
#else
    vf_t x = v_set(rest);
    for (int64_t i = 0; i < n; ++i) x[i] = p[i];
    return x;
#endif
}

SIMD_INLINE void v_store_part(float *p, vf_t x, int64_t n)
{
#if SIMD_LEVEL == 2
    _mm512_mask_storeu_ps(p, (__mmask16)((1U << n) - 1), (__m512)x);
#else
    for (int64_t i = 0; i < n; ++i) p[i] = x[i];
#endif
}

/// Elements i.. of a row of n; lanes beyond its end are `rest`.
SIMD_INLINE vf_t v_load_at(const float *x, int64_t i, int64_t n, float rest)
{
    return n - i >= LANES ? v_load(x + i) : v_load_part(x + i, n - i, rest);
}

SIMD_INLINE void v_store_at(float *out, vf_t x, int64_t i, int64_t n)
{
    if (n - i >= LANES)
        v_store(out + i, x);
    else
        v_store_part(out + i, x, n - i);
}

/// @}
/// @name Reductions, always in the same order: halves onto each other
/// @{

SIMD_INLINE float v_sum(vf_t x)
{
#if SIMD_LEVEL == 2
    const __m256 half =
            _mm256_add_ps(_mm512_castps512_ps256((__m512)x), _mm512_extractf32x8_ps((__m512)x, 1));
#elif SIMD_LEVEL == 1
    const __m256 half = (__m256)x;
#endif
#if SIMD_LEVEL == 1 || SIMD_LEVEL == 2
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    float part[LANES];
    memcpy(part, &x, sizeof part);
    for (int step = LANES / 2; step > 0; step /= 2) {
        for (int i = 0; i < step; ++i) part[i] += part[i + step];
    }
    return part[0];
#endif
}

/// Whether a condition holds in some lane.
SIMD_INLINE bool v_any(vi_t condition)
{
#if SIMD_LEVEL == 2
    return _mm512_test_epi32_mask((__m512i)condition, (__m512i)condition) != 0;
#elif SIMD_LEVEL == 1
    return !_mm256_testz_si256((__m256i)condition, (__m256i)condition);
#else
    uint64_t part[LANES / 2];
    memcpy(part, &condition, sizeof part);
    uint64_t all = 0;
    for (int i = 0; i < LANES / 2; ++i) all |= part[i];
    return all != 0;
#endif
}

/// The largest lane; NaN if there is one.
SIMD_INLINE float v_max(vf_t x)
{
#if SIMD_LEVEL == 2
    if (_mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q)) return __builtin_nanf("");
    return _mm512_reduce_max_ps((__m512)x);
#else
    float part[LANES];
    memcpy(part, &x, sizeof x);
    for (int step = LANES / 2; step > 0; step /= 2) {
        for (int i = 0; i < step; ++i) {
            const float other = part[i + step];
            part[i] = other > part[i] || other != other ? other : part[i];
        }
    }
    return part[0];
#endif
}

/// @}

#endif
