// SPDX-License-Identifier: Apache-2.0
// Self-test of the approximate exponential of base 2.
//
//   y   [256]: 2^x
//   x   [256]
// Grid: x = 256. Numerics: f32, approximate. -D: FAST_EXP2.
#if !defined(FAST_EXP2) || !FAST_EXP2
#error "ocl_selftest_fast_exp2 needs FAST_EXP2=1"
#endif

#include "clh/nv/nv_arith.h"

__kernel void fast_powers(__global float *y, __global const float *x)
{
    y[get_global_id(0)] = nv_ex2(x[get_global_id(0)]);
}
