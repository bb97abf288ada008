// SPDX-License-Identifier: Apache-2.0
// Copies of 4, 8 or 16 bytes from global to local memory that run on while the item computes, for
// kernels that keep several tiles in flight:
//
//     copy_16(copy_place(tile), from);                 // … more of this tile
//     copy_close();                                    // what was started since is one batch
//     copy_wait(1);                                    // all but the last batch have arrived
//     barrier(CLK_LOCAL_MEM_FENCE);                    // those of the other items too
//
// Places are counted in bytes; both sides are aligned to the size of the copy. -DASYNC_COPY: 1 where
// the device has such copies (ocl_feature.h), 0: each copy is a load and a store, right everywhere;
// COPY_16_KEEPS: 1: copies of 16 bytes go through the first-level cache, for tiles that other groups
// of the compute unit read soon.
#ifndef CLH_ASYNC_COPY_H
#define CLH_ASYNC_COPY_H

#if !defined(ASYNC_COPY) || !defined(COPY_16_KEEPS)
#error "clh/async_copy.h needs ASYNC_COPY, COPY_16_KEEPS"
#endif

#if ASYNC_COPY

// The 32-bit address that these instructions take.
typedef uint copy_place_t;

static inline copy_place_t copy_place(__local const void *p)
{
    uint place;
    __asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
                   : "=r"(place)
                   : "l"(p));
    return place;
}

static inline void copy_4(copy_place_t to, __global const void *from)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(from) : "memory");
}

// Copies `bytes` (0 to 4) and fills the rest with zeros; with 0, `from` is not looked at.
static inline void copy_4_part(copy_place_t to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

// The same with 0 to 8 bytes.
static inline void copy_8_part(copy_place_t to, __global const void *from, uint bytes)
{
    __asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

// The same with 0 to 16 bytes.
#if COPY_16_KEEPS
#define COPY_16 "cp.async.ca.shared.global"
#else
#define COPY_16 "cp.async.cg.shared.global"
#endif
static inline void copy_16(copy_place_t to, __global const void *from)
{
    __asm volatile(COPY_16 " [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

static inline void copy_16_part(copy_place_t to, __global const void *from, uint bytes)
{
    __asm volatile(COPY_16 " [%0], [%1], 16, %2;"
                   :
                   : "r"(to), "l"(from), "r"(bytes)
                   : "memory");
}

static inline void copy_close(void)
{
    __asm volatile("cp.async.commit_group;" : : : "memory");
}

// `nbatches`: a constant after inlining, 0 to 3.
static inline void copy_wait(const int nbatches)
{
    if (nbatches == 0) {
        __asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else if (nbatches == 1) {
        __asm volatile("cp.async.wait_group 1;" : : : "memory");
    } else if (nbatches == 2) {
        __asm volatile("cp.async.wait_group 2;" : : : "memory");
    } else {
        __asm volatile("cp.async.wait_group 3;" : : : "memory");
    }
}

#else

typedef __local char *copy_place_t;

static inline copy_place_t copy_place(__local void *p)
{
    return (copy_place_t)p;
}

static inline void copy_4(copy_place_t to, __global const void *from)
{
    *(__local uint *)to = *(__global const uint *)from;
}

// `bytes` of `size` exist.
static inline void copy_part(
        copy_place_t to, __global const void *from, uint bytes, const uint size)
{
    for (uint i = 0; i < size; ++i) to[i] = i < bytes ? ((__global const char *)from)[i] : (char)0;
}

static inline void copy_4_part(copy_place_t to, __global const void *from, uint bytes)
{
    if (bytes == 4)
        copy_4(to, from);
    else
        copy_part(to, from, bytes, 4);
}

static inline void copy_8_part(copy_place_t to, __global const void *from, uint bytes)
{
    copy_part(to, from, bytes, 8);
}

static inline void copy_16(copy_place_t to, __global const void *from)
{
    *(__local uint4 *)to = *(__global const uint4 *)from;
}

static inline void copy_16_part(copy_place_t to, __global const void *from, uint bytes)
{
    if (bytes == 16)
        copy_16(to, from);
    else
        copy_part(to, from, bytes, 16);
}

static inline void copy_close(void)
{
}

static inline void copy_wait(const int nbatches)
{
    (void)nbatches;
}

#endif

#endif
