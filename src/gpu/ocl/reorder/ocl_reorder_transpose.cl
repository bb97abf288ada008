// SPDX-License-Identifier: Apache-2.0
// Transposing reorder: loop x is contiguous in src, loop y in dst (NCHW to NHWC, to nChw16c and back, oihw to
// OIhw16i16o).
//
//   nest           loop nest; tensor 0 dst, 1 src; x is NEST_ROW, y is NEST_INNER
//   src, src_off   elements of SRC_T
//   dst, dst_off   elements of DST_T; padding that belongs to dst becomes 0
//   nx, ny         extents of the two loops
//   src_y, dst_x   stride of y in src, of x in dst
//   per_x, per_y   the piece of the two loops that a work-group or a work-item moves
//   chunks_x, chunks_y       ceil(n / per)
//   nitems         chunks_x·chunks_y·outer
// transpose_tile: a work-group of TILE_ITEMS moves TILE_X × TILE_Y through local memory, coalesced on both
//   sides. Grid: nitems work-groups.
// transpose_thin: one of the two loops is short; a work-item moves per_x × per_y element by element, the shorter
//   loop inside. Grid: x ≥ nitems.
// Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h; WITH_TAILS (some dimension has padding); TILE_X, TILE_Y = 16 … 256, powers of two;
// TILE_ITEMS = 128, 256; WORD_BYTES = 4, 8, 16: width of the words in which elements that are not converted are
// moved; THIN: 1: the program has transpose_thin, 0: transpose_tile; Y_FIRST: adjacent work-groups are adjacent along y,
// and write adjacent memory, instead of along x.
#if !defined(WITH_TAILS) || !defined(TILE_X) || !defined(TILE_Y) || !defined(WORD_BYTES)
#error "ocl_reorder_transpose needs WITH_TAILS, TILE_X, TILE_Y, WORD_BYTES"
#endif
#if !defined(TILE_ITEMS) || !defined(Y_FIRST) || !defined(THIN)
#error "ocl_reorder_transpose needs TILE_ITEMS, Y_FIRST, THIN"
#endif

#include "clh/always_inline.h"
#include "clh/transpose.h"
#include "clh/unpack.h"

#if !THIN
// Tiles without padding move as words of PACK elements, so that every load and store is as wide as the memory
// prefers: PACK × PACK elements are transposed in registers, the words through local memory.
#if SRC_DT == DT_F16 || SRC_DT == DT_BF16
#define ELEM_BYTES 2
#elif SRC_DT == DT_S8 || SRC_DT == DT_U8
#define ELEM_BYTES 1
#else
#define ELEM_BYTES 4
#endif
#if CONVERT_IS_RAW && !WITH_TAILS && WORD_BYTES > ELEM_BYTES \
        && TILE_X * TILE_Y * ELEM_BYTES * ELEM_BYTES >= WORD_BYTES * WORD_BYTES * TILE_ITEMS
#define PACK (WORD_BYTES / ELEM_BYTES)
#else
#define PACK 1
#endif

#if PACK > 1
#define WORD_UINTS (WORD_BYTES / 4)
#if WORD_BYTES == 16
typedef uint4 word_t;
#define GET_WORD(p) ((uint4)((p)[0], (p)[1], (p)[2], (p)[3]))
#define PUT_WORD(w, p) UNPACK4(w, p)
#elif WORD_BYTES == 8
typedef uint2 word_t;
#define GET_WORD(p) ((uint2)((p)[0], (p)[1]))
#define PUT_WORD(w, p) UNPACK2(w, p)
#else
typedef uint word_t;
#define GET_WORD(p) ((p)[0])
#define PUT_WORD(w, p) ((p)[0] = (w))
#endif

// SIDE = 4 / ELEM_BYTES rows of SIDE elements become columns.
#if ELEM_BYTES == 4
#define SIDE 1
static inline void transpose_side(uint *rows)
{
}
#elif ELEM_BYTES == 2
#define SIDE 2
static inline void transpose_side(uint *rows)
{
    const uint first = rows[0], second = rows[1];
    rows[0] = (first & 0xffffu) | (second << 16);
    rows[1] = (first >> 16) | (second & 0xffff0000u);
}
#else
#define SIDE 4
static inline void transpose_side(uint *rows)
{
    // Bytes change places within pairs of rows, then pairs of bytes between the pairs of rows.
    const uint even = 0x00ff00ffu, low = 0x0000ffffu;
    const uint ab0 = (rows[0] & even) | ((rows[1] & even) << 8);
    const uint ab1 = ((rows[0] >> 8) & even) | (rows[1] & ~even);
    const uint cd0 = (rows[2] & even) | ((rows[3] & even) << 8);
    const uint cd1 = ((rows[2] >> 8) & even) | (rows[3] & ~even);
    rows[0] = (ab0 & low) | (cd0 << 16);
    rows[1] = (ab1 & low) | (cd1 << 16);
    rows[2] = (ab0 >> 16) | (cd0 & ~low);
    rows[3] = (ab1 >> 16) | (cd1 & ~low);
}
#endif

// words[k]: PACK neighbours along x of row k; afterwards PACK neighbours along y of column k. Squares of
// SIDE × SIDE change places, and their elements within them.
static inline void transpose_words(word_t *words)
{
    uint rows[PACK][WORD_UINTS], columns[PACK][WORD_UINTS], square[SIDE];
    for (int k = 0; k < PACK; ++k) PUT_WORD(words[k], rows[k]);
#pragma unroll
    for (int i = 0; i < PACK / SIDE; ++i)
#pragma unroll
        for (int j = 0; j < WORD_UINTS; ++j) {
            for (int k = 0; k < SIDE; ++k) square[k] = rows[i * SIDE + k][j];
            transpose_side(square);
            for (int k = 0; k < SIDE; ++k) columns[j * SIDE + k][i] = square[k];
        }
    for (int k = 0; k < PACK; ++k) words[k] = GET_WORD(columns[k]);
}
#endif

// Loads of a work-item come before its stores, AT_ONCE of them: the memory has them in flight together.
#define TILE_LOADS (TILE_X * TILE_Y / TILE_ITEMS)
#define AT_ONCE (TILE_LOADS < 16 ? TILE_LOADS : 16)

// Element k of a work-item of a tile whose rows have `width`, across them and along the tile: neighbouring
// work-items have neighbours.
static inline int across_tile(int id, int k, int width)
{
    const int sweeps = (width + TILE_ITEMS - 1) / TILE_ITEMS;
    return TILE_ITEMS >= width ? id % width : id + k % sweeps * TILE_ITEMS;
}

static inline int along_tile(int id, int k, int width)
{
    const int sweeps = (width + TILE_ITEMS - 1) / TILE_ITEMS;
    return TILE_ITEMS >= width ? id / width + k * (TILE_ITEMS / width) : k / sweeps;
}

// Element by element; also what is cut by an end of the tensors or has padding.
ALWAYS_INLINE void move_tile(__constant const ocl_nest_t *nest, const nest_at_t *at,
        __global const SRC_T *src, __global DST_T *dst, long src_y, long dst_x, long x0, long y0,
        int end_x, int end_y, bool is_whole, __local CONVERT_ELEM_T (*tile)[TILE_X + 1],
        convert_t convert)
{
    const int id = (int)get_local_id(0);
#pragma unroll 1
    for (int first = 0; first < TILE_LOADS; first += AT_ONCE) {
        CONVERT_ELEM_T values[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k) {
            const int x = across_tile(id, first + k, TILE_X), y = along_tile(id, first + k, TILE_X);
            bool is_there = is_whole || (x < end_x && y < end_y);
            if (WITH_TAILS) is_there = is_there && place_kind(nest, at, x0 + x, y0 + y) == 2;
            values[k] = 0;
            if (is_there) values[k] = convert_get_one(src + y * src_y + x, convert);
        }
        for (int k = 0; k < AT_ONCE; ++k)
            tile[along_tile(id, first + k, TILE_X)][across_tile(id, first + k, TILE_X)] = values[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (int first = 0; first < TILE_LOADS; first += AT_ONCE) {
        for (int k = 0; k < AT_ONCE; ++k) {
            const int y = across_tile(id, first + k, TILE_Y), x = along_tile(id, first + k, TILE_Y);
            if (!is_whole && (x >= end_x || y >= end_y)) continue;
            // Padding was not read: it is 0 here.
            if (!WITH_TAILS || place_kind(nest, at, x0 + x, y0 + y) > 0)
                convert_put_one(dst + x * dst_x + y, tile[y][x]);
        }
    }
}

#if PACK > 1
#define WORDS_X (TILE_X / PACK)
#define WORDS_Y (TILE_Y / PACK)
#define SQUARES (WORDS_X * WORDS_Y / TILE_ITEMS)

// Where word y of column x is: neighbours along x that are PACK apart, and neighbours along y, lie in
// different banks.
static inline int word_at(int x, int y)
{
    return x * WORDS_Y + (y ^ (x / PACK & (WORDS_Y - 1)));
}

// A whole tile whose rows are aligned to words on both sides.
static inline void move_words(
        __global const SRC_T *src, __global DST_T *dst, long src_y, long dst_x, __local word_t *tile)
{
    const int id = (int)get_local_id(0);
    word_t words[SQUARES][PACK];
    for (int k = 0; k < SQUARES; ++k) {
        const int y = (id / WORDS_X + k * (TILE_ITEMS / WORDS_X)) * PACK;
        for (int i = 0; i < PACK; ++i)
            words[k][i] = ((__global const word_t *)(src + (y + i) * src_y))[id % WORDS_X];
    }
    for (int k = 0; k < SQUARES; ++k) {
        transpose_words(words[k]);
        for (int i = 0; i < PACK; ++i)
            tile[word_at(id % WORDS_X * PACK + i, id / WORDS_X + k * (TILE_ITEMS / WORDS_X))] =
                    words[k][i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < SQUARES * PACK; ++k) {
        const int x = id / WORDS_Y + k * (TILE_ITEMS / WORDS_Y);
        ((__global word_t *)(dst + x * dst_x))[id % WORDS_Y] = tile[word_at(x, id % WORDS_Y)];
    }
}

static inline bool has_words(__global const SRC_T *src, __global DST_T *dst, long src_y, long dst_x)
{
    const size_t bits = (size_t)src | (size_t)dst | (size_t)(src_y * (long)sizeof(SRC_T))
            | (size_t)(dst_x * (long)sizeof(DST_T));
    return (bits & (sizeof(word_t) - 1)) == 0;
}
#endif

// Local memory for either way, a column of padding against conflicts of its banks included.
#define TILE_BYTES ((TILE_X + 4) * (TILE_Y + 4) * (int)sizeof(CONVERT_ELEM_T))

__attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
__kernel void transpose_tile(__constant const ocl_nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    __local uint4 tile[TILE_BYTES / 16];
    CONVERT_DECLARE;
#if Y_FIRST
    const nest_piece_t piece = nest_piece(get_group_id(0), chunks_y, chunks_x);
    const long x0 = piece.y * per_x, y0 = piece.x * per_y;
#else
    const nest_piece_t piece = nest_piece(get_group_id(0), chunks_x, chunks_y);
    const long x0 = piece.x * per_x, y0 = piece.y * per_y;
#endif
    const nest_at_t at = nest_at(nest, piece.outer);
    const int end_x = (int)min(nx - x0, (long)TILE_X), end_y = (int)min(ny - y0, (long)TILE_Y);
    src += src_off + at.offs[1] + x0 + y0 * src_y;
    dst += dst_off + at.offs[0] + x0 * dst_x + y0;
#if PACK > 1
    if (end_x == TILE_X && end_y == TILE_Y && has_words(src, dst, src_y, dst_x)) {
        move_words(src, dst, src_y, dst_x, (__local word_t *)tile);
        return;
    }
#endif
    __local CONVERT_ELEM_T(*elems)[TILE_X + 1] = (__local CONVERT_ELEM_T(*)[TILE_X + 1])tile;
    // Where words move, whole tiles come here from unaligned tensors alone: no code of their own for them.
    if (PACK == 1 && end_x == TILE_X && end_y == TILE_Y)
        move_tile(nest, &at, src, dst, src_y, dst_x, x0, y0, end_x, end_y, true, elems, convert);
    else
        move_tile(nest, &at, src, dst, src_y, dst_x, x0, y0, end_x, end_y, false, elems, convert);
}

#else
__kernel void transpose_thin(__constant const ocl_nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const nest_piece_t piece = nest_piece(item, chunks_x, chunks_y);
    const long x0 = piece.x * per_x, y0 = piece.y * per_y;
    const nest_at_t at = nest_at(nest, piece.outer);
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
#endif
