// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling in f16 or bf16 by small windows where channels are innermost (NHWC, nChw16c): a work-item
// computes a tile of ROWS × COLS elements of diff_src of 8 channels, loads every window over it once, and keeps two
// channels in a word.
//
//   data                     shapes and strides, which 8 divides, as it does the runs of channels
//   diff_dst, diff_dst_off   [N, C, OH, OW] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of uchar: index of the maximum in the window
//   diff_src, diff_src_off   [N, C, IH, IW] of DIFF_SRC_T by data->diff_src; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, row of tiles, column of tiles, vector]. Numerics: clh/pool_pairs.h.
//
// Loads do not depend on each other, so that all are in flight together: beyond a border the nearest window is loaded,
// and has no winner. Tensors that begin between vectors, and vectors of padding alone, go element by element; what is
// padding in a vector of diff_dst is 0.
// -D: SIZES_BY_VALUE; ONE_LAYOUT: runs of channels are alike in all tensors, and ws has the strides of diff_dst; those
// of clh/pool_pairs.h.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nhwc_tile_pairs needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(PH) || !defined(PW)
#error "ocl_pool_backward_nhwc_tile_pairs needs KH, KW, SH, SW, PH, PW"
#endif
#if !defined(ROWS) || !defined(COLS) || !defined(HAS_DEPTH) || !defined(ONE_LAYOUT)
#error "ocl_pool_backward_nhwc_tile_pairs needs ROWS, COLS, HAS_DEPTH, ONE_LAYOUT"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool_pairs.h"

#define CHANNELS 8
#define WORDS (CHANNELS / 2)

// The pointers are those of the first channel: diff_src at the first element, others at position 0.
typedef struct {
    __global const DIFF_DST_T *diff_dst;
    __global const WS_T *ws;
    __global DIFF_SRC_T *diff_src;
    int h, w; // of its first element
} tile_t;

typedef struct {
    uint x[WORDS], winners[WORDS];
} window_pairs_t;

ALWAYS_INLINE void split_window(window_pairs_t *to, uint4 x, uint2 winners)
{
    to->x[0] = x.s0, to->x[1] = x.s1, to->x[2] = x.s2, to->x[3] = x.s3;
    to->winners[0] = pair_of_bytes(winners.s0, 0), to->winners[1] = pair_of_bytes(winners.s0, 1);
    to->winners[2] = pair_of_bytes(winners.s1, 0), to->winners[3] = pair_of_bytes(winners.s1, 1);
}

ALWAYS_INLINE void load_windows(
        window_pairs_t *to, SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile)
{
    const int height = data->diff_dst.h / CHANNELS, width = data->diff_dst.w / CHANNELS;
    const int ws_height = data->ws.h / CHANNELS, ws_width = data->ws.w / CHANNELS;
    const int oh = first_window(&data->axes[1], tile->h, SH), ow = first_window(&data->axes[2], tile->w, SW);
#pragma unroll
    for (int i = 0; i < NOH; ++i) {
        const window_t row = window_at(&data->axes[1], oh + FIRST_OH + i, KH);
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            const window_t col = window_at(&data->axes[2], ow + FIRST_OW + j, KW);
            const int at = row.at * height + col.at * width;
            const int ws_at = ONE_LAYOUT ? at : row.at * ws_height + col.at * ws_width;
            const uint4 x = ((__global const uint4 *)tile->diff_dst)[at];
            const uint2 winners = ((__global const uint2 *)tile->ws)[ws_at];
            split_window(to + (i * NOW + j), x, row.is_there && col.is_there ? winners : (uint2)(~0u));
        }
    }
}

// Two channels of the element at row r and column c of the tile.
ALWAYS_INLINE uint gather_pair(const window_pairs_t *windows, const int r, const int c, const int k)
{
    pair_sum_t sum = no_pairs(COUNT_TAPS_H(r) * COUNT_TAPS_W(c));
#pragma unroll
    for (int i = 0; i < NOH; ++i)
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            if (!IS_TAP_H(r, i) || !IS_TAP_W(c, j)) continue;
            const window_pairs_t *const w = windows + (i * NOW + j);
            add_pair(&sum, w->x[k] & pair_mask(w->winners[k], TAP_H(r, i) * KW + TAP_W(c, j)));
        }
    return pair_of_sum(&sum);
}

ALWAYS_INLINE void gather_tile(SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile)
{
    const int height = data->diff_src.h / CHANNELS, width = data->diff_src.w / CHANNELS;
    window_pairs_t windows[NOH * NOW];
    load_windows(windows, data, tile);
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int c = 0; c < COLS; ++c) {
            const uint4 x = (uint4)(gather_pair(windows, r, c, 0), gather_pair(windows, r, c, 1),
                    gather_pair(windows, r, c, 2), gather_pair(windows, r, c, 3));
            if (tile->h + r < data->axes[1].in && tile->w + c < data->axes[2].in)
                ((__global uint4 *)tile->diff_src)[r * height + c * width] = x;
        }
}

// The same element by element; `nchannels` of them are no padding.
static inline void gather_elements(
        SIZES_SPACE const ocl_pool_backward_data_t *data, const tile_t *tile, int nchannels)
{
#pragma unroll 1
    for (int i = 0; i < ROWS * COLS * CHANNELS; ++i) {
        const int r = i / CHANNELS / COLS, c = i / CHANNELS % COLS, k = i % CHANNELS;
        if (tile->h + r >= data->axes[1].in || tile->w + c >= data->axes[2].in) continue;
        const float x = k < nchannels
                ? gather_element(data, tile->diff_dst + k, tile->ws + k, tile->h, tile->w, r, c)
                : 0.0f;
        DIFF_SRC_STORE(tile->diff_src, r * data->diff_src.h + c * data->diff_src.w + k, x);
    }
}

__kernel void pool_backward_nhwc_tile_pairs(SIZES(ocl_pool_backward_data_t), __global const DIFF_DST_T *diff_dst,
        long diff_dst_off, __global const WS_T *ws, long ws_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    SIZES_OF(ocl_pool_backward_data_t, data);
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int lane = split_digit(&index, &data->by_vecs) * CHANNELS;
    const int w = split_digit(&index, &data->by_cols) * COLS, h = split_digit(&index, &data->by_rows) * ROWS;
    const int block = split_digit(&index, &data->by_blocks), n = index;
    const int nchannels = data->diff_src.channels - (block * data->diff_src.run + lane);
    diff_src += diff_src_off + (n * data->diff_src.n + block * data->diff_src.block + lane);
    diff_src += h * data->diff_src.h + w * data->diff_src.w;
#if ONE_LAYOUT
    const int at = n * data->diff_dst.n + block * data->diff_dst.block + lane;
    diff_dst += diff_dst_off + at, ws += ws_off + at;
#else
    const int c = data->diff_src.channels - max(nchannels, 1); // the others may have less padding
    diff_dst += diff_dst_off + channels_offset(&data->diff_dst, n, c);
    ws += ws_off + channels_offset(&data->ws, n, c);
#endif
    const tile_t tile = {diff_dst, ws, diff_src, h, w};
    const size_t addresses = (size_t)diff_dst | (size_t)diff_src | (size_t)ws * sizeof(DIFF_SRC_T);
    if ((addresses & (CHANNELS * sizeof(DIFF_SRC_T) - 1)) == 0 && nchannels > 0)
        gather_tile(data, &tile);
    else
        gather_elements(data, &tile, nchannels);
}
