// SPDX-License-Identifier: Apache-2.0
// An operand of a post-op, or dst before a sum, whose elements lie where those of dst do (PO_BESIDE_DST of
// clh/post_ops.h), for kernels whose work-items hold a tile's sums in registers, as the matrix units leave them.
//
//     beside_eight(from, n)        16 bytes: eight neighbours of 16 bits, of which n exist; none behind is read
//     beside_half(word, is_upper)  the value of the lower or upper half of a word
#ifndef CLH_BESIDE_H
#define CLH_BESIDE_H

#include "clh/always_inline.h"
#include "clh/post_ops.h"

ALWAYS_INLINE uint4 beside_eight(__global const ushort *from, int n)
{
    if (n >= 8 && ((ulong)from & 15) == 0) return *(__global const uint4 *)from;
    uint4 x = 0;
#pragma unroll 1
    for (int e = min(n, 8) - 1; e >= 0; --e)
        x = (uint4)(x.s0 << 16 | from[e], x.s1 << 16 | x.s0 >> 16, x.s2 << 16 | x.s1 >> 16, x.s3 << 16 | x.s2 >> 16);
    return x;
}

ALWAYS_INLINE float beside_half(uint word, int is_upper)
{
#if PO_BESIDE_DST && PO_BESIDE_DT == DT_BF16
    return as_float(is_upper ? word & 0xffff0000u : word << 16);
#else
    const ushort bits = (ushort)(is_upper ? word >> 16 : word);
    return vload_half(0, (const half *)&bits);
#endif
}

#endif
