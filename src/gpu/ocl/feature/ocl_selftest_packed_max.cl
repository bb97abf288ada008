// SPDX-License-Identifier: Apache-2.0
// Self-test of arithmetic of pairs of 16 bits.
//
//   y   [256, 11]: maxima of neighbours as signed pairs, as unsigned ones, maxima and minima as f16, as bf16; where they
//       are equal as f16; their sums as f16, as bf16; two bytes of the first as a pair, the other two
//   x   [257]
// Grid: x = 256. Numerics: exact. -D: PACKED_MAX.
#if !PACKED_MAX
#error "ocl_selftest_packed_max.cl needs PACKED_MAX=1"
#endif

#include "clh/nv/nv_arith.h"

__kernel void packed_ops(__global uint *y, __global const uint *x)
{
    const int i = (int)get_global_id(0);
    const uint a = x[i], b = x[i + 1];
    __global uint *to = y + 11 * i;
    to[0] = nv_max_s16x2(a, b);
    to[1] = nv_max_u16x2(a, b);
    to[2] = nv_max_f16x2(a, b);
    to[3] = nv_min_f16x2(a, b);
    to[4] = nv_max_bf16x2(a, b);
    to[5] = nv_min_bf16x2(a, b);
    to[6] = nv_equal_f16x2(a, b);
    to[7] = nv_add_f16x2(a, b);
    to[8] = nv_add_bf16x2(a, b);
    to[9] = nv_bytes_01(a);
    to[10] = nv_bytes_23(a);
}
