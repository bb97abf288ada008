// SPDX-License-Identifier: Apache-2.0
// Self-test of maxima of pairs of 16 bits.
//
//   y   [256, 2]: maxima of neighbours as signed pairs, as unsigned ones
//   x   [257]
// Grid: x = 256. Numerics: exact. -D: PACKED_MAX.
__kernel void packed_ops(__global uint *y, __global const uint *x)
{
    const int i = (int)get_global_id(0);
    uint both;
    __asm("max.s16x2 %0, %1, %2;" : "=r"(both) : "r"(x[i]), "r"(x[i + 1]));
    y[2 * i] = both;
    __asm("max.u16x2 %0, %1, %2;" : "=r"(both) : "r"(x[i]), "r"(x[i + 1]));
    y[2 * i + 1] = both;
}
