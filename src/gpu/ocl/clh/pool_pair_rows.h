// SPDX-License-Identifier: Apache-2.0
// Rows of bytes under VEC neighbouring windows, as pairs of 16 bits: joined along the height as they
// are loaded, along the width once for a row of windows.
// -D: VEC = 8, KW, SW, PW, RAGGED = 0, those of clh/pool_pairs.h; SRC = DST.
#ifndef CLH_POOL_PAIR_ROWS_H
#define CLH_POOL_PAIR_ROWS_H

#include "clh/pool_pairs.h"
#include "clh/unpack.h"

// Columns under VEC windows: LEFT before the first window's stride, MIDDLE as a vector, RIGHT.
#define MIDDLE (SW * VEC)
#define LEFT PW
#if KW - PW - SW > 0
#define RIGHT (KW - PW - SW)
#else
#define RIGHT 0
#endif

// Whether window v has all its columns in src, wherever the item's are: rows are whole multiples of
// MIDDLE.
#define IS_INNER(v) (!RAGGED && (v) * SW >= LEFT && (v) * SW + KW - LEFT <= MIDDLE)

#if PAIR_WORDS
#define WORDS_LEFT ((LEFT + 3) / 4)
#define WORDS_RIGHT ((RIGHT + 3) / 4)
#if VEC != 8 || RAGGED || SRC_DT != DST_DT || PAIR_WORDS != WORDS_LEFT + MIDDLE / 4 + WORDS_RIGHT
#error "pairs need VEC 8, rows that are not RAGGED, SRC = DST, PAIR_WORDS of their columns"
#endif

#if MIDDLE == 16
#define UNPACK_WORDS(p, y) UNPACK4(*(__global const uint4 *)(p), y)
#elif MIDDLE == 8
#define UNPACK_WORDS(p, y) UNPACK2(*(__global const uint2 *)(p), y)
#else
#error "MIDDLE is not 8 or 16"
#endif

// What counts as nothing in a sum.
static inline uint load_byte(__global const SRC_T *row, int col, int width)
{
    const uint x = (uchar)row[clamp(col, 0, width - 1)];
    return ALG == POOL_MAX || (col >= 0 && col < width) ? x : PAIR_BIAS;
}

// Columns `col` − LEFT and on of a row of src, `col` aligned to MIDDLE.
__attribute__((always_inline)) static inline pairs_t load_pairs(
        __global const SRC_T *row, int col, int width, bool is_there)
{
    uint words[PAIR_WORDS];
    for (int i = 0; i < PAIR_WORDS; ++i) words[i] = 0u;
    for (int i = 0; i < LEFT; ++i) {
        const int at = 4 * WORDS_LEFT - LEFT + i;
        words[at / 4] |= load_byte(row, col - LEFT + i, width) << (8 * (at % 4));
    }
    UNPACK_WORDS(row + col, words + WORDS_LEFT);
    for (int i = 0; i < RIGHT; ++i) {
        const int at = 4 * WORDS_LEFT + MIDDLE + i;
        words[at / 4] |= load_byte(row, col + MIDDLE + i, width) << (8 * (at % 4));
    }
    return pairs_of(words, is_there);
}

// Columns c and c + 2.
static inline uint columns_at(const pairs_t *x, int c)
{
    const uint *const words = c % 2 ? x->odd : x->even;
    return c % 4 < 2 ? words[c / 4] : (words[c / 4] >> 16) | (words[c / 4 + 1] << 16);
}

// The windows that begin with the columns c and c + 2.
static inline uint windows_at(const pairs_t *x, int c)
{
    uint y = columns_at(x, c);
    for (int k = 1; k < KW; ++k) y = join_pair(y, columns_at(x, c + k));
    return y;
}

// Windows 0 and 2, 1 and 3 of four neighbours, number `i` of VEC / 4.
static inline void four_windows(uint *even, uint *odd, const pairs_t *x, int i)
{
    const int c = 4 * WORDS_LEFT - LEFT + 4 * SW * i;
#if SW == 1
    *even = windows_at(x, c);
    *odd = windows_at(x, c + 1);
#else
    const uint first = windows_at(x, c), second = windows_at(x, c + 4);
    *even = (first & 0xffffu) | (second << 16);
    *odd = (first >> 16) | (second & 0xffff0000u);
#endif
}

// VEC windows of a row that has `nrows` rows of src, the first of which begins at column `col` of
// `width`. volume: of the kernel.
__attribute__((always_inline)) static inline uint2 finish_pairs(
        const pairs_t *x, int col, int width, int nrows, float volume)
{
    uint words[VEC / 4];
    const float all = (float)(KW * nrows);
    const means_t means_of_all = means_over(all, ALG == POOL_AVG_INCLUDE ? volume : all);
#pragma unroll
    for (int i = 0; i < VEC / 4; ++i) {
        uint even, odd;
        four_windows(&even, &odd, x, i);
        if (ALG == POOL_MAX) {
            words[i] = max_of_pairs(even, odd);
            continue;
        }
        const uint sums[4] = {even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16};
        uint y[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            means_t means = means_of_all;
            if (!IS_INNER(4 * i + k)) {
                const int begin = col + (4 * i + k) * SW;
                const float n = (float)((min(begin + KW, width) - max(begin, 0)) * nrows);
                means = means_over(n, ALG == POOL_AVG_INCLUDE ? volume : n);
            }
            y[k] = mean_byte(sums[k], means);
        }
        words[i] = pack_bytes(y[0], y[1], y[2], y[3]);
    }
    return (uint2)(words[0], words[1]);
}

#endif

#endif
