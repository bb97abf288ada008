// SPDX-License-Identifier: Apache-2.0
// Values that the compiler does not recognise any more: an empty PTX statement may have changed them. It costs no
// instruction, and what was computed from the value before is computed again instead of kept in registers.
//
//   NV_OPAQUE_32(x), NV_OPAQUE_64(x)   x: a variable of 32 bits; of 64, or a pointer to global memory
//   nv_opaque_16(x)                    the four words of a vector
//   nv_keep_4(x)                       the four words of x stay in their registers up to here
//
// Empty unless an option says that the device takes inline PTX: ASYNC_COPY, CACHE_HINTS or RETARGET.
#ifndef CLH_NV_OPAQUE_H
#define CLH_NV_OPAQUE_H

#include "clh/always_inline.h"

#if (defined(ASYNC_COPY) && ASYNC_COPY) || (defined(CACHE_HINTS) && CACHE_HINTS) || \
        (defined(RETARGET) && RETARGET)

#define NV_OPAQUE_32(x) __asm volatile("" : "+r"(x))
#define NV_OPAQUE_64(x) __asm volatile("" : "+l"(x))

ALWAYS_INLINE uint4 nv_opaque_16(uint4 x)
{
    __asm volatile("" : "+r"(x.s0), "+r"(x.s1), "+r"(x.s2), "+r"(x.s3));
    return x;
}

ALWAYS_INLINE void nv_keep_4(const uint *x)
{
    __asm volatile("" : : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
}

#endif

#endif
