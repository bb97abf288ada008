// SPDX-License-Identifier: Apache-2.0
// Self-test of maxima of pairs of 16 bits.
//
//   y   [256, 2]: maxima of neighbours as signed pairs, as unsigned ones
//   x   [257]
// Grid: x = 256. Numerics: exact. -D: PACKED_MAX.
#if !PACKED_MAX
#error "ocl_selftest_packed_max.cl needs PACKED_MAX=1"
#endif

#include "clh/nv/nv_arith.h"

__kernel void packed_ops(__global uint *y, __global const uint *x)
{
    const int i = (int)get_global_id(0);
    y[2 * i] = nv_max_s16x2(x[i], x[i + 1]);
    y[2 * i + 1] = nv_max_u16x2(x[i], x[i + 1]);
}
