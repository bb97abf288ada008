// SPDX-License-Identifier: Apache-2.0
// Functions of vectors of VEC floats, and their loads by run-time type.
// -D: VEC = 2, 4, 8, 16.
#ifndef CLH_VEC_MATH_H
#define CLH_VEC_MATH_H

#include "clh/vec.h"

#define VEC_JOIN_(a, b, c) a##b##c
#define VEC_JOIN(a, b, c) VEC_JOIN_(a, b, c)

// Elements i … i + VEC − 1 of a run-time type.
static inline floatv vec_load_any(__global const void *p, long i, int dt)
{
    switch (dt) {
    case DT_F32: return VEC_JOIN(load, VEC, _f32)((__global const float *)p, i);
    case DT_F16: return VEC_JOIN(load, VEC, _f16)((__global const f16_t *)p, i);
    case DT_BF16: return VEC_JOIN(load, VEC, _bf16)((__global const bf16_t *)p, i);
    case DT_S32: return VEC_JOIN(load, VEC, _s32)((__global const int *)p, i);
    case DT_S8: return VEC_JOIN(load, VEC, _s8)((__global const char *)p, i);
    default: return VEC_JOIN(load, VEC, _u8)((__global const uchar *)p, i);
    }
}

// e^x for x ≤ 0; NaN stays, results below the normal numbers are 0. Written out because some devices
// take a vector's exp() lane by lane. x = n·ln 2 + r with |r| ≤ ln(2)/2: the polynomial 1 + r + … of
// degree 6 with the least relative error there (Remez) is off by 3e-9. One constant does for ln 2: what
// it lacks, 1.9e-9·n, is a twentieth of the rounding of an x so large. Adding 1.5·2²³ + 127 leaves n and the
// exponent's bias in the low bits.
static inline floatv vec_exp(floatv x)
{
    const floatv shifted = x * 1.44269504f + 12583039.0f;
    const floatv n = shifted - 12583039.0f;
    const floatv r = fma(n, (floatv)(-0.693147182f), x);
    floatv p = (floatv)(0.0013814584f);
    p = fma(p, r, (floatv)(0.00836872394f));
    p = fma(p, r, (floatv)(0.0416683887f));
    p = fma(p, r, (floatv)(0.166665206f));
    p = fma(p, r, (floatv)(0.499999934f));
    p = fma(p, r, (floatv)(1.0f));
    p = fma(p, r, (floatv)(1.0f));
    const intv bits = VEC_JOIN(as_int, VEC, )(shifted) << 23;
    return select(p * VEC_JOIN(as_float, VEC, )(bits), (floatv)(0.0f), x < -87.3f);
}

// Over the lanes, by a tree of halves. A NaN is passed over by vec_max(). The halves pass through
// memory, which compilers see through, for Oclgrind takes those of .lo and .hi for uninitialised.
#define VEC_SUM(a, b) ((a) + (b))
#define VEC_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define VEC_HALVE(N, parts, op) vstore##N(op(vload##N(0, parts), vload##N(1, parts)), 0, parts)
#if VEC == 16
#define VEC_FOLD(parts, op) \
    VEC_HALVE(8, parts, op); \
    VEC_HALVE(4, parts, op); \
    VEC_HALVE(2, parts, op)
#elif VEC == 8
#define VEC_FOLD(parts, op) \
    VEC_HALVE(4, parts, op); \
    VEC_HALVE(2, parts, op)
#elif VEC == 4
#define VEC_FOLD(parts, op) VEC_HALVE(2, parts, op)
#else
#define VEC_FOLD(parts, op)
#endif

static inline float vec_sum(floatv x)
{
    float parts[VEC];
    vstorev(x, parts);
    VEC_FOLD(parts, VEC_SUM);
    return parts[0] + parts[1];
}

static inline float vec_max(floatv x)
{
    float parts[VEC];
    vstorev(x, parts);
    VEC_FOLD(parts, VEC_LARGER);
    return VEC_LARGER(parts[0], parts[1]);
}

#endif
