// SPDX-License-Identifier: Apache-2.0
// Reorder where neighbours of dst are far apart in src, for devices whose items are threads of a
// processor: squares of SIDE × SIDE elements are turned in registers, or in private memory where an item
// has too few of them.
//
//   nest … nitems  as in ocl_reorder_transpose.cl, nx and ny at least SIDE; the chunks are floor(n / per):
//                  the last one takes the rest as well
// An item walks along x in bands of BLOCKS·SIDE rows: so many streams of src, each of which a processor
// fetches ahead, and as many neighbours of each row of dst at once, lines of the cache as a whole.
// Grid: x ≥ nitems. Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h with VEC = 16, WITH_TAILS, BLOCKS, SIDE: 16, or 64 over the bytes of an element
// where those are 2 or 1 and keep every bit: then a row of a square is a line of the cache on both
// sides, and is turned as words. BLOCKS is 1 then. IN_REGISTERS: 0 with SIDE = 16 alone.
#if !defined(WITH_TAILS) || !defined(BLOCKS) || !defined(SIDE) || VEC != 16
#error "ocl_reorder_blocks needs WITH_TAILS, BLOCKS, SIDE, VEC = 16"
#endif
#if !defined(IN_REGISTERS) || (!IN_REGISTERS && SIDE != 16)
#error "ocl_reorder_blocks needs IN_REGISTERS; squares of words are turned there"
#endif

#include "clh/transpose.h"

#if SIDE == 16
#define TURN_T CONVERT_VEC_T
#else
#define TURN_T uint16
#define PARTS (SIDE / 16) // elements of a word
#if BLOCKS != 1 || !CONVERT_IS_RAW
#error "words are moved as they are, square by square"
#endif
#endif

// 16 rows become 16 columns: rows that are 8 apart are woven (a.s0, b.s0, a.s1, b.s1 …), four times.
static inline void turn(TURN_T *rows)
{
    TURN_T woven[VEC];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int i = 0; i < VEC / 2; ++i) {
            woven[2 * i].even = rows[i].lo;
            woven[2 * i].odd = rows[i + VEC / 2].lo;
            woven[2 * i + 1].even = rows[i].hi;
            woven[2 * i + 1].odd = rows[i + VEC / 2].hi;
        }
#pragma unroll
        for (int i = 0; i < VEC / 2; ++i) {
            rows[2 * i].even = woven[i].lo;
            rows[2 * i].odd = woven[i + VEC / 2].lo;
            rows[2 * i + 1].even = woven[i].hi;
            rows[2 * i + 1].odd = woven[i + VEC / 2].hi;
        }
    }
}

#if !IN_REGISTERS

// 16 columns of n·16 rows without padding.
static inline void move_blocks(const int n, __global DST_T *dst, __global const SRC_T *src,
        long src_y, long dst_x, convert_t convert)
{
    CONVERT_ELEM_T columns[VEC][BLOCKS * VEC];
#pragma nounroll
    for (int y = 0; y < n * VEC; ++y) {
        CONVERT_ELEM_T row[VEC];
        CONVERT_JOIN(vstore, VEC)(convert_get(src + y * src_y, convert), 0, row);
#pragma unroll
        for (int x = 0; x < VEC; ++x) columns[x][y] = row[x];
    }
#pragma nounroll
    for (int x = 0; x < VEC; ++x) {
#pragma nounroll
        for (int k = 0; k < n; ++k)
            convert_put(dst + x * dst_x + k * VEC, CONVERT_JOIN(vload, VEC)(k, columns[x]));
    }
}

#elif SIDE == 16

// 16 columns of n·16 rows without padding. Called, and turned, at one place: copies of this code cost
// seconds of compilation each.
static inline void move_blocks(const int n, __global DST_T *dst, __global const SRC_T *src,
        long src_y, long dst_x, convert_t convert)
{
    CONVERT_VEC_T rows[BLOCKS][VEC];
#pragma nounroll
    for (int k = 0; k < n; ++k) {
        CONVERT_VEC_T square[VEC];
#pragma unroll
        for (int y = 0; y < VEC; ++y)
            square[y] = convert_get(src + (k * VEC + y) * src_y, convert);
#if defined(NONTEMPORAL)
        // The next square's lines, to come while this one is turned.
#pragma unroll
        for (int y = 0; y < VEC; ++y) FETCH_LINE(src + (k * VEC + y) * src_y + VEC);
#endif
        turn(square);
#pragma unroll
        for (int x = 0; x < VEC; ++x) rows[k][x] = square[x];
    }
#pragma nounroll
    for (int x = 0; x < VEC; ++x) {
#pragma nounroll
        for (int k = 0; k < n; ++k) convert_put(dst + x * dst_x + k * VEC, rows[k][x]);
    }
}

#else

// Elements of `bits` bits at even places of rows a and b become pairs of words, those at odd ones.
static inline uint16 pair_even(uint16 a, uint16 b, uint mask, uint bits)
{
    return (a & mask) | ((b & mask) << bits);
}

static inline uint16 pair_odd(uint16 a, uint16 b, uint mask, uint bits)
{
    return ((a >> bits) & mask) | (b & ~mask);
}

// A row of a square, at any address.
typedef struct __attribute__((packed)) {
    uint16 words;
} line_t;

static inline uint16 get_words(__global const SRC_T *src)
{
    return ((__global const line_t *)src)->words;
}

static inline void put_words(__global DST_T *dst, uint16 words)
{
    ((__global line_t *)dst)->words = words;
}

// The same at an address that is aligned to it.
static inline void put_line(__global DST_T *dst, uint16 words)
{
#if defined(NONTEMPORAL)
    STORE_PAST(uint16, words, dst);
#else
    *(__global uint16 *)dst = words;
#endif
}

// PARTS rows: word j of words[m] becomes element PARTS·j + m of each.
static inline void weave(uint16 *words, const uint16 *rows)
{
#if PARTS == 2
    words[0] = pair_even(rows[0], rows[1], 0x0000ffffu, 16);
    words[1] = pair_odd(rows[0], rows[1], 0x0000ffffu, 16);
#else
    const uint16 even_above = pair_even(rows[0], rows[1], 0x00ff00ffu, 8);
    const uint16 even_below = pair_even(rows[2], rows[3], 0x00ff00ffu, 8);
    const uint16 odd_above = pair_odd(rows[0], rows[1], 0x00ff00ffu, 8);
    const uint16 odd_below = pair_odd(rows[2], rows[3], 0x00ff00ffu, 8);
    words[0] = pair_even(even_above, even_below, 0x0000ffffu, 16);
    words[1] = pair_even(odd_above, odd_below, 0x0000ffffu, 16);
    words[2] = pair_odd(even_above, even_below, 0x0000ffffu, 16);
    words[3] = pair_odd(odd_above, odd_below, 0x0000ffffu, 16);
#endif
}

static inline void move_blocks(const int n, __global DST_T *dst, __global const SRC_T *src,
        long src_y, long dst_x, convert_t convert)
{
    const size_t places = (size_t)dst | (size_t)dst_x * sizeof(DST_T);
    const bool has_lines = (places & (sizeof(uint16) - 1)) == 0;
    uint16 words[PARTS][VEC];
#pragma nounroll
    for (int y = 0; y < VEC; ++y) {
        uint16 rows[PARTS], woven[PARTS];
#pragma unroll
        for (int m = 0; m < PARTS; ++m)
            rows[m] = get_words(src + (y * PARTS + m) * src_y);
#if defined(NONTEMPORAL)
        // The next square's lines, to come while this one is turned.
#pragma unroll
        for (int m = 0; m < PARTS; ++m) FETCH_LINE(src + (y * PARTS + m) * src_y + SIDE);
#endif
        weave(woven, rows);
#pragma unroll
        for (int m = 0; m < PARTS; ++m) words[m][y] = woven[m];
    }
#pragma nounroll
    for (int m = 0; m < PARTS; ++m) {
        uint16 square[VEC];
#pragma unroll
        for (int y = 0; y < VEC; ++y) square[y] = words[m][y];
        turn(square);
        if (has_lines) {
#pragma unroll
            for (int x = 0; x < VEC; ++x) put_line(dst + (x * PARTS + m) * dst_x, square[x]);
        } else {
#pragma nounroll
            for (int x = 0; x < VEC; ++x) put_words(dst + (x * PARTS + m) * dst_x, square[x]);
        }
    }
}

#endif

__kernel void transpose_blocks(__constant const nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const long pieces = div_long(item, chunks_x), outer = div_long(pieces, chunks_y);
    const long chunk_x = item - pieces * chunks_x, chunk_y = pieces - outer * chunks_y;
    const nest_at_t at = nest_at(nest, outer);
    src += src_off + at.offs[1];
    dst += dst_off + at.offs[0];
    const long end_x = chunk_x == chunks_x - 1 ? nx : (chunk_x + 1) * per_x;
    const long end_y = chunk_y == chunks_y - 1 ? ny : (chunk_y + 1) * per_y;
    int n;
    for (long band = chunk_y * per_y; band < end_y; band += n * SIDE) {
        n = end_y - band >= BLOCKS * SIDE ? BLOCKS : 1;
        // What is left over at the ends is moved with neighbours that were moved already.
        const long y = min(band, end_y - SIDE);
        for (long step = chunk_x * per_x; step < end_x; step += SIDE) {
            const long x = min(step, end_x - SIDE);
            __global DST_T *to = dst + x * dst_x + y;
            __global const SRC_T *from = src + y * src_y + x;
            if (!WITH_TAILS || place_kind(nest, &at, x + SIDE - 1, y + n * SIDE - 1) == 2) {
                move_blocks(n, to, from, src_y, dst_x, convert);
                continue;
            }
            for (int i = 0; i < SIDE; ++i) {
                for (int j = 0; j < n * SIDE; ++j) {
                    move_one(nest, &at, to + i * dst_x + j, from + j * src_y + i, x + i, y + j,
                            convert);
                }
            }
        }
    }
}
