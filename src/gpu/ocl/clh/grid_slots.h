// SPDX-License-Identifier: Apache-2.0
// Words of global memory that work-groups of one kernel read and write while others do.
//
//   slot_write(p, x), slot_write2(p, x)   a word, two words: each is seen whole
//   slot_read(p), slot_read2(p)
//   grid_fence()       what was written before a slot is seen by whoever reads that slot and fences as well
//   grid_fence_all()   also: of two groups that each write a slot, fence and read the other's, one sees the other's
//
// -D: RELAXED_ATOMICS: 1: relaxed accesses at the scope of the device (clh/nv/nv_atomic.h), where groups are known to
// wait for each other (OCL_FEATURE_GROUP_WAIT); 0: the atomics of OpenCL C 1.2, on processors, which order their memory
// by themselves.
#ifndef CLH_GRID_SLOTS_H
#define CLH_GRID_SLOTS_H

#ifndef RELAXED_ATOMICS
#error "clh/grid_slots.h needs RELAXED_ATOMICS"
#endif

#include "clh/nv/nv_atomic.h"

#if RELAXED_ATOMICS

#define slot_write nv_store_relaxed
#define slot_write2 nv_store_relaxed_2
#define slot_read nv_load_relaxed
#define slot_read2 nv_load_relaxed_2
#define grid_fence nv_fence_acq_rel
#define grid_fence_all nv_fence_sc

#else

static inline void slot_write(volatile __global uint *p, uint x)
{
    (void)atomic_xchg(p, x);
}

static inline void slot_write2(volatile __global uint *p, uint2 x)
{
    slot_write(p, x.s0);
    slot_write(p + 1, x.s1);
}

static inline uint slot_read(volatile __global uint *p)
{
    return atomic_add(p, 0u);
}

static inline uint2 slot_read2(volatile __global uint *p)
{
    return (uint2)(slot_read(p), slot_read(p + 1));
}

static inline void grid_fence(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// Atomics themselves are in one order here.
#define grid_fence_all grid_fence

#endif

#endif
