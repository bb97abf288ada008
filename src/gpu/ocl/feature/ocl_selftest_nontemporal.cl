// SPDX-License-Identifier: Apache-2.0
// Self-test of non-temporal stores, as the vector stores of clh/io_vec.h use them:
// each length, a narrower type, and addresses that are not aligned. Prefetches lines of x and beyond.
//
//   y   [6, 1024]: x as vectors of 16, 8, 4; of 16 from element 1 on (0 … 1022 of x there); of 16
//       sums with what another item of the group has stored; x as f16, bf16, s8 and u8, 1024
//       elements each in the words of a row and half a row
//   x   [1024], small integers ≥ 0
// Grid: x = 64, in one group. Numerics: exact. -D: NONTEMPORAL.
#include "clh/io_vec.h"

#define N 1024

__kernel void nontemporal_stores(__global float *y, __global const float *x)
{
    const int i = (int)get_global_id(0), other = 63 - i;
    PREFETCH_LINE(x + 64 * i);
    const float16 v = load16_f32(x, 16 * i);
    __global f16_t *halves = (__global f16_t *)(y + 5 * N);
    store16_f32(y, 16 * i, v);
    store8_f32(y + N, 16 * i, v.lo);
    store8_f32(y + N, 16 * i + 8, v.hi);
    store4_f32(y + 2 * N, 16 * i, v.lo.lo);
    store4_f32(y + 2 * N, 16 * i + 4, v.lo.hi);
    store4_f32(y + 2 * N, 16 * i + 8, v.hi.lo);
    store4_f32(y + 2 * N, 16 * i + 12, v.hi.hi);
    if (i < 63) store16_f32(y + 3 * N + 1, 16 * i, v);
    store16_f16(halves, 16 * i, v);
    store16_bf16(halves + N, 16 * i, v);
    store16_s8((__global char *)(halves + 2 * N), 16 * i, v);
    store16_u8((__global uchar *)(halves + 2 * N) + N, 16 * i, v);
    barrier(CLK_GLOBAL_MEM_FENCE);
    store16_f32(y + 4 * N, 16 * i, v + load16_f32(y, 16 * other));
}
