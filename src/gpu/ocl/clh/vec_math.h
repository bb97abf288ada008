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
// take a vector's exp() lane by lane. x = n·ln 2 + r with |r| ≤ ln(2)/2: Taylor's polynomial of
// degree 7 is off by r⁸/8! < 6e-9 there. Adding 1.5·2²³ leaves n in the low bits.
static inline floatv vec_exp(floatv x)
{
    const floatv shifted = x * 1.44269504f + 12582912.0f;
    const floatv n = shifted - 12582912.0f;
    const floatv r = fma(n, (floatv)(1.90465430e-9f), fma(n, (floatv)(-0.693147182f), x));
    floatv p = (floatv)(1.0f / 5040.0f);
    p = fma(p, r, (floatv)(1.0f / 720.0f));
    p = fma(p, r, (floatv)(1.0f / 120.0f));
    p = fma(p, r, (floatv)(1.0f / 24.0f));
    p = fma(p, r, (floatv)(1.0f / 6.0f));
    p = fma(p, r, (floatv)(0.5f));
    p = fma(p, r, (floatv)(1.0f));
    p = fma(p, r, (floatv)(1.0f));
    const intv bits = (VEC_JOIN(as_int, VEC, )(shifted) << 23) + (127 << 23);
    return select(p * VEC_JOIN(as_float, VEC, )(bits), (floatv)(0.0f), x < -87.3f);
}

// Over the lanes, by a tree. A NaN is passed over by vec_max().
#define VEC_LARGER(a, b) ((a) > (b) ? (a) : (b))
static inline float vec_sum(floatv x)
{
#if VEC == 16
    const float8 y = x.lo + x.hi;
    const float4 z = y.lo + y.hi;
    const float2 pair = z.lo + z.hi;
#elif VEC == 8
    const float4 z = x.lo + x.hi;
    const float2 pair = z.lo + z.hi;
#elif VEC == 4
    const float2 pair = x.lo + x.hi;
#else
    const float2 pair = x;
#endif
    return pair.x + pair.y;
}

static inline float vec_max(floatv x)
{
#if VEC == 16
    const float8 y = VEC_LARGER(x.lo, x.hi);
    const float4 z = VEC_LARGER(y.lo, y.hi);
    const float2 pair = VEC_LARGER(z.lo, z.hi);
#elif VEC == 8
    const float4 z = VEC_LARGER(x.lo, x.hi);
    const float2 pair = VEC_LARGER(z.lo, z.hi);
#elif VEC == 4
    const float2 pair = VEC_LARGER(x.lo, x.hi);
#else
    const float2 pair = x;
#endif
    return VEC_LARGER(pair.x, pair.y);
}

#endif
