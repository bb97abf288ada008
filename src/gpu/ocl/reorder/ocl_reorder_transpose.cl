// SPDX-License-Identifier: Apache-2.0
// Reorder where neighbours of dst are far apart in src: x is the loop that walks src in steps of 1, y
// the one that walks dst (nchw to nhwc, to nChw16c and back, oihw to OIhw16i16o).
//
//   nest           loops; tensor 0 dst, 1 src; x is NEST_ROW, y is NEST_INNER
//   src, src_off   elements of SRC_T
//   dst, dst_off   elements of DST_T; padding that belongs to dst becomes 0
//   nx, ny         extents of the two loops
//   src_y, dst_x   stride of y in src, of x in dst
//   per_x, per_y   the piece of the two loops that a group or an item moves
//   chunks_x, chunks_y       ceil(n / per)
//   nitems         chunks_x·chunks_y·outer
// transpose_tile: a group of 256 items moves TILE_X × TILE_Y through local memory, coalesced on both
//   sides. Grid: nitems groups of 256.
// transpose_block: an item moves VEC × VEC through private memory. Grid: x ≥ nitems.
// transpose_thin: an item moves per_x × per_y element by element, the shorter loop inside. Grid: x ≥
//   nitems.
// Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h, WITH_TAILS (some dimension has padding), TILE_X, TILE_Y = 16, 32, 64.
#if !defined(WITH_TAILS) || !defined(TILE_X) || !defined(TILE_Y)
#error "ocl_reorder_transpose needs WITH_TAILS, TILE_X, TILE_Y"
#endif

#include "clh/convert.h"
#include "clh/nest.h"

// What an element of the piece is: 2 comes from src, 1 becomes 0, 0 is not written.
static inline int place_kind(__constant const nest_t *nest, const nest_at_t *at, long x, long y)
{
    int kind = 2;
    for (int k = 0; WITH_TAILS && k < NEST_TAILS; ++k) {
        const long tail = at->tails[k] + x * nest->multipliers[k][NEST_ROW]
                + y * nest->multipliers[k][NEST_INNER];
        if (tail >= nest->limits[k]) kind = min(kind, nest->is_in_dst[k]);
    }
    return kind;
}

static inline void move_one(__constant const nest_t *nest, const nest_at_t *at,
        __global DST_T *dst, __global const SRC_T *src, long x, long y, convert_t convert)
{
    const int kind = place_kind(nest, at, x, y);
    if (kind == 2) convert_one(dst, src, convert);
    if (kind == 1) DST_STORE(dst, 0, 0.0f);
}

#define TILE_ITEMS 256

__attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
__kernel void transpose_tile(__constant const nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    __local CONVERT_ELEM_T tile[TILE_Y][TILE_X + 1];
    CONVERT_DECLARE;
    const long pieces = div_long(get_group_id(0), chunks_x);
    const long outer = div_long(pieces, chunks_y);
    const long x0 = ((long)get_group_id(0) - pieces * chunks_x) * per_x;
    const long y0 = (pieces - outer * chunks_y) * per_y;
    const nest_at_t at = nest_at(nest, outer);
    const int id = (int)get_local_id(0), id_x = id % TILE_X, id_y = id % TILE_Y;
    src += src_off + at.offs[1] + x0 + y0 * src_y;
    dst += dst_off + at.offs[0] + x0 * dst_x + y0;
    for (int y = id / TILE_X; y < TILE_Y; y += TILE_ITEMS / TILE_X) {
        const bool is_inside = x0 + id_x < nx && y0 + y < ny;
        if (is_inside && place_kind(nest, &at, x0 + id_x, y0 + y) == 2)
            tile[y][id_x] = convert_get_one(src + y * src_y + id_x, convert);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int x = id / TILE_Y; x < TILE_X; x += TILE_ITEMS / TILE_Y) {
        if (x0 + x >= nx || y0 + id_y >= ny) continue;
        const int kind = place_kind(nest, &at, x0 + x, y0 + id_y);
        if (kind == 2) convert_put_one(dst + x * dst_x + id_y, tile[id_y][x]);
        if (kind == 1) DST_STORE(dst, x * dst_x + id_y, 0.0f);
    }
}

// A whole piece without padding.
static inline void move_block(
        __global DST_T *dst, __global const SRC_T *src, long src_y, long dst_x, convert_t convert)
{
    CONVERT_ELEM_T piece[VEC][VEC];
    for (int y = 0; y < VEC; ++y)
        vstorev(convert_get(src + y * src_y, convert), piece[y]);
    for (int x = 0; x < VEC; ++x) {
        CONVERT_ELEM_T column[VEC];
        for (int y = 0; y < VEC; ++y) column[y] = piece[y][x];
        convert_put(dst + x * dst_x, vloadv(column));
    }
}

__kernel void transpose_block(__constant const nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const long pieces = div_long(item, chunks_x);
    const long outer = div_long(pieces, chunks_y);
    const long x0 = (item - pieces * chunks_x) * per_x;
    const long y0 = (pieces - outer * chunks_y) * per_y;
    const nest_at_t at = nest_at(nest, outer);
    src += src_off + at.offs[1] + x0 + y0 * src_y;
    dst += dst_off + at.offs[0] + x0 * dst_x + y0;
    const long end_x = min(nx - x0, (long)VEC), end_y = min(ny - y0, (long)VEC);
    const bool is_whole = end_x == VEC && end_y == VEC;
    if (is_whole && place_kind(nest, &at, x0 + VEC - 1, y0 + VEC - 1) == 2) {
        move_block(dst, src, src_y, dst_x, convert);
        return;
    }
    for (long x = 0; x < end_x; ++x) {
        for (long y = 0; y < end_y; ++y)
            move_one(nest, &at, dst + x * dst_x + y, src + y * src_y + x, x0 + x, y0 + y, convert);
    }
}

__kernel void transpose_thin(__constant const nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const long pieces = div_long(item, chunks_x);
    const long outer = div_long(pieces, chunks_y);
    const long x0 = (item - pieces * chunks_x) * per_x;
    const long y0 = (pieces - outer * chunks_y) * per_y;
    const nest_at_t at = nest_at(nest, outer);
    src += src_off + at.offs[1] + x0 + y0 * src_y;
    dst += dst_off + at.offs[0] + x0 * dst_x + y0;
    const long end_x = min(nx - x0, per_x), end_y = min(ny - y0, per_y);
    const bool x_is_short = per_x < per_y;
    const long end_long = x_is_short ? end_y : end_x, end_short = x_is_short ? end_x : end_y;
    for (long i = 0; i < end_long; ++i) {
        for (long j = 0; j < end_short; ++j) {
            const long x = x_is_short ? j : i, y = x_is_short ? i : j;
            move_one(nest, &at, dst + x * dst_x + y, src + y * src_y + x, x0 + x, y0 + y, convert);
        }
    }
}
