// SPDX-License-Identifier: Apache-2.0
// Self-test of WGMMA, as clh/wgmma.h uses it, with operands that work-items copy or, if MAPS, the device by tensor maps
// (TMA): two work-groups multiply 64 × 64 tiles of matrices that end inside a tile, so that zeros are filled in; small
// integers. Work-items of the first group copy by cp.async, 4 bytes at a time, those of the second store what they load.
//
//   y      [2, 64, 64] of type float or int
//   x      for each group: src [40 rows][112 bytes], then weights along k [40 rows][112 bytes] or across k
//          [56 steps][80 bytes]
//   maps   256 bytes for each group, aligned to 128; looked at if MAPS
// Grid: x = 256, in groups of 128. Numerics: exact. -D: those of clh/wgmma.h, with BN = 64, and of
// clh/async_copy.h; MAPS.
#ifndef MAPS
#error "ocl_selftest_wgmma needs MAPS"
#endif

#include "clh/async_copy.h"
#include "clh/mma_tile.h"
#include "clh/nv/nv_retarget.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"

#define ES WGMMA_ELEM_BYTES
#define TILE (64 * 128)
#define BARRIER_AT (2 * TILE)

#if MAPS
static inline void start_barrier(uint bar)
{
    ring_init(bar, 1);
    ring_publish();
}

static inline void copy_tiles(__local ulong *memory, uint place, __global const uchar *x,
        __global const uchar *wei, __global uchar *maps, int item)
{
    const uint bar = place + BARRIER_AT;
    if (item >= 32) return;
    memory[(BARRIER_AT + 128) / 8 + item] = 0;
    wgmma_warp_barrier();
    if (item == 0) {
        wgmma_map_make(bar + 128, x, 112 / ES, 40, 112, 128 / ES, 64);
#if WEI_ALONG_K
        wgmma_map_make(bar + 256, wei, 112 / ES, 40, 112, 128 / ES, 64);
#else
        wgmma_map_make(bar + 256, wei, 40, 56, 80, 64, 64);
#endif
    }
    wgmma_warp_barrier();
    wgmma_map_publish(maps, bar + 128);
    wgmma_map_publish(maps + 128, bar + 256);
    if (item != 0) return;
    wgmma_map_acquire(maps);
    wgmma_map_acquire(maps + 128);
    wgmma_barrier_expect(bar, 2 * TILE);
    wgmma_copy(place, maps, bar, 0, 0);
    wgmma_copy(place + TILE, maps + 128, bar, 0, 0);
}
#else
static inline void start_barrier(uint bar)
{
    ring_init(bar, 2 * 128);
    ring_publish();
}

// Rows of `pitch` bytes; what a tile has beyond them are zeros.
static inline void copy_tile(uint to, __global const uchar *from, long pitch, int nrows, int item)
{
    const int part = item % 32 * 4;
#pragma unroll 1
    for (int r = item / 32; r < 64; r += 4)
        copy_4_part(to + mma_place(r, part / 16) + part % 16, from + r * pitch + part,
                r < nrows && part < pitch ? 4 : 0);
}

static inline void store_tile(uint to, __global const uchar *from, long pitch, int nrows, int item)
{
    const int part = item % 8 * 16;
#pragma unroll 1
    for (int r = item / 8; r < 64; r += 16) {
        const bool is_there = r < nrows && part < pitch;
        nv_store_shared_16(to + mma_place(r, part / 16),
                is_there ? *(__global const uint4 *)(from + r * pitch + part) : (uint4)(0));
    }
}

static inline void copy_tiles(__local ulong *memory, uint place, __global const uchar *x,
        __global const uchar *wei, __global uchar *maps, int item)
{
#if WEI_ALONG_K
    const long wei_pitch = 112;
    const int nrows = 40;
#else
    const long wei_pitch = 80;
    const int nrows = 56;
#endif
#pragma unroll 1
    for (int t = 0; t < 2; ++t) { // src, weights
        const long pitch = t ? wei_pitch : 112;
        __global const uchar *from = t ? wei : x;
        if (get_group_id(0) == 0)
            copy_tile(place + t * TILE, from, pitch, t ? nrows : 40, item);
        else
            store_tile(place + t * TILE, from, pitch, t ? nrows : 40, item);
    }
    ring_fill(place + BARRIER_AT);
    ring_arrive(place + BARRIER_AT);
}
#endif

__attribute__((reqd_work_group_size(128, 1, 1))) __kernel void wgmma_product(
        __global sum_t *y, __global const uchar *x, __global uchar *maps)
{
    NV_RETARGET_BEGIN;
    __local uint4 memory[(2 * TILE + 512) / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), lane = item % 32;
    const uint place = wgmma_place((__local const void *)memory);
    x += get_group_id(0) * 8960;
    if (item == 0) start_barrier(place + BARRIER_AT);
    barrier(CLK_LOCAL_MEM_FENCE);
    copy_tiles((__local ulong *)memory, place, x, x + 40 * 112, maps + get_group_id(0) * 256, item);
    sum_t d[WGMMA_SUMS];
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = 0;
    const bool has_come = ring_wait(place + BARRIER_AT, 0);
    if (!MAPS) ring_see();
    wgmma_begin();
#if WEI_ALONG_K
    const wgmma_operand_t a = wgmma_along(place), b = wgmma_along(place + TILE);
#else
    const wgmma_operand_t a = wgmma_along(place), b = wgmma_across(place + TILE);
#endif
#pragma unroll
    for (int p = 0; p < 4; ++p) wgmma_multiply_step(d, a, b, p);
    wgmma_close();
    wgmma_wait_all(d);
    y += get_group_id(0) * 4096 + (item / 32 * 16 + lane / 4) * 64 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i)
        y[(i & 2 ? 8 * 64 : 0) + i / 4 * 8 + (i & 1)] = has_come ? d[i] : (sum_t)-1;
}

NV_RETARGET_END
