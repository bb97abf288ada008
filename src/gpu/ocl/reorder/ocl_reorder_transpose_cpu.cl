// SPDX-License-Identifier: Apache-2.0
// Transposing reorder for CPU-type devices (one work-item per core): the contiguous dimensions of src and dst
// differ. Blocks of SIDE × SIDE elements are transposed in registers, or in private memory where the device has too
// few; the next tile's cache lines are prefetched while the current one is written.
//
//   nest … nitems  as in ocl_reorder_transpose.cl, nx and ny at least SIDE; the chunks are floor(n / per):
//                  the last one takes the rest as well
// A work-item goes along x in bands of BLOCKS·SIDE rows, in tiles of BLOCKS blocks down and ACROSS blocks along x:
// dst is written in runs of two cache lines, and the lines of the next tile are prefetched row by row, adjacent
// ones together.
// Grid: x ≥ nitems. Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h with VEC = 16; WITH_TAILS; BLOCKS; ACROSS; SIDE: 16, or 64 / (bytes of an element) for
// elements of 1 or 2 bytes that keep every bit: then a row of a block is a cache line of src and of dst, and
// is transposed in 32-bit words. IN_REGISTERS: 0 with SIDE = 16 alone.
#if !defined(WITH_TAILS) || !defined(BLOCKS) || !defined(ACROSS) || !defined(SIDE) || VEC != 16
#error "ocl_reorder_transpose_cpu needs WITH_TAILS, BLOCKS, ACROSS, SIDE, VEC = 16"
#endif
#if !defined(IN_REGISTERS) || (!IN_REGISTERS && SIDE != 16)
#error "ocl_reorder_transpose_cpu needs IN_REGISTERS; squares of words are transposed there"
#endif

#include "clh/transpose.h"

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

static inline void move_tile(__global DST_T *dst, __global const SRC_T *src, __global const SRC_T *next,
        long src_y, long dst_x, int down, int across, convert_t convert)
{
    for (int c = 0; c < across; ++c)
        move_blocks(down, dst + c * SIDE * dst_x, src + c * SIDE, src_y, dst_x, convert);
}

#else

#define PARTS (SIDE / 16) // elements of a word

// Two rows exchange words: of every 2·N words, the first N of both stay in a, the last N in b. Compilers make one
// shuffle of each vector; Oclgrind's checks break on vectors made of vectors.
static inline void exchange_8(uint16 *a, uint16 *b)
{
    const uint16 x = *a, y = *b;
    *a = (uint16)(x.s0, x.s1, x.s2, x.s3, x.s4, x.s5, x.s6, x.s7, y.s0, y.s1,
            y.s2, y.s3, y.s4, y.s5, y.s6, y.s7);
    *b = (uint16)(x.s8, x.s9, x.sa, x.sb, x.sc, x.sd, x.se, x.sf, y.s8, y.s9,
            y.sa, y.sb, y.sc, y.sd, y.se, y.sf);
}

static inline void exchange_4(uint16 *a, uint16 *b)
{
    const uint16 x = *a, y = *b;
    *a = (uint16)(x.s0, x.s1, x.s2, x.s3, y.s0, y.s1, y.s2, y.s3, x.s8, x.s9,
            x.sa, x.sb, y.s8, y.s9, y.sa, y.sb);
    *b = (uint16)(x.s4, x.s5, x.s6, x.s7, y.s4, y.s5, y.s6, y.s7, x.sc, x.sd,
            x.se, x.sf, y.sc, y.sd, y.se, y.sf);
}

static inline void exchange_2(uint16 *a, uint16 *b)
{
    const uint16 x = *a, y = *b;
    *a = (uint16)(x.s0, x.s1, y.s0, y.s1, x.s4, x.s5, y.s4, y.s5, x.s8, x.s9,
            y.s8, y.s9, x.sc, x.sd, y.sc, y.sd);
    *b = (uint16)(x.s2, x.s3, y.s2, y.s3, x.s6, x.s7, y.s6, y.s7, x.sa, x.sb,
            y.sa, y.sb, x.se, x.sf, y.se, y.sf);
}

static inline void exchange_1(uint16 *a, uint16 *b)
{
    const uint16 x = *a, y = *b;
    *a = (uint16)(x.s0, y.s0, x.s2, y.s2, x.s4, y.s4, x.s6, y.s6, x.s8, y.s8,
            x.sa, y.sa, x.sc, y.sc, x.se, y.se);
    *b = (uint16)(x.s1, y.s1, x.s3, y.s3, x.s5, y.s5, x.s7, y.s7, x.s9, y.s9,
            x.sb, y.sb, x.sd, y.sd, x.sf, y.sf);
}

// 16 rows become 16 columns.
static inline void transpose_block(uint16 *rows)
{
#pragma unroll
    for (int i = 0; i < 8; ++i) exchange_8(&rows[i], &rows[i + 8]);
#pragma unroll
    for (int k = 0; k < 8; ++k) exchange_4(&rows[k / 4 * 8 + k % 4], &rows[k / 4 * 8 + k % 4 + 4]);
#pragma unroll
    for (int k = 0; k < 8; ++k) exchange_2(&rows[k / 2 * 4 + k % 2], &rows[k / 2 * 4 + k % 2 + 2]);
#pragma unroll
    for (int i = 0; i < 16; i += 2) exchange_1(&rows[i], &rows[i + 1]);
}

#if CONVERT_IS_RAW && (SIDE > 16 || SRC_DT == DT_F32 || SRC_DT == DT_S32)

// A row of a block, at any address.
typedef struct __attribute__((packed)) {
    uint16 words;
} line_t;

static inline uint16 get_words(__global const SRC_T *src, convert_t convert)
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
    STORE_NONTEMPORAL(uint16, words, dst);
#else
    *(__global uint16 *)dst = words;
#endif
}

#else

#if !CONVERT_IS_RAW
#define WORDS_OF(x) as_uint16(x)
#define OF_WORDS(x) as_float16(x)
#elif SRC_DT == DT_S8
#define WORDS_OF(x) convert_uint16(as_uchar16(x))
#define OF_WORDS(x) as_char16(convert_uchar16(x))
#elif SRC_DT == DT_U8
#define WORDS_OF(x) convert_uint16(x)
#define OF_WORDS(x) convert_uchar16(x)
#else
#define WORDS_OF(x) convert_uint16(x)
#define OF_WORDS(x) convert_ushort16(x)
#endif

static inline uint16 get_words(__global const SRC_T *src, convert_t convert)
{
    return WORDS_OF(convert_get(src, convert));
}

static inline void put_words(__global DST_T *dst, uint16 words)
{
    convert_put(dst, OF_WORDS(words));
}

#define put_line put_words

#endif

// Cache lines of src to prefetch, row after row of `across` lines.
typedef struct {
    __global const SRC_T *line;
    int n, across;
} ahead_t;

static inline void prefetch_next(ahead_t *ahead, long src_y)
{
#if defined(NONTEMPORAL)
    PREFETCH_LINE(ahead->line);
    ahead->line += SIDE;
    if (++ahead->n == ahead->across) {
        ahead->line += src_y - ahead->across * SIDE;
        ahead->n = 0;
    }
#endif
}

#if PARTS > 1

// Elements of `bits` bits at even places of rows a and b become pairs of words, those at odd ones.
static inline uint16 pair_even(uint16 a, uint16 b, uint mask, uint bits)
{
    return (a & mask) | ((b & mask) << bits);
}

static inline uint16 pair_odd(uint16 a, uint16 b, uint mask, uint bits)
{
    return ((a >> bits) & mask) | (b & ~mask);
}

// PARTS rows: word j of words[m] becomes element PARTS·j + m of each.
static inline void interleave(uint16 *words, const uint16 *rows)
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

// Words of `down` blocks, one below the other. The next tile is prefetched here, between loads: the transposition
// that follows takes long enough to hide the latency.
static inline void get_blocks(uint16 (*words)[BLOCKS][VEC], __global const SRC_T *src, ahead_t *ahead,
        long src_y, int down, convert_t convert)
{
#pragma nounroll
    for (int k = 0; k < down; ++k) {
#pragma nounroll
        for (int y = 0; y < VEC; ++y) {
            uint16 lines[PARTS], mixed[PARTS];
#pragma unroll
            for (int m = 0; m < PARTS; ++m) {
                lines[m] = get_words(src + ((k * VEC + y) * PARTS + m) * src_y, convert);
                prefetch_next(ahead, src_y);
            }
            interleave(mixed, lines);
#pragma unroll
            for (int m = 0; m < PARTS; ++m) words[m][k][y] = mixed[m];
        }
    }
}

#endif

// Every PARTS-th column of blocks. Where an element is a word (PARTS 1), the next tile is prefetched here, between
// stores.
static inline void put_columns(__global DST_T *dst, uint16 (*columns)[BLOCKS], ahead_t *ahead, long src_y,
        long dst_x, int down)
{
#pragma nounroll
    for (int x = 0; x < VEC; ++x) {
        __global DST_T *to = dst + x * PARTS * dst_x;
        const bool is_aligned = ((size_t)to & (SIDE * sizeof(DST_T) - 1)) == 0;
#pragma nounroll
        for (int k = 0; k < down; ++k) {
            if (PARTS == 1) prefetch_next(ahead, src_y);
            if (is_aligned) {
                put_line(to + k * SIDE, columns[x][k]);
                continue;
            }
#if defined(NONTEMPORAL)
            // A partial line needs the rest of it: prefetches that of the next block.
            PREFETCH_LINE(to + (k + 1) * SIDE - 1 + SIDE * dst_x);
#endif
            put_words(to + k * SIDE, columns[x][k]);
        }
    }
}

// down·across blocks without padding. Transposed at one place: every inlined copy of that code costs seconds of
// compilation.
static inline void move_tile(__global DST_T *dst, __global const SRC_T *src, __global const SRC_T *next,
        long src_y, long dst_x, int down, int across, convert_t convert)
{
    ahead_t ahead = {next, 0, across};
#pragma nounroll
    for (int c = 0; c < across; ++c) {
#if PARTS > 1
        uint16 words[PARTS][BLOCKS][VEC];
        get_blocks(words, src + c * SIDE, &ahead, src_y, down, convert);
#endif
#pragma nounroll
        for (int m = 0; m < PARTS; ++m) {
            uint16 columns[VEC][BLOCKS];
#pragma nounroll
            for (int k = 0; k < down; ++k) {
                uint16 block[VEC];
#pragma unroll
                for (int y = 0; y < VEC; ++y) {
#if PARTS > 1
                    block[y] = words[m][k][y];
#else
                    block[y] = get_words(src + (k * VEC + y) * src_y + c * SIDE, convert);
#endif
                }
                transpose_block(block);
#pragma unroll
                for (int x = 0; x < VEC; ++x) columns[x][k] = block[x];
            }
            put_columns(dst + (c * SIDE + m) * dst_x, columns, &ahead, src_y, dst_x, down);
        }
    }
}

#endif

__kernel void transpose_blocks(__constant const ocl_nest_t *nest, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, long nx, long ny, long src_y, long dst_x,
        long per_x, long per_y, long chunks_x, long chunks_y, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const nest_piece_t piece = nest_piece(item, chunks_x, chunks_y);
    const long chunk_x = piece.x, chunk_y = piece.y;
    const nest_at_t at = nest_at(nest, piece.outer);
    src += src_off + at.offs[1];
    dst += dst_off + at.offs[0];
    const long end_x = chunk_x == chunks_x - 1 ? nx : (chunk_x + 1) * per_x;
    const long end_y = chunk_y == chunks_y - 1 ? ny : (chunk_y + 1) * per_y;
    const long begin_x = chunk_x * per_x;
    int down, across;
    for (long band = chunk_y * per_y; band < end_y; band += down * SIDE) {
        down = end_y - band >= BLOCKS * SIDE ? BLOCKS : 1;
        // What is left over at the ends is moved with neighbours that were moved already.
        const long y = min(band, end_y - SIDE);
        for (long step = begin_x; step < end_x; step += across * SIDE) {
            across = end_x - step >= ACROSS * SIDE ? ACROSS : 1;
            const long x = min(step, end_x - SIDE);
            __global DST_T *to = dst + x * dst_x + y;
            __global const SRC_T *from = src + y * src_y + x;
            if (!WITH_TAILS || place_kind(nest, &at, x + across * SIDE - 1, y + down * SIDE - 1) == 2) {
                // The next tile, prefetched while this one is transposed.
                __global const SRC_T *next = from + across * SIDE;
                if (step + across * SIDE >= end_x) next = src + (y + down * SIDE) * src_y + begin_x;
                move_tile(to, from, next, src_y, dst_x, down, across, convert);
                continue;
            }
            for (int i = 0; i < across * SIDE; ++i) {
                for (int j = 0; j < down * SIDE; ++j) {
                    move_one(nest, &at, to + i * dst_x + j, from + j * src_y + i, x + i, y + j,
                            convert);
                }
            }
        }
    }
}
