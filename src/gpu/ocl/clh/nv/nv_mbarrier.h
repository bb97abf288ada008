// SPDX-License-Identifier: Apache-2.0
// PTX: barriers of 8 bytes in shared memory (mbarrier) that count arrivals of work-items and bytes of copies; places are
// addresses of nv_shared_address().
//
//   nv_mbarrier_init(place, n)         n arrivals complete a phase; one work-item, then
//   nv_mbarrier_publish()              before the work-group's barrier
//   nv_mbarrier_expect(place, bytes)   arrives, and the phase waits for so many bytes of tensor copies, too
//   nv_mbarrier_arrive(place)          arrives now
//   nv_mbarrier_arrive_copied(place)   arrives once the cp.async that this work-item has started are done
//   nv_mbarrier_wait(place, phase)     false if the phase does not complete: nothing may hang the device
//   nv_fence_proxy_async()             what work-items stored is seen by wgmma and by tensor copies
//   nv_fence_proxy_async_global()      the same of global memory
//
// Empty unless -DRETARGET=1.
#ifndef CLH_NV_MBARRIER_H
#define CLH_NV_MBARRIER_H

#include "clh/always_inline.h"

#if defined(RETARGET) && RETARGET

ALWAYS_INLINE void nv_mbarrier_init(uint place, uint narrivals)
{
    __asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(place), "r"(narrivals) : "memory");
}

ALWAYS_INLINE void nv_mbarrier_publish(void)
{
    __asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;"
                   :
                   :
                   : "memory");
}

ALWAYS_INLINE void nv_mbarrier_expect(uint place, uint bytes)
{
    __asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(place), "r"(bytes)
                   : "memory");
}

ALWAYS_INLINE void nv_mbarrier_arrive(uint place)
{
    __asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(place) : "memory");
}

ALWAYS_INLINE void nv_mbarrier_arrive_copied(uint place)
{
    __asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" : : "r"(place) : "memory");
}

static inline bool nv_mbarrier_wait(uint place, uint phase)
{
    for (int tries = 0; tries < 1 << 16; ++tries) {
        uint is_done;
        __asm volatile("{\n\t.reg .pred q;\n\t"
                       "mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2;\n\t"
                       "selp.u32 %0, 1, 0, q;\n\t}"
                       : "=r"(is_done)
                       : "r"(place), "r"(phase)
                       : "memory");
        if (is_done) return true;
    }
    return false;
}

ALWAYS_INLINE void nv_fence_proxy_async(void)
{
    __asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

ALWAYS_INLINE void nv_fence_proxy_async_global(void)
{
    __asm volatile("fence.proxy.async.global;" : : : "memory");
}

#endif

#endif
