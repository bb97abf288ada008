// SPDX-License-Identifier: Apache-2.0
// Vectors of f32, f16 or bf16 in their storage type, 16 bytes each, for kernels that hold many of them
// in registers or in local memory:
//   rawv                                   the type
//   rawv_load(p), rawv_store(x, p)         global memory, p is aligned to 16 bytes
//   rawv_load_any(p), rawv_store_any(x, p)   p is aligned to an element
//   rawv_load_streaming(p), rawv_store_streaming(x, p)   streaming: nobody reads the line soon, so it is
//                                          the first to be evicted, where the device has such accesses
//   RAWV_SAME(x)                           word of a vector whose elements are all the float x
//   rawv_between(x, from, to, other)       elements from … to − 1 of x, others of RAWV_SAME(…)
//   rawv_hide(&x, zero)                    hides from the compiler that x is unchanged, so that values computed from x
//                                          are computed again instead of held in registers (shorter types only).
//                                          `zero` is 0, which the compiler must not know: the sign of an argument,
//                                          another one each time, or equal conversions are merged again
//   rawv_join(x, n, zero)                  all n vectors are loaded before the first is used
//   rawv_to_floatv(x), rawv_of_floatv(x)   rounds to nearest even; NaN stays NaN
// -D: IS_RAW: 0 leaves all that out; 1, on devices with SPLITS_UNALIGNED: SRC = DST (prim__ocl_options_type()), VEC = 4
// for f32, else 8. CACHE_HINTS: 1 where the device takes them (OCL_FEATURE_CACHE_HINTS).
#ifndef CLH_RAW_VEC_H
#define CLH_RAW_VEC_H

#if !defined(IS_RAW) || !defined(CACHE_HINTS)
#error "clh/raw_vec.h needs IS_RAW, CACHE_HINTS"
#endif

#include "clh/nv/nv_global.h"
#include "clh/nv/nv_opaque.h"
#include "clh/vec.h"

#if IS_RAW

#if SRC_DT != DST_DT || VEC != (SRC_DT == DT_F32 ? 4 : 8)
#error "clh/raw_vec.h needs SRC = DST, VEC of 16 bytes"
#endif

#if SRC_DT == DT_F32
typedef float4 rawv;
#define rawv_to_floatv(x) (x)
#define rawv_of_floatv(x) (x)
#define rawv_of_words(x) as_float4(x)
#define rawv_words(x) as_uint4(x)
#else
typedef uint4 rawv;
#define rawv_of_words(x) (x)
#define rawv_words(x) (x)
#if SRC_DT == DT_F16
#define rawv_to_floatv(x) halves_to_float8(as_ushort8(x))
#define rawv_of_floatv(x) as_uint4(float8_to_halves(x))
#else
#define rawv_to_floatv(x) bf16_words_to_float8(x)
#define rawv_of_floatv(x) as_uint4(float8_to_bf16(x))
#endif
#endif

#define RAWV_SAME(x) (rawv_words(rawv_of_floatv((floatv)(x))).s0)

static inline rawv rawv_load(__global const SRC_T *p)
{
    return rawv_of_words(*(__global const uint4 *)p);
}

static inline void rawv_store(rawv x, __global DST_T *p)
{
    *(__global uint4 *)p = rawv_words(x);
}

// At any address of elements.
static inline rawv rawv_load_any(__global const SRC_T *p)
{
    uint4 words;
#if SRC_DT == DT_F32
    __global const uint *from = (__global const uint *)p;
    words = (uint4)(from[0], from[1], from[2], from[3]);
#else
    words = (uint4)(p[0], p[2], p[4], p[6]) | (uint4)(p[1], p[3], p[5], p[7]) << 16;
#endif
    return rawv_of_words(words);
}

static inline void rawv_store_any(rawv x, __global DST_T *p)
{
    const uint4 words = rawv_words(x);
#if SRC_DT == DT_F32
    __global uint *to = (__global uint *)p;
    to[0] = words.s0, to[1] = words.s1, to[2] = words.s2, to[3] = words.s3;
#else
    p[0] = (DST_T)words.s0, p[1] = (DST_T)(words.s0 >> 16);
    p[2] = (DST_T)words.s1, p[3] = (DST_T)(words.s1 >> 16);
    p[4] = (DST_T)words.s2, p[5] = (DST_T)(words.s2 >> 16);
    p[6] = (DST_T)words.s3, p[7] = (DST_T)(words.s3 >> 16);
#endif
}

static inline rawv rawv_load_streaming(__global const SRC_T *p)
{
#if CACHE_HINTS
    return rawv_of_words(nv_load_streaming(p));
#else
    return rawv_load(p);
#endif
}

// The same without a branch; where it is not there, no access, and four words `other`.
static inline rawv rawv_load_streaming_or(__global const SRC_T *p, bool is_there, uint other)
{
#if CACHE_HINTS
    return rawv_of_words(nv_load_streaming_or(p, is_there, other));
#else
    return rawv_of_words(is_there ? rawv_words(rawv_load(p)) : (uint4)other);
#endif
}

static inline void rawv_store_streaming(rawv x, __global DST_T *p)
{
#if CACHE_HINTS
    nv_store_streaming(p, rawv_words(x));
#else
    rawv_store(x, p);
#endif
}

static inline rawv rawv_between(rawv x, int from, int to, uint other)
{
#if SRC_DT == DT_F32
    const int4 at = (int4)(0, 1, 2, 3);
    const uint4 keep = as_uint4(at >= from & at < to);
#else
    const int4 even = (int4)(0, 2, 4, 6), odd = even + 1;
    const uint4 keep = (as_uint4(even >= from & even < to) & 0xffffu) | (as_uint4(odd >= from & odd < to) << 16);
#endif
    return rawv_of_words((rawv_words(x) & keep) | (other & ~keep));
}

static inline void rawv_hide(rawv *x, uint zero)
{
#if SRC_DT != DT_F32
    *x ^= zero;
#elif CACHE_HINTS
    *x = rawv_of_words(nv_opaque_16(rawv_words(*x)));
#endif
}

// By such a `zero`: n vectors are loaded before the first is used, however the compiler orders loads.
static inline void rawv_join(rawv *x, const int n, uint zero)
{
    uint all = 0u;
    for (int k = 1; k < n; ++k) all |= rawv_words(x[k]).s0;
    x[0] = rawv_of_words(rawv_words(x[0]) ^ (all & zero));
}

#endif

#endif
