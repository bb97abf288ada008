// SPDX-License-Identifier: Apache-2.0
// f32 values as f16 or bf16, rounded to nearest even; NaN stays NaN:
//
//     short_of(x, dt)                    dt: DT_F16 or DT_BF16
//     short_pair(low, high, is_bf16)     two in a word
#ifndef CLH_SHORT_PAIR_H
#define CLH_SHORT_PAIR_H

#include "clh/always_inline.h"
#include "clh/io.h"
#include "clh/nv/nv_pack.h"

static inline ushort short_of(float x, int dt)
{
    ushort bits;
    if (dt == DT_BF16)
        bits = bf16_from_f32(x);
    else
        vstore_half_rte(x, 0, (half *)&bits);
    return bits;
}

ALWAYS_INLINE uint short_pair(float low, float high, const bool is_bf16)
{
#if NV_PACKS
    return is_bf16 ? nv_cvt_bf16x2(low, high) : nv_cvt_f16x2(low, high);
#else
    const int dt = is_bf16 ? DT_BF16 : DT_F16;
    return short_of(low, dt) | (uint)short_of(high, dt) << 16;
#endif
}

#endif
