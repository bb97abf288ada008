// SPDX-License-Identifier: Apache-2.0
// Stores of WGMMA's f32 sums as f16 or bf16: the 16 rows of a warp, through local memory or straight from registers, 16
// bytes at a time. Rows of dst are contiguous; those of put_short_direct() are 16-byte aligned, of a multiple of 16
// bytes.
//
//     put_short(d, memory, item, row, row_end, width, base, row_bytes, is_bf16, is_aligned)
//       d          the work-item's sums of 64 rows × BN columns
//       row        the group's first row; row_end: where rows end, width: columns that there are
//       base       where its first column is stored in row 0; rows are row_bytes apart
//     put_short_direct()   the same without local memory, except for what wgmma_transpose() needs
#ifndef CLH_WGMMA_OUT_H
#define CLH_WGMMA_OUT_H

#include "clh/always_inline.h"

#if MMA_TYPE != DT_S8

// Sums that go out as 16 bits, as put_rows_raw() would: but each warp turns its own 16 rows, with
// half the traffic and without waiting for the others.
#define SHORT_PITCH (BN / 2 + 4) // words

ALWAYS_INLINE void keep_short(const sum_t *d, __local uint *own, int lane, bool is_bf16)
{
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; i += 2) {
        own[(lane / 4 + (i & 2 ? 8 : 0)) * SHORT_PITCH + i / 4 * 4 + lane % 4] =
                short_pair(d[i], d[i + 1], is_bf16);
    }
    wgmma_warps_barrier();
}

// The warp's rows, kept from `own` on, 16 bytes at a time.
ALWAYS_INLINE void put_kept_vectors(__local const uint *own, int lane, int nrows, int width, __global uchar *base,
        long row_bytes)
{
#pragma unroll 4
    for (int c = lane; c < 16 * (BN / 8); c += 32) {
        const int p = c / (BN / 8), q = c % (BN / 8);
        if (p >= nrows || q * 8 >= width) continue;
        *(__global uint4 *)(base + p * row_bytes + q * 16) = *(__local const uint4 *)(own + p * SHORT_PITCH + q * 4);
    }
}

// Neighbouring lanes store neighbouring words, which begin one element earlier in rows at odd addresses.
ALWAYS_INLINE void put_kept_words(__local const uint *own, int lane, int nrows, int width, __global uchar *base,
        long row_bytes)
{
#pragma unroll 1
    for (int p = 0; p < min(16, nrows); ++p) {
        __global uchar *at = base + p * row_bytes;
        const int odd = (ulong)at & 2 ? 1 : 0;
#pragma unroll
        for (int c = 0; c < BN + 2; c += 64) {
            const int q = c + lane * 2 - odd;
            if (q >= min(width, BN)) continue;
            __local const ushort *from = (__local const ushort *)(own + p * SHORT_PITCH) + q;
            __global ushort *to = (__global ushort *)at + q;
            if (q >= 0 && q + 1 < width)
                *(__global uint *)to = from[0] | (uint)from[1] << 16;
            else if (q >= 0)
                to[0] = from[0];
            else
                to[1] = from[1];
        }
    }
}

// `is_aligned`: rows at multiples of 16 bytes, of a multiple of 16 bytes; else they start and end anywhere. One way
// to the barrier for both: PoCL compiles what follows a barrier once more for each way.
ALWAYS_INLINE void put_short(const sum_t *d, __local uint *memory, int item, int row, int row_end,
        int width, __global uchar *base, long row_bytes, bool is_bf16, bool is_aligned)
{
    const int lane = item % 32;
    __local uint *own = memory + item / 32 * 16 * SHORT_PITCH;
    row += item / 32 * 16;
    keep_short(d, own, lane, is_bf16);
    if (is_aligned)
        put_kept_vectors(own, lane, row_end - row, width, base + row * row_bytes, row_bytes);
    else
        put_kept_words(own, lane, row_end - row, width, base + row * row_bytes, row_bytes);
}

// The same from registers, while local memory takes the next tile: four lanes hold 8 columns of 32,
// each two of 8; transposed, each has 8 neighbours. Rows of 64 bytes are 1.5 % slower at 2048.
ALWAYS_INLINE void put_short_direct(const sum_t *d, int item, int row, int row_end, int width,
        __global uchar *base, long row_bytes, bool is_bf16, __local uint4 *lanes)
{
    const int lane = item % 32;
    row += item / 32 * 16 + lane / 4;
#pragma unroll
    for (int half_rows = 0; half_rows < 2; ++half_rows) {
        const bool is_in = row + half_rows * 8 < row_end;
        __global uchar *at = base + (row + half_rows * 8) * row_bytes;
#pragma unroll
        for (int block = 0; block < BN / 32; ++block) {
            const int first = block * 16 + half_rows * 2, col = block * 32 + lane % 4 * 8;
            const uint4 quad = (uint4)(short_pair(d[first], d[first + 1], is_bf16),
                    short_pair(d[first + 4], d[first + 5], is_bf16),
                    short_pair(d[first + 8], d[first + 9], is_bf16),
                    short_pair(d[first + 12], d[first + 13], is_bf16));
            const uint4 bits = wgmma_transpose(quad, lane, lanes);
            if (is_in && col < width) *(__global uint4 *)(at + col * 2) = bits;
        }
    }
}

#endif

#endif
