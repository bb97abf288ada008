// SPDX-License-Identifier: Apache-2.0
// A ring of stages in local memory: producer work-items of a work-group fill them with copies of 16 bytes
// (clh/async_copy.h) while consumer warps multiply full ones (clh/wgmma.h). Each stage has two barriers of
// 8 bytes: `full` counts one arrival of every producer, `empty` one of every consumer warp.
//
//     producers:    ring_wait_empty(empty, phase ^ 1);  copy_16_part() …;  ring_fill(full);
//     consumers:    ring_wait(full, phase);  ring_see();  wgmma …;  lane 0, done: ring_arrive(empty);
//
// The phase is 0 on the first round and flips on each. -DRETARGET=0, as in clh/wgmma.h: all work-items
// of a work-group fill a stage, wait together in ring_wait() and multiply it; nothing is counted. There are at
// least two stages, so that whoever fills the next one has passed the barrier after this one was multiplied.
#ifndef CLH_WGMMA_RING_H
#define CLH_WGMMA_RING_H

#include "clh/nv/nv_lanes.h"
#include "clh/nv/nv_mbarrier.h"

#if RETARGET

#define ring_init nv_mbarrier_init

// After the last ring_init(), before the barrier of the group.
#define ring_publish nv_mbarrier_publish

// False where it does not come to pass: nothing must hang the device.
#define ring_wait nv_mbarrier_wait

static inline void ring_wait_empty(uint barrier, uint phase)
{
    (void)nv_mbarrier_wait(barrier, phase);
}

// Arrives once the copies that this work-item has started are done.
#define ring_fill nv_mbarrier_arrive_copied

// Arrives now; what the work-item stored itself is there.
#define ring_arrive nv_mbarrier_arrive

// Between waiting for a full stage and multiplying it: wgmma reads past the path of the stores.
#define ring_see nv_fence_proxy_async

// Work-items 0 … nitems − 1 of a part of the group wait for each other; barrier 0 is the group's.
#define RING_PART_BARRIER NV_PART_BARRIER

#else

static inline void ring_init(wgmma_place_t barrier, uint narrivals)
{
    (void)barrier;
    (void)narrivals;
}

static inline void ring_publish(void)
{
}

static inline bool ring_wait(wgmma_place_t place, uint phase)
{
    (void)place;
    (void)phase;
    barrier(CLK_LOCAL_MEM_FENCE);
    return true;
}

static inline void ring_wait_empty(wgmma_place_t barrier, uint phase)
{
    (void)barrier;
    (void)phase;
}

static inline void ring_fill(wgmma_place_t barrier)
{
    (void)barrier;
}

static inline void ring_arrive(wgmma_place_t barrier)
{
    (void)barrier;
}

static inline void ring_see(void)
{
}

#define RING_PART_BARRIER(number, nitems) barrier(CLK_LOCAL_MEM_FENCE)

#endif

#endif
