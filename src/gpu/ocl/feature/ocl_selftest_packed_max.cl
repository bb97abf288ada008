// SPDX-License-Identifier: Apache-2.0
// Self-test of maxima of pairs of 16 bits.
//
//   y   [256, 6]: maxima of neighbours as signed pairs, as unsigned ones, maxima and minima as f16, as bf16
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
    y[6 * i] = nv_max_s16x2(a, b);
    y[6 * i + 1] = nv_max_u16x2(a, b);
    y[6 * i + 2] = nv_max_f16x2(a, b);
    y[6 * i + 3] = nv_min_f16x2(a, b);
    y[6 * i + 4] = nv_max_bf16x2(a, b);
    y[6 * i + 5] = nv_min_bf16x2(a, b);
}
