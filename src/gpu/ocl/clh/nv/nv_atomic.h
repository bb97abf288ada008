// SPDX-License-Identifier: Apache-2.0
// PTX: relaxed loads and stores of global memory at the scope of the device, and its fences (7.0). PTX ISA, memory
// consistency model: every work-group sees such a store, whole or not at all for each word; they are in no order
// among each other.
//
// Empty unless -DRELAXED_ATOMICS=1.
#ifndef CLH_NV_ATOMIC_H
#define CLH_NV_ATOMIC_H

#include "clh/always_inline.h"

#if defined(RELAXED_ATOMICS) && RELAXED_ATOMICS

ALWAYS_INLINE void nv_store_relaxed(__global uint *p, uint x)
{
    __asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

ALWAYS_INLINE void nv_store_relaxed_2(__global uint *p, uint2 x)
{
    __asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};"
                   :
                   : "l"(p), "r"(x.s0), "r"(x.s1)
                   : "memory");
}

ALWAYS_INLINE uint nv_load_relaxed(__global uint *p)
{
    uint x;
    __asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

ALWAYS_INLINE uint2 nv_load_relaxed_2(__global uint *p)
{
    uint2 x;
    __asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                   : "=r"(x.s0), "=r"(x.s1)
                   : "l"(p)
                   : "memory");
    return x;
}

ALWAYS_INLINE void nv_fence_acq_rel(void)
{
    __asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

ALWAYS_INLINE void nv_fence_sc(void)
{
    __asm volatile("fence.sc.gpu;" : : : "memory");
}

#endif

#endif
