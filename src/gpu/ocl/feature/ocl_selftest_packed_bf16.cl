// SPDX-License-Identifier: Apache-2.0
// Self-test of conversions of pairs of floats to bf16.
//
//   y   [128] words: the even element in the low half
//   x   [256]
// Grid: x = 128. Numerics: to nearest even. -D: PACKED_BF16.
#if !defined(PACKED_BF16) || !PACKED_BF16
#error "ocl_selftest_packed_bf16 needs PACKED_BF16=1"
#endif

#include "clh/nv/nv_pack.h"

__kernel void pack_bf16(__global uint *y, __global const float *x)
{
    const int i = (int)get_global_id(0);
    y[i] = nv_cvt_bf16x2(x[2 * i], x[2 * i + 1]);
}
