// SPDX-License-Identifier: Apache-2.0
// Self-test of exchanges between neighbouring work-items: sums and maxima over rows of 2 to 256 work-items.
//
//   y   [256, 16]: for row_items = 2, 4 … 256 the sum of x, then the maxima likewise
//   x   [256]
// Grid: x = 256, in one group. Numerics: exact (small integers). -D: LANE_SHUFFLE.
#include "clh/lanes.h"

__kernel void lane_ops(__global float *y, __global const float *x)
{
    __local float scratch[256];
    const int i = (int)get_global_id(0);
    for (int k = 0; k < 8; ++k) {
        y[16 * i + k] = lanes_sum(x[i], scratch, 2 << k);
        y[16 * i + 8 + k] = lanes_max(x[i], scratch, 2 << k);
    }
}
