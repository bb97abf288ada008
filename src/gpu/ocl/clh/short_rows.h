// SPDX-License-Identifier: Apache-2.0
// Stores of f32 sums as f16 or bf16 by way of local memory, to rows of dst that begin and end anywhere, by a work-group
// that goes along the rows, tile by tile of BN columns. Memory takes whole sectors of 32 bytes fastest: what a tile has
// of a sector at its end is carried to the next tile, which stores it. Of every 8 columns a work-item has two
// neighbours in rows lane / 4 and lane / 4 + 8 of its warp's 16, as matrix units leave them.
//
//     short_keep(d, nsums, rows, lane, is_bf16)   d: the work-item's sums; rows: where those of the warp begin, which are
//                                                 SHORT_PITCH words apart
//     short_put(rows, carried, carry, count, lane, part)
//       rows, count      a warp stores so many, 16 at most; all have kept what they have of them
//       carried, carry   the 16 columns before the tile, and where its last 16 go: two vectors for each row
//       part             where they are stored
//
// -D: BN, a multiple of 16; those of clh/unaligned.h.
#ifndef CLH_SHORT_ROWS_H
#define CLH_SHORT_ROWS_H

#include "clh/always_inline.h"
#include "clh/short_pair.h"
#include "clh/unaligned.h"

#define SHORT_PITCH (BN / 2 + 4) // words: rows begin in different banks
#define SHORT_VECS (BN / 8)
#define SHORT_SECTOR 16 // elements

// Rows of a tile in dst.
typedef struct {
    __global uchar *base; // of column 0 in row 0
    long row_bytes;
    int nrows, width;     // that there are; width is BN unless is_last
    bool is_aligned;      // they begin at multiples of 16 bytes, width is a multiple of 8: nothing is carried
    bool is_first;        // nothing was carried
    bool is_last;         // nothing is carried on
} short_part_t;

ALWAYS_INLINE void short_keep(const float *d, const int nsums, __local uint *rows, int lane, const bool is_bf16)
{
#pragma unroll
    for (int i = 0; i < nsums; i += 2)
        rows[(lane / 4 + (i & 2 ? 8 : 0)) * SHORT_PITCH + i / 4 * 4 + lane % 4] = short_pair(d[i], d[i + 1], is_bf16);
}

// Elements by which a row of the tile begins behind a sector.
ALWAYS_INLINE int short_behind(const short_part_t *part, int p)
{
    return (int)((ulong)(part->base + p * part->row_bytes) & 31) / 2;
}

// Vector q of dst, counted from the sector in which the row of the tile begins: put together from two.
ALWAYS_INLINE void short_put_vector(__local const uint *row, __local const uint4 *carried, int q, int behind,
        __global uchar *at)
{
    const int from = SHORT_SECTOR + q * 8 - behind, v = from / 8;
    __local const uint4 *vecs = (__local const uint4 *)row;
    const uint4 low = v < 2 ? carried[v] : vecs[v - 2];
    const uint4 high = v < 1 ? carried[v + 1] : vecs[min(v - 1, SHORT_VECS - 1)];
    *(__global uint4 *)(at - behind * 2 + q * 16) = unaligned_part(low, high, (uint)(from % 8 * 2));
}

// Elements of sectors that the tile has, or is told of, in part: neighbours store neighbours.
ALWAYS_INLINE void short_put_ends(__local const uint *row, __local const uint4 *carried, const short_part_t *part,
        int e, int behind, __global uchar *at)
{
    // Of the first sector, what begins in the tile.
    const int own = part->is_first && behind > 0 ? SHORT_SECTOR - behind : 0;
    if (e < min(own, part->width)) ((__global ushort *)at)[e] = ((__local const ushort *)row)[e];
    if (!part->is_last) return;
    const int j = (behind + part->width) / SHORT_SECTOR * SHORT_SECTOR - behind + e;
    if (j >= part->width || (part->is_first && j < own)) return;
    ((__global ushort *)at)[j] =
            j < 0 ? ((__local const ushort *)carried)[SHORT_SECTOR + j] : ((__local const ushort *)row)[j];
}

ALWAYS_INLINE void short_put_aligned(__local const uint *rows, const int count, int lane, const short_part_t *part)
{
#pragma unroll 4
    for (int c = lane; c < count * SHORT_VECS; c += 32) {
        const int p = c / SHORT_VECS, q = c % SHORT_VECS;
        if (p >= part->nrows || q * 8 >= part->width) continue;
        *(__global uint4 *)(part->base + p * part->row_bytes + q * 16) =
                *(__local const uint4 *)(rows + p * SHORT_PITCH + q * 4);
    }
}

ALWAYS_INLINE void short_put_anywhere(__local const uint *rows, __local const uint4 *carried, __local uint4 *carry,
        const int count, int lane, const short_part_t *part)
{
#pragma unroll 4
    for (int c = lane; c < count * SHORT_VECS; c += 32) {
        const int p = c / SHORT_VECS, q = c % SHORT_VECS, behind = short_behind(part, p);
        const bool is_whole = q / 2 < (behind + part->width) / SHORT_SECTOR;
        if (p < part->nrows && is_whole && !(part->is_first && q < 2 && behind > 0))
            short_put_vector(rows + p * SHORT_PITCH, carried + p * 2, q, behind, part->base + p * part->row_bytes);
    }
    if (!part->is_last && lane < count * 2)
        carry[lane] = *((__local const uint4 *)(rows + lane / 2 * SHORT_PITCH) + SHORT_VECS - 2 + lane % 2);
    if (!part->is_first && !part->is_last) return;
#pragma unroll 1
    for (int c = lane; c < count * SHORT_SECTOR; c += 32) {
        const int p = c / SHORT_SECTOR;
        if (p < part->nrows)
            short_put_ends(rows + p * SHORT_PITCH, carried + p * 2, part, c % SHORT_SECTOR, short_behind(part, p),
                    part->base + p * part->row_bytes);
    }
}

ALWAYS_INLINE void short_put(__local const uint *rows, __local const uint4 *carried, __local uint4 *carry,
        const int count, int lane, const short_part_t *part)
{
    if (part->is_aligned)
        short_put_aligned(rows, count, lane, part);
    else
        short_put_anywhere(rows, carried, carry, count, lane, part);
}

#endif
