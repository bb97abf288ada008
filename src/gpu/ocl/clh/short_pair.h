// SPDX-License-Identifier: Apache-2.0
// Two f32 values as f16 or bf16 in a word: short_pair(low, high, is_bf16). Rounds to nearest even; NaN stays NaN.
#ifndef CLH_SHORT_PAIR_H
#define CLH_SHORT_PAIR_H

#include "clh/always_inline.h"
#include "clh/nv/nv_pack.h"
#include "clh/io.h"

ALWAYS_INLINE uint short_pair(float low, float high, const bool is_bf16)
{
#if NV_PACKS
    return is_bf16 ? nv_cvt_bf16x2(low, high) : nv_cvt_f16x2(low, high);
#else
    ushort parts[2];
    if (is_bf16) {
        parts[0] = bf16_from_f32(low);
        parts[1] = bf16_from_f32(high);
    } else {
        vstore_half_rte(low, 0, (half *)parts);
        vstore_half_rte(high, 1, (half *)parts);
    }
    return parts[0] | (uint)parts[1] << 16;
#endif
}

#endif
