// SPDX-License-Identifier: Apache-2.0
// PTX: accesses to global memory that say what the caches should do with the line.
//
//   nv_load_streaming(p), nv_store_streaming(p, x)   16 bytes that are not read again soon: the first to be evicted
//   nv_load_streaming_or(p, is_there, other)         four words `other` without an access where !is_there
//   nv_load_N_or_0(p, is_wanted)                     N bytes that no work-item of the kernel writes; 0, and no access,
//                                                    where is_wanted is 0
//   nv_load_N_once_or_0(p, is_wanted)                the same: L1 does not keep them, L2 fetches 128 bytes
//   nv_prefetch_l2(p)
//
// No branches: the loads stay where they stand and run together. Addresses are aligned to the size of the access.
// Empty unless an option says that the device takes inline PTX: CACHE_HINTS, MMA=1 or RETARGET.
#ifndef CLH_NV_GLOBAL_H
#define CLH_NV_GLOBAL_H

#include "clh/always_inline.h"
#include "clh/nv/nv_opaque.h"

#if (defined(CACHE_HINTS) && CACHE_HINTS) || (defined(MMA) && MMA == 1) || (defined(RETARGET) && RETARGET)

ALWAYS_INLINE uint4 nv_load_streaming(__global const void *p)
{
    uint4 x;
    __asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x.s0), "=r"(x.s1), "=r"(x.s2), "=r"(x.s3)
                   : "l"(p)
                   : "memory");
    return x;
}

ALWAYS_INLINE uint4 nv_load_streaming_or(__global const void *p, uint is_there, uint other)
{
    uint4 x;
    __asm volatile("{ .reg .pred there; setp.ne.u32 there, %5, 0;\n"
                   "mov.u32 %0, %6; mov.u32 %1, %6; mov.u32 %2, %6; mov.u32 %3, %6;\n"
                   "@there ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                   : "=&r"(x.s0), "=&r"(x.s1), "=&r"(x.s2), "=&r"(x.s3)
                   : "l"(p), "r"(is_there), "r"(other)
                   : "memory");
    return x;
}

ALWAYS_INLINE void nv_store_streaming(__global void *p, uint4 x)
{
    __asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(p), "r"(x.s0), "r"(x.s1), "r"(x.s2), "r"(x.s3)
                   : "memory");
}

#define NV_LOAD_ONCE "ld.global.nc.L1::no_allocate.L2::128B"
#define NV_LOAD_16_OR_0(load, x, p, is_wanted) \
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %5, 0;\n\t" \
                   "mov.u32 %0, 0;\n\tmov.u32 %1, 0;\n\tmov.u32 %2, 0;\n\tmov.u32 %3, 0;\n\t" \
                   "@q " load ".v4.u32 {%0, %1, %2, %3}, [%4];\n\t}" \
                   : "=&r"(x.s0), "=&r"(x.s1), "=&r"(x.s2), "=&r"(x.s3) \
                   : "l"(p), "r"(is_wanted))
#define NV_LOAD_4_OR_0(load, x, p, is_wanted) \
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %2, 0;\n\tmov.u32 %0, 0;\n\t" \
                   "@q " load ".u32 %0, [%1];\n\t}" \
                   : "=&r"(x) \
                   : "l"(p), "r"(is_wanted))

ALWAYS_INLINE uint4 nv_load_16_or_0(__global const void *p, uint is_wanted)
{
    uint4 x;
    NV_LOAD_16_OR_0("ld.global.nc", x, p, is_wanted);
    return x;
}

ALWAYS_INLINE uint4 nv_load_16_once_or_0(__global const void *p, uint is_wanted)
{
    uint4 x;
    NV_LOAD_16_OR_0(NV_LOAD_ONCE, x, p, is_wanted);
    return x;
}

ALWAYS_INLINE uint2 nv_load_8_once_or_0(__global const void *p, uint is_wanted)
{
    uint2 x;
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %3, 0;\n\t"
                   "mov.u32 %0, 0;\n\tmov.u32 %1, 0;\n\t"
                   "@q " NV_LOAD_ONCE ".v2.u32 {%0, %1}, [%2];\n\t}"
                   : "=&r"(x.s0), "=&r"(x.s1)
                   : "l"(p), "r"(is_wanted));
    return x;
}

ALWAYS_INLINE uint nv_load_4_or_0(__global const void *p, uint is_wanted)
{
    uint x;
    NV_LOAD_4_OR_0("ld.global.nc", x, p, is_wanted);
    return x;
}

ALWAYS_INLINE uint nv_load_4_once_or_0(__global const void *p, uint is_wanted)
{
    uint x;
    NV_LOAD_4_OR_0(NV_LOAD_ONCE, x, p, is_wanted);
    return x;
}

ALWAYS_INLINE uint nv_load_2_or_0(__global const void *p, uint is_wanted)
{
    ushort x;
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %2, 0;\n\tmov.u16 %0, 0;\n\t"
                   "@q ld.global.nc.u16 %0, [%1];\n\t}"
                   : "=&h"(x)
                   : "l"(p), "r"(is_wanted));
    return x;
}

ALWAYS_INLINE void nv_prefetch_l2(__global const void *p)
{
    __asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
}

#endif

#endif
