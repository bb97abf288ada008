// SPDX-License-Identifier: Apache-2.0
// prefetch_l2(p): asks the L2 cache for the line of an address; elsewhere what OpenCL's prefetch() does.
// -D: RETARGET, 1 where the device takes inline PTX for 9.0.
#ifndef CLH_PREFETCH_L2_H
#define CLH_PREFETCH_L2_H

#include "clh/always_inline.h"
#include "clh/nv/nv_global.h"

#if RETARGET
#define prefetch_l2 nv_prefetch_l2
#else
ALWAYS_INLINE void prefetch_l2(__global const void *from)
{
    prefetch((__global const uchar *)from, 1);
}
#endif

#endif
