// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling in f16 or bf16 by small windows, NCHW: a work-item computes a tile of ROWS × COLS elements
// of a plane. Of a row of windows it loads as many as the row has strides as one vector, and the few beside them one by
// one; pairs of windows pass on to pairs of columns that are a stride apart.
//
//   data                     shapes and strides; rows have stride 1, COLS divides those of diff_src, WINDOWS the others
//   diff_dst, diff_dst_off   [N, C, OH, OW] of DIFF_DST_T by data->diff_dst; OW ≥ IW / SW
//   ws, ws_off               same shape of uchar: index of the maximum in the window
//   diff_src, diff_src_off   [N, C, IH, IW] of DIFF_SRC_T by data->diff_src
// Grid: x ≥ data->nitems, work-item [n, c, row of tiles, column of tiles]. Numerics: clh/pool_pairs.h.
//
// Loads do not depend on each other, so that all are in flight together: beyond a border the nearest window is loaded,
// and has no winner. Tensors that begin between vectors go element by element.
// -D: COLS = 4 or 8; SIZES_BY_VALUE; LEAD: whole strides of padding in front of a row; those of clh/pool_pairs.h.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nchw_tile_pairs needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(PH) || !defined(PW)
#error "ocl_pool_backward_nchw_tile_pairs needs KH, KW, SH, SW, PH, PW"
#endif
#if !defined(ROWS) || !defined(COLS) || !defined(HAS_DEPTH) || !defined(LEAD)
#error "ocl_pool_backward_nchw_tile_pairs needs ROWS, COLS, HAS_DEPTH, LEAD"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool_pairs.h"

// Windows of a vector, the first of a tile's that is in it, and distances between a window and the first column of
// which it is the vector's.
#define WINDOWS (COLS / SW)
#define VECTOR_AT (-(LEAD + FIRST_OW))
#define SHIFTS (NOW - WINDOWS + 1)

#if VECTOR_AT < 0 || VECTOR_AT >= SHIFTS
#error "the padding is as wide as the window"
#endif

#if WINDOWS == 2
typedef uint words_t;
typedef ushort bytes_t;
#define SPLIT_WORDS(x, to) ((to)[0] = (x))
#define SPLIT_BYTES(x, to) ((to)[0] = pair_of_bytes(x, 0))
#elif WINDOWS == 4
typedef uint2 words_t;
typedef uint bytes_t;
#define SPLIT_WORDS(x, to) ((to)[0] = (x).s0, (to)[1] = (x).s1)
#define SPLIT_BYTES(x, to) ((to)[0] = pair_of_bytes(x, 0), (to)[1] = pair_of_bytes(x, 1))
#elif WINDOWS == 8
typedef uint4 words_t;
typedef uint2 bytes_t;
#define SPLIT_WORDS(x, to) ((to)[0] = (x).s0, (to)[1] = (x).s1, (to)[2] = (x).s2, (to)[3] = (x).s3)
#define SPLIT_BYTES(x, to) \
    ((to)[0] = pair_of_bytes((x).s0, 0), (to)[1] = pair_of_bytes((x).s0, 1), (to)[2] = pair_of_bytes((x).s1, 0), \
            (to)[3] = pair_of_bytes((x).s1, 1))
#else
#error "COLS / SW is not 2, 4 or 8"
#endif
#define WORDS (WINDOWS / 2)

#if COLS == 8
typedef uint4 row_t;
#define JOIN_ROW(x) ((uint4)((x)[0], (x)[1], (x)[2], (x)[3]))
#else
typedef uint2 row_t;
#define JOIN_ROW(x) ((uint2)((x)[0], (x)[1]))
#endif

// The pointers are those of the plane, diff_src at the first element.
typedef struct {
    __global const DIFF_DST_T *diff_dst;
    __global const WS_T *ws;
    __global DIFF_SRC_T *diff_src;
    int h, w; // of its first element
} tile_t;

typedef struct {
    ushort x[NOW], winners[NOW];
} windows_row_t;

ALWAYS_INLINE void load_vector(
        windows_row_t *to, __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, bool is_there)
{
    uint x[WORDS], winners[WORDS];
    const words_t words = *(__global const words_t *)diff_dst;
    const bytes_t bytes = is_there ? *(__global const bytes_t *)ws : (bytes_t)(~0);
    SPLIT_WORDS(words, x);
    SPLIT_BYTES(bytes, winners);
#pragma unroll
    for (int k = 0; k < WORDS; ++k) {
        to->x[VECTOR_AT + 2 * k] = (ushort)x[k], to->x[VECTOR_AT + 2 * k + 1] = (ushort)(x[k] >> 16);
        to->winners[VECTOR_AT + 2 * k] = (ushort)winners[k];
        to->winners[VECTOR_AT + 2 * k + 1] = (ushort)(winners[k] >> 16);
    }
}

ALWAYS_INLINE void load_windows(
        windows_row_t *to, SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile)
{
    const int oh = first_window(&data->axes[1], tile->h, SH), ow = first_window(&data->axes[2], tile->w, SW);
#pragma unroll
    for (int i = 0; i < NOH; ++i) {
        const window_t row = window_at(&data->axes[1], oh + FIRST_OH + i, KH);
        __global const DIFF_DST_T *const diff_dst = tile->diff_dst + row.at * data->diff_dst.h;
        __global const WS_T *const ws = tile->ws + row.at * data->ws.h;
        const int at = ow + FIRST_OW + VECTOR_AT;
        load_vector(&to[i], diff_dst + at, ws + at, row.is_there);
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            if (j >= VECTOR_AT && j < VECTOR_AT + WINDOWS) continue;
            const window_t col = window_at(&data->axes[2], ow + FIRST_OW + j, KW);
            to[i].x[j] = diff_dst[col.at];
            to[i].winners[j] = row.is_there && col.is_there ? ws[col.at] : 0xff;
        }
    }
}

// Of row r the columns 2 · k · SW + c and the one a stride behind it.
ALWAYS_INLINE uint gather_pair(const windows_row_t *windows, const int r, const int c, const int k)
{
    pair_sum_t sum = no_pairs(COUNT_TAPS_H(r) * COUNT_TAPS_W(c));
#pragma unroll
    for (int i = 0; i < NOH; ++i)
#pragma unroll
        for (int j = 0; j < SHIFTS; ++j) {
            if (!IS_TAP_H(r, i) || !IS_TAP_W(c, j)) continue;
            const uint winners = pair_of(windows[i].winners + j + 2 * k);
            add_pair(&sum, pair_of(windows[i].x + j + 2 * k) & pair_mask(winners, TAP_H(r, i) * KW + TAP_W(c, j)));
        }
    return pair_of_sum(&sum);
}

ALWAYS_INLINE row_t gather_row(const windows_row_t *windows, const int r)
{
    uint words[COLS / 2];
#pragma unroll
    for (int k = 0; k < WORDS; ++k) {
#if SW == 1
        words[k] = gather_pair(windows, r, 0, k);
#else
        const uint even = gather_pair(windows, r, 0, k), odd = gather_pair(windows, r, 1, k);
        words[2 * k] = (even & 0xffffu) | odd << 16;
        words[2 * k + 1] = even >> 16 | (odd & 0xffff0000u);
#endif
    }
    return JOIN_ROW(words);
}

ALWAYS_INLINE void gather_tile(SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile)
{
    windows_row_t windows[NOH];
    load_windows(windows, data, tile);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const row_t x = gather_row(windows, r);
        if (tile->h + r < data->axes[1].in) *(__global row_t *)(tile->diff_src + r * data->diff_src.h) = x;
    }
}

static inline void gather_elements(SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile)
{
#pragma unroll 1
    for (int i = 0; i < ROWS * COLS; ++i) {
        const int r = i / COLS, c = i % COLS;
        if (tile->h + r >= data->axes[1].in) break;
        const float x = gather_element(data, tile->diff_dst, tile->ws, tile->h, tile->w, r, c);
        DIFF_SRC_STORE(tile->diff_src, r * data->diff_src.h + c, x);
    }
}

__kernel void pool_backward_nchw_tile_pairs(SIZES(ocl_pool_backward_data_t), __global const DIFF_DST_T *diff_dst,
        long diff_dst_off, __global const WS_T *ws, long ws_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    SIZES_OF(ocl_pool_backward_data_t, data);
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->by_cols) * COLS, h = split_digit(&index, &data->by_rows) * ROWS;
    const int c = split_digit(&index, &data->by_blocks), n = index;
    diff_src += diff_src_off + (n * data->diff_src.n + c * data->diff_src.block);
    diff_src += h * data->diff_src.h + w;
    diff_dst += diff_dst_off + (n * data->diff_dst.n + c * data->diff_dst.block);
    ws += ws_off + (n * data->ws.n + c * data->ws.block);
    const tile_t tile = {diff_dst, ws, diff_src, h, w};
    const bool is_aligned = ((size_t)diff_src & (sizeof(row_t) - 1)) == 0 &&
            ((size_t)diff_dst & (sizeof(words_t) - 1)) == 0 && ((size_t)ws & (sizeof(bytes_t) - 1)) == 0;
    if (is_aligned)
        gather_tile(data, &tile);
    else
        gather_elements(data, &tile);
}
