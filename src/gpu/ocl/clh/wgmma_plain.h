// SPDX-License-Identifier: Apache-2.0
// The plain side of clh/wgmma.h, -DRETARGET=0: loops in place of WGMMA, and in place of TMA one
// work-item that copies boxes by a struct. What TMA would fault on gives NaN.
#ifndef CLH_WGMMA_PLAIN_H
#define CLH_WGMMA_PLAIN_H

#include "clh/mma_tile.h"
#include "clh/wgmma_types.h"

#if !RETARGET

static inline wgmma_place_t wgmma_place(__local void *p)
{
    return (wgmma_place_t)p;
}

static inline wgmma_operand_t wgmma_along(wgmma_place_t place)
{
    return (wgmma_operand_t)place;
}

static inline wgmma_operand_t wgmma_across(wgmma_place_t place)
{
    return (wgmma_operand_t)place;
}

// Element q of row r of an operand along k, or element q of step r of a block across k.
static inline sum_t wgmma_element(wgmma_operand_t x, int r, int q, const int is_u8)
{
    __local const uchar *from =
            (__local const uchar *)x + mma_place(r, q * WGMMA_ELEM_BYTES / 16) +
            q * WGMMA_ELEM_BYTES % 16;
#if MMA_TYPE == DT_S8
    return is_u8 ? (sum_t)*from : (sum_t)*(__local const char *)from;
#elif MMA_TYPE == DT_BF16
    return as_float((uint)*(__local const ushort *)from << 16);
#else
    return vload_half(0, (__local const half *)from);
#endif
}

static inline void wgmma_multiply_step(
        sum_t *d, wgmma_operand_t a, wgmma_operand_t b, const int p)
{
    const int item = (int)get_local_id(0) % 128, lane = item % 32, depth = 32 / WGMMA_ELEM_BYTES;
#pragma unroll 1
    for (int i = 0; i < WGMMA_SUMS; ++i) {
        const int row = item / 32 * 16 + lane / 4 + (i & 2 ? 8 : 0);
        const int col = i / 4 * 8 + lane % 4 * 2 + (i & 1);
        sum_t sum = d[i];
#pragma unroll 1
        for (int q = p * depth; q < (p + 1) * depth; ++q) {
#if WEI_ALONG_K
            const sum_t y = wgmma_element(b, col, q, WEI_IS_U8);
#else
            const sum_t y = wgmma_element(
                    b + col / 64 * (WGMMA_BLOCK_STEPS * 8), q, col % 64, WEI_IS_U8);
#endif
#if SRC_ALONG_K
            sum += wgmma_element(a, row, q, SRC_IS_U8) * y;
#else
            sum += wgmma_element(a, q, row, SRC_IS_U8) * y;
#endif
        }
        d[i] = sum;
    }
}

static inline void wgmma_begin(void)
{
}

static inline void wgmma_warp_barrier(void)
{
}

static inline void wgmma_warps_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

// `lanes`: four words for each work-item of the group.
static inline uint4 wgmma_transpose(uint4 x, int lane, __local uint4 *lanes)
{
    lanes[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uint *words = (__local const uint *)(lanes + get_local_id(0) / 4 * 4) + lane % 4;
    const uint4 y = (uint4)(words[0], words[4], words[8], words[12]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return y;
}

// A map: dimension 0 is the innermost. Sizes, boxes and steps count elements, strides bytes; the first
// stride is dimension 1's.
typedef struct {
    __global const uchar *base;
    ulong stride[4];
    uint size[5], box[5], step[5];
    int rank;
} wgmma_box_map_t;

typedef __local wgmma_box_map_t *wgmma_map_t;

#define WGMMA_MAP_DIM(map, number, of_size, of_box, of_step) \
    do { \
        (map)->size[number] = (uint)(of_size); \
        (map)->box[number] = (uint)(of_box); \
        (map)->step[number] = (uint)(of_step); \
    } while (0)
#define WGMMA_MAP_STRIDE(map, number, bytes) (map)->stride[number] = (ulong)(bytes)

static inline void wgmma_map_clear(__local uint *words, int lane)
{
    (void)words;
    (void)lane;
}

static inline void wgmma_map_begin(wgmma_map_t map, __global const void *base, uint rank)
{
    map->base = (__global const uchar *)base;
    map->rank = (int)rank;
}

static inline void wgmma_map_make(wgmma_map_t map, __global const void *base, uint width,
        uint height, ulong row_bytes, uint box_w, uint box_h)
{
    wgmma_map_begin(map, base, 2);
    WGMMA_MAP_DIM(map, 0, width, box_w, 1);
    WGMMA_MAP_DIM(map, 1, height, box_h, 1);
    WGMMA_MAP_STRIDE(map, 0, row_bytes);
}

static inline void wgmma_map_publish(__global uchar *to, wgmma_map_t map)
{
    if (get_local_id(0) % 32 == 0) *(__global wgmma_box_map_t *)to = *map;
}

static inline void wgmma_map_acquire(__global const uchar *map)
{
    (void)map;
}

static inline void wgmma_barrier_expect(wgmma_place_t place, uint bytes)
{
    (void)place;
    (void)bytes;
}

// What the copy engine would fault on becomes NaN: bases and strides that are not 16-byte aligned.
static inline bool wgmma_map_is_valid(__global const wgmma_box_map_t *map)
{
    bool is_valid = ((ulong)map->base & 15) == 0;
    for (int d = 1; d < map->rank; ++d) is_valid = is_valid && (map->stride[d - 1] & 15) == 0;
    return is_valid && map->box[0] * WGMMA_ELEM_BYTES <= MMA_ROW_BYTES;
}

// Row `row` of a box, whose digits are positions in dimensions 1 and up.
static inline void wgmma_copy_row(
        wgmma_place_t to, __global const wgmma_box_map_t *map, const int *at, int row)
{
    bool is_inside = true;
    int rest = row;
    __global const uchar *from = map->base;
    for (int d = 1; d < map->rank; ++d) {
        const int n = (int)((map->box[d] + map->step[d] - 1) / map->step[d]);
        const int x = at[d] + rest % n * (int)map->step[d];
        rest /= n;
        is_inside = is_inside && x >= 0 && x < (int)map->size[d];
        from += (long)x * (long)map->stride[d - 1];
    }
    const bool is_valid = wgmma_map_is_valid(map);
    for (int b = 0; b < (int)map->box[0] * WGMMA_ELEM_BYTES; ++b) {
        const int x = at[0] + b / WGMMA_ELEM_BYTES;
        const bool is_there = is_inside && x >= 0 && x < (int)map->size[0];
        const uchar value = is_there ? from[at[0] * WGMMA_ELEM_BYTES + b] : 0;
        to[mma_place(row, b / 16) + b % 16] = (char)(is_valid ? value : 0xff);
    }
}

static inline void wgmma_copy_box(
        wgmma_place_t to, __global const uchar *place, int x, int y, int z, int w, int v)
{
    __global const wgmma_box_map_t *map = (__global const wgmma_box_map_t *)place;
    const int at[5] = {x, y, z, w, v};
    int nrows = 1;
    for (int d = 1; d < map->rank; ++d)
        nrows *= (int)((map->box[d] + map->step[d] - 1) / map->step[d]);
#pragma unroll 1
    for (int row = 0; row < nrows; ++row) wgmma_copy_row(to, map, at, row);
}

static inline void wgmma_copy(
        wgmma_place_t to, __global const uchar *map, wgmma_place_t barrier, int x, int y)
{
    (void)barrier;
    wgmma_copy_box(to, map, x, y, 0, 0, 0);
}

static inline void wgmma_copy_3d(
        wgmma_place_t to, __global const uchar *map, wgmma_place_t barrier, int x, int y, int z)
{
    (void)barrier;
    wgmma_copy_box(to, map, x, y, z, 0, 0);
}

static inline void wgmma_copy_4d(wgmma_place_t to, __global const uchar *map,
        wgmma_place_t barrier, int x, int y, int z, int w)
{
    (void)barrier;
    wgmma_copy_box(to, map, x, y, z, w, 0);
}

static inline void wgmma_copy_5d(wgmma_place_t to, __global const uchar *map,
        wgmma_place_t barrier, int x, int y, int z, int w, int v)
{
    (void)barrier;
    wgmma_copy_box(to, map, x, y, z, w, v);
}

static inline void wgmma_close(void)
{
}

static inline void wgmma_wait_but_one(void)
{
}

static inline void wgmma_wait_all(sum_t *d)
{
    (void)d;
}

#endif

#endif
