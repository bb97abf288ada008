// SPDX-License-Identifier: Apache-2.0
// Self-test of arithmetic on half: scalars, vectors, comparison, conversion.
//
//   y   [64, 8] results of type half: sum, product, fma, quotient, maximum, from float, and two of
//       vectors
//   x   [65] of type half
// Grid: x = 64, in one group. Numerics: exact, the host chooses the values so. -D: none.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void half_ops(__global half *y, __global const half *x)
{
    const int i = (int)get_global_id(0);
    const half a = x[i], b = x[i + 1], two = (half)2.0f;
    const half4 v = (half4)(a, b, two, (half)1.0f);
    const half4 w = v * v.yxwz;
    __global half *to = y + 8 * i;
    to[0] = a + b;
    to[1] = a * b;
    to[2] = fma(a, two, b);
    to[3] = a / two;
    to[4] = a > b ? a : b;
    to[5] = convert_half(0.25f * convert_float(b));
    to[6] = w.x + w.z;
    to[7] = max(w, v).y;
}
