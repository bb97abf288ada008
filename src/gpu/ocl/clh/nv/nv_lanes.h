// SPDX-License-Identifier: Apache-2.0
// PTX between the 32 work-items of a warp, all of which call, and barriers of a part of the work-group (7.0).
//
//   nv_shuffle_xor(x, mask)           x of the work-item whose index differs in the bits of `mask` < 32
//   nv_all(x)                         whether x is true for every work-item of the warp
//   nv_warp_barrier()                 the warp's accesses to memory before it are seen after it
//   NV_PART_BARRIER(number, nitems)   the same of `nitems` work-items, whole warps; two literals. Barrier 0 is the
//                                     work-group's
//
// Empty unless -DLANE_SHUFFLE=1 or -DRETARGET=1.
#ifndef CLH_NV_LANES_H
#define CLH_NV_LANES_H

#include "clh/always_inline.h"

#if (defined(LANE_SHUFFLE) && LANE_SHUFFLE) || (defined(RETARGET) && RETARGET)

ALWAYS_INLINE uint nv_shuffle_xor(uint x, int mask)
{
    uint y;
    __asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(y) : "r"(x), "r"(mask));
    return y;
}

ALWAYS_INLINE bool nv_all(bool x)
{
    uint y;
    __asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
                   "vote.sync.all.pred p, p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                   : "=r"(y)
                   : "r"((uint)x));
    return y != 0u;
}

ALWAYS_INLINE void nv_warp_barrier(void)
{
    __asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

#define NV_PART_BARRIER(number, nitems) \
    __asm volatile("bar.sync %0, %1;" : : "n"(number), "n"(nitems) : "memory")

#endif

#endif
