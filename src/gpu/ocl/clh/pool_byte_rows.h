// SPDX-License-Identifier: Apache-2.0
// Rows of 8-bit elements under VEC adjacent windows (clh/pool_bytes.h).
// -D: VEC = 8, RAGGED = 0, those of clh/window_columns.h and clh/pool_bytes.h; SRC = DST.
#ifndef CLH_POOL_BYTE_ROWS_H
#define CLH_POOL_BYTE_ROWS_H

#include "clh/always_inline.h"
#include "clh/pool_bytes.h"
#include "clh/window_columns.h"

// Whether window v has all its columns in src, wherever the work-item's are: rows are whole multiples of
// MIDDLE.
#define IS_INNER(v) (!RAGGED && (v) * SW >= LEFT && (v) * SW + KW - LEFT <= MIDDLE)

#if BYTE_WORDS
#define WORDS_LEFT ((LEFT + 3) / 4)
#define WORDS_RIGHT ((RIGHT + 3) / 4)
#if VEC != 8 || RAGGED || SRC_DT != DST_DT || BYTE_WORDS != WORDS_LEFT + MIDDLE / 4 + WORDS_RIGHT
#error "bytes need VEC 8, rows that are not RAGGED, SRC = DST, BYTE_WORDS of their columns"
#endif

#if MIDDLE == 16
#define UNPACK_WORDS(p, y) UNPACK4(*(__global const uint4 *)(p), y)
#elif MIDDLE == 8
#define UNPACK_WORDS(p, y) UNPACK2(*(__global const uint2 *)(p), y)
#else
#error "MIDDLE is not 8 or 16"
#endif

// 0 where there is no such column.
static inline uint load_byte(__global const SRC_T *row, int col, int width)
{
    const uint x = (uchar)row[clamp(col, 0, width - 1)];
    return ALG == POOL_MAX || (col >= 0 && col < width) ? x : 0u;
}

// Columns `col` − LEFT and on of a row of src, `col` aligned to MIDDLE, as BYTE_WORDS words.
ALWAYS_INLINE void load_words(
        uint *words, __global const SRC_T *row, int col, int width)
{
    for (int i = 0; i < BYTE_WORDS; ++i) words[i] = 0u;
    for (int i = 0; i < LEFT; ++i) {
        const int at = 4 * WORDS_LEFT - LEFT + i;
        words[at / 4] |= load_byte(row, col - LEFT + i, width) << (8 * (at % 4));
    }
    UNPACK_WORDS(row + col, words + WORDS_LEFT);
    for (int i = 0; i < RIGHT; ++i) {
        const int at = 4 * WORDS_LEFT + MIDDLE + i;
        words[at / 4] |= load_byte(row, col + MIDDLE + i, width) << (8 * (at % 4));
    }
}

#if BYTE_SUMS
// Adds a row of columns to VEC windows.
ALWAYS_INLINE void add_row(sums_t *acc, const uint *words)
{
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
        const int begin = 4 * WORDS_LEFT - LEFT + v * SW, end = begin + KW;
        for (int i = begin / 4; 4 * i < end; ++i) {
            const uint from = 0x01010101u << (begin > 4 * i ? 8 * (begin - 4 * i) : 0);
            const uint to = end - 4 * i < 4 ? (1u << (8 * (end - 4 * i))) - 1u : 0xffffffffu;
            acc->sums[v] = add_bytes(acc->sums[v], words[i], from & to);
        }
    }
}

// VEC windows of a row that has `nrows` rows of src, the first of which begins at column `col` of
// `width`. volume: of the kernel.
ALWAYS_INLINE uint2 finish_row(
        const sums_t *x, int col, int width, int nrows, float volume)
{
    uint bits[VEC];
    const float by_all = 1.0f / (ALG == POOL_AVG_INCLUDE ? volume : (float)(KW * nrows));
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
        float by_volume = by_all;
        if (ALG == POOL_AVG_EXCLUDE && !IS_INNER(v)) {
            const int begin = col + v * SW;
            by_volume = 1.0f / (float)((min(begin + KW, width) - max(begin, 0)) * nrows);
        }
        bits[v] = mean_bits(x->sums[v], by_volume);
    }
    return (uint2)(word_of_means(bits), word_of_means(bits + 4));
}

#else
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

// VEC windows of a row.
ALWAYS_INLINE uint2 finish_row(
        const pairs_t *x, int col, int width, int nrows, float volume)
{
    uint words[VEC / 4];
#pragma unroll
    for (int i = 0; i < VEC / 4; ++i) {
        uint even, odd;
        four_windows(&even, &odd, x, i);
        words[i] = max_of_pairs(even, odd);
    }
    return (uint2)(words[0], words[1]);
}
#endif

#endif

#endif
