// SPDX-License-Identifier: Apache-2.0
// Copies of operands in scratch memory, which starts anywhere: they begin at a multiple of 128 bytes, as
// asynchronous copies and tensor maps want them.
#ifndef CLH_PACKED_START_H
#define CLH_PACKED_START_H

#include "clh/always_inline.h"

// Elements from p to the first such place.
ALWAYS_INLINE ulong packed_shift(__global const ushort *p)
{
    return (-(ulong)p & 127) / 2;
}

// From the first such place of a region on, which is 127 bytes longer than the copy.
ALWAYS_INLINE __global ushort *packed_start(__global ushort *p)
{
    return p + packed_shift(p);
}

#endif
