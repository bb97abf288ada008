// SPDX-License-Identifier: Apache-2.0
// PTX: pairs of floats as words of 16 bits each (8.0).
//
//   nv_cvt_f16x2, nv_cvt_bf16x2(low, high)   rounded to nearest even, `low` in the low half; NaN stays NaN
//
// Empty, with NV_PACKS 0, unless an option says that the device takes them: PACKED_BF16, PACKED_MAX, RETARGET or MMA.
#ifndef CLH_NV_PACK_H
#define CLH_NV_PACK_H

#include "clh/always_inline.h"

#if (defined(PACKED_BF16) && PACKED_BF16) || (defined(PACKED_MAX) && PACKED_MAX) || \
        (defined(RETARGET) && RETARGET) || (defined(MMA) && MMA == 1)
#define NV_PACKS 1

ALWAYS_INLINE uint nv_cvt_f16x2(float low, float high)
{
    uint bits;
    __asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
}

ALWAYS_INLINE uint nv_cvt_bf16x2(float low, float high)
{
    uint bits;
    __asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
}

#else
#define NV_PACKS 0
#endif

#endif
