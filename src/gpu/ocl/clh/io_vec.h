// SPDX-License-Identifier: Apache-2.0
// Vector loads and stores of each type: floatN loadN_<t>(p, i), void storeN_<t>(p, i, x), N = 2, 4,
// 8, 16; elements i … i+N−1, any alignment, rounding and saturation as in clh/io.h.
#ifndef CLH_IO_VEC_H
#define CLH_IO_VEC_H

#include "clh/io.h"

// With -DNONTEMPORAL=1 (ocl_nontemporal.h) the stores go past the caches where their addresses are
// aligned.
#if defined(NONTEMPORAL)
#include "clh/nontemporal.h"
#endif

// Devices that split an access which may be unaligned into one for each element (the host says so by
// -DSPLITS_UNALIGNED, for all programs) get a second way for aligned addresses: on an NVIDIA H200
// relu of bf16 went from 1.9 to 4.0 TB/s by it.
//
// The test costs little, but the two ways keep a compiler from having several loads in flight. So
// where several vectors are loaded, they are tested together by ARE_ALIGNED (p and any number of
// `step`s of elements from it), and p becomes AS_ALIGNED(T, N, p), of which the compiler knows it.
#define IS_ALIGNED(p, T) (((size_t)(p) & (sizeof(T) - 1)) == 0)
#if defined(SPLITS_UNALIGNED)
#define ARE_ALIGNED(T, N, p, step) \
    ((((size_t)(p) | (size_t)((long)(step) * (long)sizeof(T))) & (sizeof(T) * (N) - 1)) == 0)
#define AS_ALIGNED(T, N, p) ((__global T *)((size_t)(p) & ~(sizeof(T) * (N) - 1)))
#define RAW_LOAD_(V, load, p) \
    (IS_ALIGNED(p, V) ? RAW_OF(V, *(__global const RAW_WORDS(V) *)(p)) : load(0, p))
#define RAW_STORE_(V, store, x, p) \
    do { \
        if (IS_ALIGNED(p, V)) \
            *(__global RAW_WORDS(V) *)(p) = RAW_OF(RAW_WORDS(V), x); \
        else \
            store(x, 0, p); \
    } while (0)
// Vectors of bytes go as words, for such a compiler takes four bytes at most in one access.
#define RAW_OF_(V, x) as_##V(x)
#define RAW_OF(V, x) RAW_OF_(V, x)
#define RAW_WORDS_(V) WORDS_OF_##V
#define RAW_WORDS(V) RAW_WORDS_(V)
#define WORDS_OF_char2 char2
#define WORDS_OF_char4 uint
#define WORDS_OF_char8 uint2
#define WORDS_OF_char16 uint4
#define WORDS_OF_uchar2 uchar2
#define WORDS_OF_uchar4 uint
#define WORDS_OF_uchar8 uint2
#define WORDS_OF_uchar16 uint4
#define WORDS_OF_ushort2 ushort2
#define WORDS_OF_ushort4 uint2
#define WORDS_OF_ushort8 uint4
#define WORDS_OF_ushort16 uint8
#define WORDS_OF_int2 int2
#define WORDS_OF_int4 int4
#define WORDS_OF_int8 int8
#define WORDS_OF_int16 int16
#define WORDS_OF_float2 float2
#define WORDS_OF_float4 float4
#define WORDS_OF_float8 float8
#define WORDS_OF_float16 float16
#define HALF_LOAD(N, p) halves_to_float##N(RAW_LOAD(N, ushort, p))
#define HALF_STORE(N, x, p) RAW_STORE(N, ushort, float##N##_to_halves(x), p)
#else
#define ARE_ALIGNED(T, N, p, step) true
#define AS_ALIGNED(T, N, p) (p)
#define RAW_LOAD_(V, load, p) load(0, p)
#if defined(__F16C__)
#define HALF_LOAD(N, p) halves_to_float##N(((__global const loose_ushort##N##_t *)(p))->x)
#else
#define HALF_LOAD(N, p) vload_half##N(0, (__global const half *)(p))
#endif
#if defined(NONTEMPORAL)
#define RAW_STORE_(V, store, x, p) \
    do { \
        if (IS_ALIGNED(p, V)) \
            STORE_PAST(V, x, p); \
        else \
            store(x, 0, p); \
    } while (0)
#define HALF_STORE(N, x, p) RAW_STORE(N, ushort, float##N##_to_halves(x), p)
#else
#define RAW_STORE_(V, store, x, p) store(x, 0, p)
#if defined(__F16C__)
#define HALF_STORE(N, v, p) \
    (((__global loose_ushort##N##_t *)(p))->x = float##N##_to_halves(v))
#else
#define HALF_STORE(N, x, p) vstore_half##N##_rte(x, 0, (__global half *)(p))
#endif
#endif
#endif
// N elements of the storage type T, as they are.
#define RAW_JOIN_(a, b) a##b
#define RAW_JOIN(a, b) RAW_JOIN_(a, b)
#define RAW_LOAD(N, T, p) RAW_LOAD_(RAW_JOIN(T, N), vload##N, p)
#define RAW_STORE(N, T, x, p) RAW_STORE_(RAW_JOIN(T, N), vstore##N, x, p)

#if defined(__F16C__)
// Where the processor converts halves, PoCL 3.1 takes the address of vload_half8() and
// vstore_half8_rte() for one of 16 bytes (vload_half16() is two of them), although multiples of 2
// are right (OpenCL C 1.2, section 6.12.7): odd rows crash in what it makes of that.
#define LOOSE_USHORTS(N) \
    typedef struct __attribute__((packed, aligned(2))) { \
        ushort##N x; \
    } loose_ushort##N##_t
LOOSE_USHORTS(2);
LOOSE_USHORTS(4);
LOOSE_USHORTS(8);
LOOSE_USHORTS(16);
#endif

#if defined(SPLITS_UNALIGNED) || defined(NONTEMPORAL) || defined(__F16C__)
// Halves in registers: where accesses are split, vload_half() of memory is one for each, vloada_half()
// too; no form of it stores past the caches; and PoCL's wants aligned addresses.
static inline float2 halves_to_float2(ushort2 x)
{
    return vload_half2(0, (const half *)&x);
}

static inline ushort2 float2_to_halves(float2 x)
{
    ushort2 halves;
    vstore_half2_rte(x, 0, (half *)&halves);
    return halves;
}

static inline float4 halves_to_float4(ushort4 x)
{
    return vload_half4(0, (const half *)&x);
}

static inline ushort4 float4_to_halves(float4 x)
{
    ushort4 halves;
    vstore_half4_rte(x, 0, (half *)&halves);
    return halves;
}

static inline float8 halves_to_float8(ushort8 x)
{
    return vload_half8(0, (const half *)&x);
}

static inline ushort8 float8_to_halves(float8 x)
{
    ushort8 halves;
    vstore_half8_rte(x, 0, (half *)&halves);
    return halves;
}

static inline float16 halves_to_float16(ushort16 x)
{
    return vload_half16(0, (const half *)&x);
}

static inline ushort16 float16_to_halves(float16 x)
{
    ushort16 halves;
    vstore_half16_rte(x, 0, (half *)&halves);
    return halves;
}
#endif

#if defined(SPLITS_UNALIGNED)
// Pairs of bf16 make words, the even element below: fewer instructions than one by one.
static inline ushort4 float4_to_bf16(float4 x)
{
    const uint4 bits = as_uint4(x);
    const uint4 rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    const uint4 ends = select(rounded, bits | 0x400000u, isnan(x));
    return as_ushort4((ends.even >> 16) | (ends.odd & 0xffff0000u));
}

static inline ushort8 float8_to_bf16(float8 x)
{
    const uint8 bits = as_uint8(x);
    const uint8 rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    const uint8 ends = select(rounded, bits | 0x400000u, isnan(x));
    return as_ushort8((ends.even >> 16) | (ends.odd & 0xffff0000u));
}

static inline ushort16 float16_to_bf16(float16 x)
{
    const uint16 bits = as_uint16(x);
    const uint16 rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    const uint16 ends = select(rounded, bits | 0x400000u, isnan(x));
    return as_ushort16((ends.even >> 16) | (ends.odd & 0xffff0000u));
}
#else
static inline ushort4 float4_to_bf16(float4 x)
{
    const uint4 bits = as_uint4(x);
    const uint4 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint4 quiet = (bits >> 16) | 0x40u;
    return convert_ushort4(select(rounded, quiet, isnan(x)));
}

static inline ushort8 float8_to_bf16(float8 x)
{
    const uint8 bits = as_uint8(x);
    const uint8 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint8 quiet = (bits >> 16) | 0x40u;
    return convert_ushort8(select(rounded, quiet, isnan(x)));
}

static inline ushort16 float16_to_bf16(float16 x)
{
    const uint16 bits = as_uint16(x);
    const uint16 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint16 quiet = (bits >> 16) | 0x40u;
    return convert_ushort16(select(rounded, quiet, isnan(x)));
}
#endif

#if defined(SPLITS_UNALIGNED)
#define float16_to_char16(x) convert_char16_sat_rte(select(x, (float16)(0.0f), isnan(x)))
#define float16_to_uchar16(x) convert_uchar16_sat_rte(select(x, (float16)(0.0f), isnan(x)))
#define BYTES_STORE(V, x, p) RAW_STORE_(V, vstore16, x, p)
#else
// Adding 1.5·2²³ rounds to an integer, in the low bits: PoCL takes 30 instructions for a vector's conversion with
// rounding and saturation, and stores vectors of bytes that may be unaligned one by one.
static inline int16 float16_to_bytes(float16 x, float low, float high)
{
    const float16 y = select(x, (float16)(0.0f), isnan(x));
    return as_int16(clamp(y, low, high) + 12582912.0f) - 0x4b400000;
}

#define float16_to_char16(x) convert_char16(float16_to_bytes(x, -128.0f, 127.0f))
#define float16_to_uchar16(x) convert_uchar16(float16_to_bytes(x, 0.0f, 255.0f))

typedef struct __attribute__((packed)) {
    char16 x;
} loose_char16_t;

#define BYTES_STORE_LOOSE(x_, i, p) (((__global loose_char16_t *)(p))->x = as_char16(x_))
#define BYTES_STORE(V, x, p) RAW_STORE_(V, BYTES_STORE_LOOSE, x, p)
#endif

static inline float2 load2_f32(__global const float *p, long i)
{
    return RAW_LOAD(2, float, p + i);
}

static inline void store2_f32(__global float *p, long i, float2 x)
{
    RAW_STORE(2, float, x, p + i);
}

static inline float2 load2_f16(__global const f16_t *p, long i)
{
    return HALF_LOAD(2, p + i);
}

static inline void store2_f16(__global f16_t *p, long i, float2 x)
{
    HALF_STORE(2, x, p + i);
}

static inline float2 load2_bf16(__global const bf16_t *p, long i)
{
    return as_float2(convert_uint2(RAW_LOAD(2, ushort, p + i)) << 16);
}

static inline void store2_bf16(__global bf16_t *p, long i, float2 x)
{
    const uint2 bits = as_uint2(x);
    const uint2 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint2 quiet = (bits >> 16) | 0x40u;
    RAW_STORE(2, ushort, convert_ushort2(select(rounded, quiet, isnan(x))), p + i);
}

static inline float2 load2_s32(__global const int *p, long i)
{
    return convert_float2_rte(RAW_LOAD(2, int, p + i));
}

static inline void store2_s32(__global int *p, long i, float2 x)
{
    RAW_STORE(2, int, convert_int2_sat_rte(select(x, (float2)(0.0f), isnan(x))), p + i);
}

static inline float2 load2_s8(__global const char *p, long i)
{
    return convert_float2(RAW_LOAD(2, char, p + i));
}

static inline void store2_s8(__global char *p, long i, float2 x)
{
    RAW_STORE(2, char, convert_char2_sat_rte(select(x, (float2)(0.0f), isnan(x))), p + i);
}

static inline float2 load2_u8(__global const uchar *p, long i)
{
    return convert_float2(RAW_LOAD(2, uchar, p + i));
}

static inline void store2_u8(__global uchar *p, long i, float2 x)
{
    RAW_STORE(2, uchar, convert_uchar2_sat_rte(select(x, (float2)(0.0f), isnan(x))), p + i);
}

static inline float4 load4_f32(__global const float *p, long i)
{
    return RAW_LOAD(4, float, p + i);
}

static inline void store4_f32(__global float *p, long i, float4 x)
{
    RAW_STORE(4, float, x, p + i);
}

static inline float4 load4_f16(__global const f16_t *p, long i)
{
    return HALF_LOAD(4, p + i);
}

static inline void store4_f16(__global f16_t *p, long i, float4 x)
{
    HALF_STORE(4, x, p + i);
}

static inline float4 load4_bf16(__global const bf16_t *p, long i)
{
    return as_float4(convert_uint4(RAW_LOAD(4, ushort, p + i)) << 16);
}

static inline void store4_bf16(__global bf16_t *p, long i, float4 x)
{
    const ushort4 y = float4_to_bf16(x);
    RAW_STORE(4, ushort, y, p + i);
}

static inline float4 load4_s32(__global const int *p, long i)
{
    return convert_float4_rte(RAW_LOAD(4, int, p + i));
}

static inline void store4_s32(__global int *p, long i, float4 x)
{
    RAW_STORE(4, int, convert_int4_sat_rte(select(x, (float4)(0.0f), isnan(x))), p + i);
}

static inline float4 load4_s8(__global const char *p, long i)
{
    return convert_float4(RAW_LOAD(4, char, p + i));
}

static inline void store4_s8(__global char *p, long i, float4 x)
{
    RAW_STORE(4, char, convert_char4_sat_rte(select(x, (float4)(0.0f), isnan(x))), p + i);
}

static inline float4 load4_u8(__global const uchar *p, long i)
{
    return convert_float4(RAW_LOAD(4, uchar, p + i));
}

static inline void store4_u8(__global uchar *p, long i, float4 x)
{
    RAW_STORE(4, uchar, convert_uchar4_sat_rte(select(x, (float4)(0.0f), isnan(x))), p + i);
}

static inline float8 load8_f32(__global const float *p, long i)
{
    return RAW_LOAD(8, float, p + i);
}

static inline void store8_f32(__global float *p, long i, float8 x)
{
    RAW_STORE(8, float, x, p + i);
}

static inline float8 load8_f16(__global const f16_t *p, long i)
{
    return HALF_LOAD(8, p + i);
}

static inline void store8_f16(__global f16_t *p, long i, float8 x)
{
    HALF_STORE(8, x, p + i);
}

static inline float8 load8_bf16(__global const bf16_t *p, long i)
{
    return as_float8(convert_uint8(RAW_LOAD(8, ushort, p + i)) << 16);
}

static inline void store8_bf16(__global bf16_t *p, long i, float8 x)
{
    const ushort8 y = float8_to_bf16(x);
    RAW_STORE(8, ushort, y, p + i);
}

static inline float8 load8_s32(__global const int *p, long i)
{
    return convert_float8_rte(RAW_LOAD(8, int, p + i));
}

static inline void store8_s32(__global int *p, long i, float8 x)
{
    RAW_STORE(8, int, convert_int8_sat_rte(select(x, (float8)(0.0f), isnan(x))), p + i);
}

static inline float8 load8_s8(__global const char *p, long i)
{
    return convert_float8(RAW_LOAD(8, char, p + i));
}

static inline void store8_s8(__global char *p, long i, float8 x)
{
    RAW_STORE(8, char, convert_char8_sat_rte(select(x, (float8)(0.0f), isnan(x))), p + i);
}

static inline float8 load8_u8(__global const uchar *p, long i)
{
    return convert_float8(RAW_LOAD(8, uchar, p + i));
}

static inline void store8_u8(__global uchar *p, long i, float8 x)
{
    RAW_STORE(8, uchar, convert_uchar8_sat_rte(select(x, (float8)(0.0f), isnan(x))), p + i);
}

static inline float16 load16_f32(__global const float *p, long i)
{
    return RAW_LOAD(16, float, p + i);
}

static inline void store16_f32(__global float *p, long i, float16 x)
{
    RAW_STORE(16, float, x, p + i);
}

static inline float16 load16_f16(__global const f16_t *p, long i)
{
    return HALF_LOAD(16, p + i);
}

static inline void store16_f16(__global f16_t *p, long i, float16 x)
{
    HALF_STORE(16, x, p + i);
}

static inline float16 load16_bf16(__global const bf16_t *p, long i)
{
    return as_float16(convert_uint16(RAW_LOAD(16, ushort, p + i)) << 16);
}

static inline void store16_bf16(__global bf16_t *p, long i, float16 x)
{
    const ushort16 y = float16_to_bf16(x);
    RAW_STORE(16, ushort, y, p + i);
}

static inline float16 load16_s32(__global const int *p, long i)
{
    return convert_float16_rte(RAW_LOAD(16, int, p + i));
}

static inline void store16_s32(__global int *p, long i, float16 x)
{
    RAW_STORE(16, int, convert_int16_sat_rte(select(x, (float16)(0.0f), isnan(x))), p + i);
}

static inline float16 load16_s8(__global const char *p, long i)
{
    return convert_float16(RAW_LOAD(16, char, p + i));
}

static inline void store16_s8(__global char *p, long i, float16 x)
{
    BYTES_STORE(char16, float16_to_char16(x), p + i);
}

static inline float16 load16_u8(__global const uchar *p, long i)
{
    return convert_float16(RAW_LOAD(16, uchar, p + i));
}

static inline void store16_u8(__global uchar *p, long i, float16 x)
{
    BYTES_STORE(uchar16, float16_to_uchar16(x), p + i);
}

#endif
