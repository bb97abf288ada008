// SPDX-License-Identifier: Apache-2.0
// Self-test of sums of four products of 8-bit integers.
//
//   y   [64, 4]: x[i, 0] times x[i, 1] plus x[i, 2], each pair taken as ss, su, us, uu
//   x   [64, 3] of type uint
// Grid: x = 64. Numerics: exact. -D: INT_DOT.
#include "clh/int_dot.h"

__kernel void int_dots(__global int *y, __global const uint *x)
{
    const int i = (int)get_global_id(0);
    const uint a = x[3 * i], b = x[3 * i + 1];
    const int sum = (int)x[3 * i + 2];
    y[4 * i] = dot4_ss(a, b, sum);
    y[4 * i + 1] = dot4_su(a, b, sum);
    y[4 * i + 2] = dot4_us(a, b, sum);
    y[4 * i + 3] = dot4_uu(a, b, sum);
}
