// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of 4, 8 or 16 bytes from global to local memory (cp.async), for kernels that keep several
// tiles in flight:
//
//     copy_16(copy_place(tile), from);                 // … more of this tile
//     copy_close();                                    // what was started since is one batch
//     copy_wait(1);                                    // all but the last batch have arrived
//     barrier(CLK_LOCAL_MEM_FENCE);                    // those of the other work-items too
//
// Places are counted in bytes; both sides are aligned to the size of the copy. -DASYNC_COPY: 1 where
// the device has asynchronous copies (ocl_feature.h); 0: each copy is a load and a store, right everywhere.
// COPY_16_KEEPS: 1: copies of 16 bytes are cached in L1, for tiles that other work-groups
// of the compute unit read soon.
#ifndef CLH_ASYNC_COPY_H
#define CLH_ASYNC_COPY_H

#if !defined(ASYNC_COPY) || !defined(COPY_16_KEEPS)
#error "clh/async_copy.h needs ASYNC_COPY, COPY_16_KEEPS"
#endif

#include "clh/nv/nv_cp_async.h"

#if ASYNC_COPY

// The 32-bit address that these instructions take.
typedef uint copy_place_t;

static inline copy_place_t copy_place(__local const void *p)
{
    return nv_shared_address(p);
}

static inline void copy_4(copy_place_t to, __global const void *from)
{
    nv_cp_async_4(to, from);
}

// Copies `bytes` (0 to 4) and fills the rest with zeros; with 0, `from` is not read.
static inline void copy_4_part(copy_place_t to, __global const void *from, uint bytes)
{
    nv_cp_async_4_zfill(to, from, bytes);
}

// The same with 0 to 8 bytes.
static inline void copy_8_part(copy_place_t to, __global const void *from, uint bytes)
{
    nv_cp_async_8_zfill(to, from, bytes);
}

static inline void copy_16(copy_place_t to, __global const void *from)
{
#if COPY_16_KEEPS
    nv_cp_async_16_l1(to, from);
#else
    nv_cp_async_16(to, from);
#endif
}

// The same with 0 to 16 bytes.
static inline void copy_16_part(copy_place_t to, __global const void *from, uint bytes)
{
#if COPY_16_KEEPS
    nv_cp_async_16_l1_zfill(to, from, bytes);
#else
    nv_cp_async_16_zfill(to, from, bytes);
#endif
}

static inline void copy_close(void)
{
    nv_cp_async_commit();
}

// `nbatches`: a constant after inlining, 0 to 3.
static inline void copy_wait(const int nbatches)
{
    nv_cp_async_wait(nbatches);
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

// Steps of a slice of `depth` over which the copies of another slice are spread. With two stages they are waited for in
// the slice that starts them.
#define COPY_SPREAD(depth, stages) ((depth) < 4 ? 1 : (stages) == 2 ? (depth) / 4 : (depth)-1)

#endif
