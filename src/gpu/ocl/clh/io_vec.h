// SPDX-License-Identifier: Apache-2.0
// Vector loads and stores of each type: floatN loadN_<t>(p, i), void storeN_<t>(p, i, x), N = 2, 4,
// 8, 16; elements i … i+N−1, any alignment, rounding and saturation as in clh/io.h.
#ifndef CLH_IO_VEC_H
#define CLH_IO_VEC_H

#include "clh/io.h"

// Names of types and functions of vectors: RAW_JOIN(float, 4) is float4, VEC_NAME(load, 4, _f32) load4_f32.
#define RAW_JOIN_(a, b) a##b
#define RAW_JOIN(a, b) RAW_JOIN_(a, b)
#define VEC_NAME_(a, b, c) a##b##c
#define VEC_NAME(a, b, c) VEC_NAME_(a, b, c)

// With -DNONTEMPORAL=1 (ocl_nontemporal.h) the stores are non-temporal where their addresses are
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
#define HALF_LOAD(N, p) RAW_JOIN(halves_to_float, N)(RAW_LOAD(N, ushort, p))
#define HALF_STORE(N, x, p) RAW_STORE(N, ushort, VEC_NAME(float, N, _to_halves)(x), p)
#else
#define ARE_ALIGNED(T, N, p, step) true
#define AS_ALIGNED(T, N, p) (p)
#define RAW_LOAD_(V, load, p) load(0, p)
#if defined(__F16C__)
#define HALF_LOAD(N, p) RAW_JOIN(halves_to_float, N)(((__global const VEC_NAME(loose_ushort, N, _t) *)(p))->x)
#else
#define HALF_LOAD(N, p) RAW_JOIN(vload_half, N)(0, (__global const half *)(p))
#endif
#if defined(NONTEMPORAL)
#define RAW_STORE_(V, store, x, p) \
    do { \
        if (IS_ALIGNED(p, V)) \
            STORE_NONTEMPORAL(V, x, p); \
        else \
            store(x, 0, p); \
    } while (0)
#define HALF_STORE(N, x, p) RAW_STORE(N, ushort, VEC_NAME(float, N, _to_halves)(x), p)
#else
#define RAW_STORE_(V, store, x, p) store(x, 0, p)
#if defined(__F16C__)
#define HALF_STORE(N, v, p) \
    (((__global VEC_NAME(loose_ushort, N, _t) *)(p))->x = VEC_NAME(float, N, _to_halves)(v))
#else
#define HALF_STORE(N, x, p) VEC_NAME(vstore_half, N, _rte)(x, 0, (__global half *)(p))
#endif
#endif
#endif
// N elements of the storage type T, as they are.
#define RAW_LOAD(N, T, p) RAW_LOAD_(RAW_JOIN(T, N), RAW_JOIN(vload, N), p)
#define RAW_STORE(N, T, x, p) RAW_STORE_(RAW_JOIN(T, N), RAW_JOIN(vstore, N), x, p)

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

#define VEC_N 2
#include "clh/io_vec_length.inc"
#undef VEC_N
#define VEC_N 4
#define VEC_HALF 2
#include "clh/io_vec_length.inc"
#undef VEC_N
#undef VEC_HALF
#define VEC_N 8
#define VEC_HALF 4
#include "clh/io_vec_length.inc"
#undef VEC_N
#undef VEC_HALF
#define VEC_N 16
#define VEC_HALF 8
#include "clh/io_vec_length.inc"
#undef VEC_N
#undef VEC_HALF

// Eight elements of bf16 as floats; the even one of a pair is the lower half of its word.
static inline float8 bf16_words_to_float8(uint4 x)
{
    const uint4 even = x << 16, odd = x & 0xffff0000u;
    return as_float8((uint8)(even.s0, odd.s0, even.s1, odd.s1, even.s2, odd.s2, even.s3, odd.s3));
}

#endif
