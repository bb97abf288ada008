// SPDX-License-Identifier: Apache-2.0
// PTX arithmetic that OpenCL C 1.2 has no function for.
//
//   nv_dp4a_XY(a, b, sum)        sum + a0·b0 + … + a3·b3 of bytes, X, Y: s or u, whether a and b are signed (6.1)
//   nv_max_s16x2, nv_max_u16x2   maxima of pairs of 16 bits (9.0)
//   nv_max_f16x2, nv_min_f16x2, nv_max_bf16x2, nv_min_bf16x2   of such floats; a NaN on either side is the result (8.0)
//   nv_equal_f16x2(a, b)         all ones in halves that are equal as numbers (8.0)
//   nv_add_f16x2, nv_add_bf16x2  sums of pairs, rounded to nearest even (8.0)
//   nv_bytes_01(x), nv_bytes_23(x)   two bytes of x as a pair of 16 bits
//   nv_ex2(x)                    2^x, off by 2 ulp at most; results below the normal numbers are 0
//
// Empty unless an option says that the device takes them: INT_DOT=2, PACKED_MAX or FAST_EXP2.
#ifndef CLH_NV_ARITH_H
#define CLH_NV_ARITH_H

#include "clh/always_inline.h"

#if (defined(INT_DOT) && INT_DOT == 2) || (defined(PACKED_MAX) && PACKED_MAX) || \
        (defined(FAST_EXP2) && FAST_EXP2)

ALWAYS_INLINE int nv_dp4a_ss(uint a, uint b, int sum)
{
    int to;
    __asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(sum));
    return to;
}

ALWAYS_INLINE int nv_dp4a_su(uint a, uint b, int sum)
{
    int to;
    __asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(sum));
    return to;
}

ALWAYS_INLINE int nv_dp4a_us(uint a, uint b, int sum)
{
    int to;
    __asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(sum));
    return to;
}

ALWAYS_INLINE int nv_dp4a_uu(uint a, uint b, int sum)
{
    int to;
    __asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(sum));
    return to;
}

ALWAYS_INLINE uint nv_max_s16x2(uint a, uint b)
{
    uint y;
    __asm("max.s16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_max_u16x2(uint a, uint b)
{
    uint y;
    __asm("max.u16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_max_f16x2(uint a, uint b)
{
    uint y;
    __asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_min_f16x2(uint a, uint b)
{
    uint y;
    __asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_max_bf16x2(uint a, uint b)
{
    uint y;
    __asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_min_bf16x2(uint a, uint b)
{
    uint y;
    __asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_equal_f16x2(uint a, uint b)
{
    uint y;
    __asm("set.eq.u32.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_add_f16x2(uint a, uint b)
{
    uint y;
    __asm("add.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

// By a product with 1, for which there is an instruction of 8.0.
ALWAYS_INLINE uint nv_add_bf16x2(uint a, uint b)
{
    uint y;
    __asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(0x3f803f80u), "r"(b));
    return y;
}

ALWAYS_INLINE uint nv_bytes_01(uint x)
{
    uint y;
    __asm("prmt.b32 %0, %1, 0, 0x4140;" : "=r"(y) : "r"(x));
    return y;
}

ALWAYS_INLINE uint nv_bytes_23(uint x)
{
    uint y;
    __asm("prmt.b32 %0, %1, 0, 0x4342;" : "=r"(y) : "r"(x));
    return y;
}

ALWAYS_INLINE float nv_ex2(float x)
{
    float y;
    __asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#endif

#endif
