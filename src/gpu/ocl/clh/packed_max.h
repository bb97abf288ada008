// SPDX-License-Identifier: Apache-2.0
// Maxima and minima of f16 and bf16 as they are stored, two elements in a word:
//   packed_t                    8 elements, 16 bytes
//   PACKED_START                the result of no elements
//   packed_load(p)              p is aligned to 16 bytes
//   packed_join(a, b)           a NaN on either side is the result
//   packed_join_all(x, n, zero) of n vectors, all loaded before the first is used; `zero` is 0, which the compiler must
//                               not know. Pairs first; x is used up
//   packed_to_float8(x)
// -D: PACKED_MAX: 0 leaves all that out; 1 where the device has such instructions (OCL_FEATURE_PACKED_MAX); SRC
// (prim__ocl_options_type()): f16 or bf16; ALG: REDUCTION_MAX or REDUCTION_MIN.
#ifndef CLH_PACKED_MAX_H
#define CLH_PACKED_MAX_H

#ifndef PACKED_MAX
#error "clh/packed_max.h needs PACKED_MAX"
#endif

#include "clh/io_vec.h"
#include "clh/nv/nv_arith.h"
#include "clh/reduction.h"

#if PACKED_MAX

#if SRC_DT == DT_F16
#define packed_word(a, b) (ALG == REDUCTION_MAX ? nv_max_f16x2(a, b) : nv_min_f16x2(a, b))
#define PACKED_START ((uint4)(ALG == REDUCTION_MAX ? 0xfc00fc00u : 0x7c007c00u))
#else
#define packed_word(a, b) (ALG == REDUCTION_MAX ? nv_max_bf16x2(a, b) : nv_min_bf16x2(a, b))
#define PACKED_START ((uint4)(ALG == REDUCTION_MAX ? 0xff80ff80u : 0x7f807f80u))
#endif

typedef uint4 packed_t;

static inline packed_t packed_load(__global const SRC_T *p)
{
    return *(__global const packed_t *)p;
}

static inline packed_t packed_join(packed_t a, packed_t b)
{
    return (packed_t)(packed_word(a.s0, b.s0), packed_word(a.s1, b.s1), packed_word(a.s2, b.s2),
            packed_word(a.s3, b.s3));
}

static inline packed_t packed_join_all(packed_t *x, const int n, uint zero)
{
    uint all = 0u;
    for (int k = 1; k < n; ++k) all |= x[k].s0;
    x[0].s0 ^= all & zero;
#pragma unroll
    for (int step = 1; step < n; step *= 2)
#pragma unroll
        for (int k = 0; k + step < n; k += 2 * step) x[k] = packed_join(x[k], x[k + step]);
    return x[0];
}

static inline float8 packed_to_float8(packed_t x)
{
#if SRC_DT == DT_F16
    return halves_to_float8(as_ushort8(x));
#else
    return bf16_words_to_float8(x);
#endif
}

#endif

#endif
