// SPDX-License-Identifier: Apache-2.0
// 16 bytes from any address: two loads of 16 bytes at multiples of 16, and what is wanted of them. The loads are apart,
// so that they may be in flight while others are used.
//
//     unaligned_t x;
//     load_unaligned(&x, from, nbytes);                // nbytes, 1 at least, exist from there on
//     uint4 bytes = unaligned_bytes(&x, from);         // the first min(nbytes, 16), then anything
//     bytes = unaligned_part(low, high, skip);         // the same of two vectors that are there already
//
// -D: WIDE_LOADS: 1: blocks of 16 bytes that hold one byte of a tensor may be read whole; 0: bytes are read one by one.
// Not given: ASYNC_COPY, for devices with asynchronous copies read so.
#ifndef CLH_UNALIGNED_H
#define CLH_UNALIGNED_H

#ifndef WIDE_LOADS
#ifndef ASYNC_COPY
#error "clh/unaligned.h needs WIDE_LOADS or ASYNC_COPY"
#endif
#define WIDE_LOADS ASYNC_COPY
#endif

#include "clh/always_inline.h"

typedef struct {
    uint4 low, high;
} unaligned_t;

// By way of a pointer: Oclgrind knows no inlined function that returns a struct.
ALWAYS_INLINE void load_unaligned(unaligned_t *x, __global const uchar *from, int nbytes)
{
#if WIDE_LOADS
    const int skip = (int)((ulong)from & 15);
    __global const uint4 *vecs = (__global const uint4 *)(from - skip);
    x->low = vecs[0];
    x->high = skip != 0 && skip + nbytes > 16 ? vecs[1] : (uint4)(0);
#else
    uint words[4] = {0, 0, 0, 0};
    for (int b = 0; b < min(nbytes, 16); ++b) words[b / 4] |= (uint)from[b] << (b % 4 * 8);
    x->low = (uint4)(words[0], words[1], words[2], words[3]);
    x->high = (uint4)(0);
#endif
}

// The 16 bytes from byte `skip` (0 to 15) of `low` on, which `high` follows.
ALWAYS_INLINE uint4 unaligned_part(uint4 low, uint4 high, uint skip)
{
    // By 8 bytes, by 4, by what is left: no array with an index that is known at run time alone.
    const uint shift = (skip & 3) * 8;
    const bool by_8 = skip & 8, by_4 = skip & 4;
    const uint a0 = by_8 ? low.z : low.x, a1 = by_8 ? low.w : low.y, a2 = by_8 ? high.x : low.z;
    const uint a3 = by_8 ? high.y : low.w, a4 = by_8 ? high.z : high.x, a5 = by_8 ? high.w : high.y;
    const uint b0 = by_4 ? a1 : a0, b1 = by_4 ? a2 : a1, b2 = by_4 ? a3 : a2, b3 = by_4 ? a4 : a3;
    const uint b4 = by_4 ? a5 : a4;
    return (uint4)((uint)(((ulong)b1 << 32 | b0) >> shift), (uint)(((ulong)b2 << 32 | b1) >> shift),
            (uint)(((ulong)b3 << 32 | b2) >> shift), (uint)(((ulong)b4 << 32 | b3) >> shift));
}

// `from`: as at the load, or any address with the same rest by 16.
ALWAYS_INLINE uint4 unaligned_bytes(const unaligned_t *x, __global const uchar *from)
{
#if WIDE_LOADS
    return unaligned_part(x->low, x->high, (uint)(ulong)from & 15);
#else
    return x->low;
#endif
}

#endif
