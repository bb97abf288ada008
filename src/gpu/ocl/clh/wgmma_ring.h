// SPDX-License-Identifier: Apache-2.0
// A ring of stages in local memory that some items of a group fill with copies of 16 bytes
// (clh/async_copy.h) while others multiply what is full (clh/wgmma.h). Each stage has two barriers of
// 8 bytes: `full` counts one arrival of every item that fills, `empty` one of every warp that
// multiplies.
//
//     filling:      ring_wait_empty(empty, phase ^ 1);  copy_16_part() …;  ring_fill(full);
//     multiplying:  ring_wait(full, phase);  ring_see();  wgmma …;  lane 0, done: ring_arrive(empty);
//
// The phase is 0 on the first way round and turns on each. -DRETARGET=0, as in clh/wgmma.h: all items
// of a group fill a stage, wait together in ring_wait() and multiply it; nobody counts. Stages are at
// least two, so that who fills the next one has passed the barrier after this one was multiplied.
#ifndef CLH_WGMMA_RING_H
#define CLH_WGMMA_RING_H

#if RETARGET

static inline void ring_init(uint barrier, uint narrivals)
{
    __asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                   :
                   : "r"(barrier), "r"(narrivals)
                   : "memory");
}

// After the last ring_init(), before the barrier of the group.
static inline void ring_publish(void)
{
    __asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;"
                   :
                   :
                   : "memory");
}

// False where it does not come to pass: nothing must hang the device.
static inline bool ring_wait(uint barrier, uint phase)
{
    return wgmma_barrier_wait(barrier, phase);
}

static inline void ring_wait_empty(uint barrier, uint phase)
{
    (void)wgmma_barrier_wait(barrier, phase);
}

// Arrives once the copies that this item has started are done.
static inline void ring_fill(uint barrier)
{
    __asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
                   :
                   : "r"(barrier)
                   : "memory");
}

// Arrives now; what the item stored itself is there.
static inline void ring_arrive(uint barrier)
{
    __asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// Between waiting for a full stage and multiplying it: wgmma reads past the path of the stores.
static inline void ring_see(void)
{
    __asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

// Items 0 … nitems − 1 of a part of the group wait for each other; barrier 0 is the group's.
#define RING_PART_BARRIER(number, nitems) \
    __asm volatile("bar.sync %0, %1;" : : "n"(number), "n"(nitems) : "memory")

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
