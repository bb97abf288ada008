// SPDX-License-Identifier: Apache-2.0
// Copies rows of a multiple of 128 bytes to a tile for matrix units (clh/mma_tile.h), from any start and with any
// pitch:
// by asynchronous copies of 16, 8 or 4 bytes (clh/async_copy.h) where the addresses are aligned so, else in vectors
// that work-items put together from two loads (clh/unaligned.h).
//
//     const copy_rows_t rows = {from, pitch, nrows, nbytes};
//     copy_rows(&rows, copy_unit(from, pitch), place, 128, 128, item, 256);
//
// Such vectors are stored, not copied: whoever counts arrivals has to count both (copy_unit() is 0).
#ifndef CLH_COPY_ROWS_H
#define CLH_COPY_ROWS_H

#include "clh/always_inline.h"
#include "clh/async_copy.h"
#include "clh/mma_tile.h"
#include "clh/nv/nv_opaque.h"
#include "clh/unaligned.h"

// Addresses of asynchronous copies are to be there when the first starts; plain copies compile faster
// in loops.
#if ASYNC_COPY
#define COPY_ROWS_UNROLL 16
#else
#define COPY_ROWS_UNROLL 1
#endif

typedef struct {
    __global const uchar *from; // byte 0 of row 0
    long pitch;                 // bytes from row to row
    int nrows, nbytes;          // that exist; all others become zeros
} copy_rows_t;

// Bytes of a copy: 16, 8, 4; or 0: rows that lie anywhere.
static inline int copy_unit(__global const uchar *from, long pitch)
{
    const uint bits = (uint)(ulong)from | (uint)pitch;
    return (bits & 15) == 0 ? 16 : (bits & 7) == 0 ? 8 : (bits & 3) == 0 ? 4 : 0;
}

// The first `bytes` bytes, then zeros.
static inline uint4 copy_cut(uint4 x, int bytes)
{
    uint words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int left = bytes - 4 * i;
        words[i] = left >= 4 ? words[i] : left <= 0 ? 0 : words[i] & ((1u << (left * 8)) - 1);
    }
    return (uint4)(words[0], words[1], words[2], words[3]);
}

static inline void copy_put(copy_place_t to, uint4 x)
{
#if ASYNC_COPY
    nv_store_shared_16(to, x);
#else
    *(__local uint4 *)to = x;
#endif
}

// Numbers that the compiler does not know again: else it would keep what it computes of them, the
// addresses of every row, in registers from one tile to the next.
static inline int copy_hide(int x)
{
#if ASYNC_COPY
    NV_OPAQUE_32(x);
#endif
    return x;
}

static inline long copy_hide_long(long x)
{
#if ASYNC_COPY
    NV_OPAQUE_64(x);
#endif
    return x;
}

// Where `part` (bytes) of a row goes: pieces of 128 bytes stand one behind the other, `count` rows each.
static inline int copy_rows_place(int row, int part, const int count)
{
    return part / MMA_ROW_BYTES * (count * MMA_ROW_BYTES) +
           mma_place(row, part % MMA_ROW_BYTES / 16) + part % 16;
}

// In copies of `size` bytes; work-items go down by whole rows.
ALWAYS_INLINE void copy_rows_by(const copy_rows_t *rows,
        copy_place_t to, const int size, const int count, const int width, int item,
        const int nitems)
{
    const int per_row = width / size, step = nitems / per_row;
    const int part = item % per_row * size, first = item / per_row;
    const uint bytes = (uint)clamp(rows->nbytes - part, 0, size);
    const long way = copy_hide_long(step * rows->pitch);
    __global const uchar *from = rows->from + first * rows->pitch + part;
    const int left = min(rows->nrows, count) - first;
#pragma unroll COPY_ROWS_UNROLL
    for (int e = 0; e < (count + step - 1) / step; ++e) {
        const uint size_now = e * step < left ? bytes : 0;
        const copy_place_t place = to + copy_rows_place(first + e * step, part, count);
        if (count % step == 0 || first + e * step < count) {
            if (size == 16)
                copy_16_part(place, from, size_now);
            else if (size == 8)
                copy_8_part(place, from, size_now);
            else
                copy_4_part(place, from, size_now);
        }
        from += way;
    }
}

// In vectors from anywhere: several loads, then as many stores.
ALWAYS_INLINE void copy_rows_unaligned(const copy_rows_t *rows, copy_place_t to, const int count, const int width,
        int item, const int nitems)
{
    enum { AT_ONCE = 4 };
    const int per_row = width / 16, part = item % per_row * 16, step = nitems / per_row;
    const int bytes = clamp(rows->nbytes - part, 0, 16);
#pragma unroll 1
    for (int r = item / per_row; r < count; r += step * AT_ONCE) {
        __global const uchar *from = rows->from + r * rows->pitch + part;
        unaligned_t x[AT_ONCE];
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e) {
            if (bytes > 0 && r + e * step < rows->nrows) load_unaligned(&x[e], from + e * step * rows->pitch, bytes);
        }
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e) {
            const int row = r + e * step;
            if (row >= count) continue;
            const bool exists = bytes > 0 && row < rows->nrows;
            const uint4 vec = exists ? unaligned_bytes(&x[e], from + e * step * rows->pitch) : (uint4)(0);
            copy_put(to + copy_rows_place(row, part, count), copy_cut(vec, bytes));
        }
    }
}

// `count` rows of local memory, of `width` bytes (a multiple of 128), by `nitems` work-items, which count in
// whole warps and are width / 4 at least.
ALWAYS_INLINE void copy_rows(const copy_rows_t *rows, int unit,
        copy_place_t to, const int count, const int width, int item, const int nitems)
{
    const copy_rows_t own = {rows->from, copy_hide_long(rows->pitch), rows->nrows, rows->nbytes};
    const int own_item = copy_hide(item), own_unit = copy_hide(unit);
    if (own_unit == 16)
        copy_rows_by(&own, to, 16, count, width, own_item, nitems);
    else if (own_unit == 8)
        copy_rows_by(&own, to, 8, count, width, own_item, nitems);
    else if (own_unit == 4)
        copy_rows_by(&own, to, 4, count, width, own_item, nitems);
    else
        copy_rows_unaligned(&own, to, count, width, own_item, nitems);
}

#endif
