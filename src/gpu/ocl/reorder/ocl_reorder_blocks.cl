// SPDX-License-Identifier: Apache-2.0
// Reorder where neighbours of dst are far apart in src, for devices whose items are threads of a
// processor: squares of 16 × 16 elements are turned in registers.
//
//   nest … nitems  as in ocl_reorder_transpose.cl, nx and ny at least 16; the chunks are floor(n / per):
//                  the last one takes the rest as well
// An item walks along x in bands of BLOCKS·16 rows: so many streams of src, each of which a processor
// fetches ahead, and as many neighbours of each row of dst at once, lines of the cache as a whole.
// Grid: x ≥ nitems. Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h with VEC = 16, WITH_TAILS, BLOCKS.
#if !defined(WITH_TAILS) || !defined(BLOCKS) || VEC != 16
#error "ocl_reorder_blocks needs WITH_TAILS, BLOCKS, VEC = 16"
#endif

#include "clh/transpose.h"

// 16 rows become 16 columns: rows that are 8 apart are woven (a.s0, b.s0, a.s1, b.s1 …), four times.
static inline void turn(CONVERT_VEC_T *rows)
{
    CONVERT_VEC_T woven[VEC];
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
    for (long band = chunk_y * per_y; band < end_y; band += n * VEC) {
        n = end_y - band >= BLOCKS * VEC ? BLOCKS : 1;
        // What is left over at the ends is moved with neighbours that were moved already.
        const long y = min(band, end_y - VEC);
        for (long step = chunk_x * per_x; step < end_x; step += VEC) {
            const long x = min(step, end_x - VEC);
            __global DST_T *to = dst + x * dst_x + y;
            __global const SRC_T *from = src + y * src_y + x;
            if (!WITH_TAILS || place_kind(nest, &at, x + VEC - 1, y + n * VEC - 1) == 2) {
                move_blocks(n, to, from, src_y, dst_x, convert);
                continue;
            }
            for (int i = 0; i < VEC; ++i) {
                for (int j = 0; j < n * VEC; ++j) {
                    move_one(nest, &at, to + i * dst_x + j, from + j * src_y + i, x + i, y + j,
                            convert);
                }
            }
        }
    }
}
