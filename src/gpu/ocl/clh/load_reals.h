// SPDX-License-Identifier: Apache-2.0
// Loads of REAL_WIDTH > 1 neighbours of any type as floats:
//
//     load_reals(p, i, dt)                      elements i … i + REAL_WIDTH − 1, at a multiple of a vector's size
//     load_reals_part(p, i, stride, count, dt)  `count` ≥ 1 elements, `stride` apart, anywhere; behind them the last again
//
// No branches: several loads are in flight.
#ifndef CLH_LOAD_REALS_H
#define CLH_LOAD_REALS_H

#include "clh/always_inline.h"
#include "clh/io_vec.h"

#if REAL_WIDTH > 1

#define LOAD_WHOLE(T, name, p) VEC_NAME(load, REAL_WIDTH, name)(AS_ALIGNED(T, REAL_WIDTH, p), 0)

ALWAYS_INLINE real_t load_reals(__global const void *p, long i, int dt)
{
    switch (dt) {
    case DT_F32: return LOAD_WHOLE(float, _f32, (__global const float *)p + i);
    case DT_F16: return LOAD_WHOLE(f16_t, _f16, (__global const f16_t *)p + i);
    case DT_BF16: return LOAD_WHOLE(bf16_t, _bf16, (__global const bf16_t *)p + i);
    case DT_S32: return LOAD_WHOLE(int, _s32, (__global const int *)p + i);
    case DT_S8: return LOAD_WHOLE(char, _s8, (__global const char *)p + i);
    case DT_U8: return LOAD_WHOLE(uchar, _u8, (__global const uchar *)p + i);
    default: return 0.0f;
    }
}

ALWAYS_INLINE real_t load_reals_part(__global const void *p, long i, long stride, int count, int dt)
{
    real_t values;
#pragma unroll
    for (int e = 0; e < REAL_WIDTH; ++e) ((float *)&values)[e] = load_any(p, i + min(e, count - 1) * stride, dt);
    return values;
}

#endif

#endif
