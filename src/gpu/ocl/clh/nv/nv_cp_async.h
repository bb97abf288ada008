// SPDX-License-Identifier: Apache-2.0
// PTX: addresses in shared memory (32 bits), stores to them, and asynchronous copies from global memory to them (cp.async,
// compute capability 8.0). Both sides of a copy are aligned to its size.
//
//   nv_cp_async_N_zfill(to, from, bytes)   copies the first `bytes` of N and fills the rest with zeros; with 0, `from` is
//                                          not read
//   nv_cp_async_16, _16_zfill              by way of L2 only;  _16_l1, _16_l1_zfill: L1 keeps the line, too
//   nv_cp_async_commit()                   the copies since the last commit are one batch
//   nv_cp_async_wait(n)                    until at most n batches, a constant of 0 to 3, are on their way
//
// Empty unless -DASYNC_COPY=1 or -DRETARGET=1.
#ifndef CLH_NV_CP_ASYNC_H
#define CLH_NV_CP_ASYNC_H

#include "clh/always_inline.h"

#if (defined(ASYNC_COPY) && ASYNC_COPY) || (defined(RETARGET) && RETARGET)

ALWAYS_INLINE uint nv_shared_address(__local const void *p)
{
    uint address;
    __asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
                   : "=r"(address)
                   : "l"(p));
    return address;
}

ALWAYS_INLINE void nv_store_shared_16(uint to, uint4 x)
{
    __asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                   :
                   : "r"(to), "r"(x.s0), "r"(x.s1), "r"(x.s2), "r"(x.s3)
                   : "memory");
}

ALWAYS_INLINE void nv_cp_async_4(uint to, __global const void *from)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(from) : "memory");
}

ALWAYS_INLINE void nv_cp_async_4_zfill(uint to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

ALWAYS_INLINE void nv_cp_async_8_zfill(uint to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

ALWAYS_INLINE void nv_cp_async_16(uint to, __global const void *from)
{
    __asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

ALWAYS_INLINE void nv_cp_async_16_l1(uint to, __global const void *from)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

ALWAYS_INLINE void nv_cp_async_16_zfill(uint to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

ALWAYS_INLINE void nv_cp_async_16_l1_zfill(uint to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

ALWAYS_INLINE void nv_cp_async_commit(void)
{
    __asm volatile("cp.async.commit_group;" : : : "memory");
}

ALWAYS_INLINE void nv_cp_async_wait(const int n)
{
    if (n == 0) {
        __asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else if (n == 1) {
        __asm volatile("cp.async.wait_group 1;" : : : "memory");
    } else if (n == 2) {
        __asm volatile("cp.async.wait_group 2;" : : : "memory");
    } else {
        __asm volatile("cp.async.wait_group 3;" : : : "memory");
    }
}

// Of copies that no batch holds, too.
ALWAYS_INLINE void nv_cp_async_wait_all(void)
{
    __asm volatile("cp.async.wait_all;" : : : "memory");
}

#endif

#endif
