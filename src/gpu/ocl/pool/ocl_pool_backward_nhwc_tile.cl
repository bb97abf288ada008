// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling by small windows where channels are innermost (NHWC, nChw16c): a work-item computes a tile of
// ROWS × COLS elements of diff_src of one vector of channels, and loads every window over it once.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, OD, OH, OW] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of uchar: index of the maximum in the window; null unless ALG is POOL_MAX
//   diff_src, diff_src_off   [N, C, ID, IH, IW] of DIFF_SRC_T by data->diff_src; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, d, row of tiles, column of tiles, vector]. Numerics: f32.
//
// Loads do not depend on conditions, so that all of a row of windows are in flight together: beyond a border the
// nearest window is loaded, and counts 0. Tensors whose vectors are not aligned take a slow path.
// -D: DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC, ALG = POOL_…, HAS_DEPTH (some depth is above 1),
// SIZES_BY_VALUE, those of clh/pool_backward_tile.h.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nhwc_tile needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(PH) || !defined(PW)
#error "ocl_pool_backward_nhwc_tile needs KH, KW, SH, SW, PH, PW"
#endif
#if !defined(ROWS) || !defined(COLS) || !defined(HAS_DEPTH)
#error "ocl_pool_backward_nhwc_tile needs ROWS, COLS, HAS_DEPTH"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool_gather.h"
#include "clh/pool_backward_tile.h"

// Adds what the windows of one plane pass on; of a maximum, whose tap in the plane is `kd`.
ALWAYS_INLINE void gather_plane(floatv *acc, SIZES_SPACE const ocl_pool_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, int oh, int ow, int kd, int nplanes)
{
#pragma unroll
    for (int i = 0; i < NOH; ++i) {
        const window_t row = window_at(&data->axes[1], oh + FIRST_OH + i, KH);
        floatv x[NOW];
        intv winner[NOW];
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            const window_t col = window_at(&data->axes[2], ow + FIRST_OW + j, KW);
            const int at = row.at * data->diff_dst.h + col.at * data->diff_dst.w;
            x[j] = DIFF_DST_LOADV(AS_ALIGNED(DIFF_DST_T, VEC, diff_dst + at), 0);
            const int ws_at = row.at * data->ws.h + col.at * data->ws.w;
            winner[j] = winners_at(AS_ALIGNED(WS_T, VEC, ws + ws_at)) - kd * KH * KW;
            const bool is_there = row.is_there && col.is_there;
            x[j] = is_there ? share_out(x[j], row.ntaps * col.ntaps * nplanes) : (floatv)(0.0f);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int k = 0; k < COLS * NOW; ++k) {
                const int c = k / NOW, j = k % NOW;
                if (IS_TAP_H(r, i) && IS_TAP_W(c, j))
                    acc[r * COLS + c] += pass_on(x[j], winner[j], TAP_H(r, i) * KW + TAP_W(c, j));
            }
    }
}

static inline void store_masked(SIZES_SPACE const ocl_pool_backward_data_t *data, __global DIFF_SRC_T *diff_src, int at,
        floatv x, int c)
{
    if (c + VEC > data->diff_src.channels) x = select((floatv)(0.0f), x, lanes + c < data->diff_src.channels);
    DIFF_SRC_STOREV(diff_src, at, x);
}

__kernel void pool_backward_nhwc_tile(SIZES(ocl_pool_backward_data_t), __global const DIFF_DST_T *diff_dst,
        long diff_dst_off, __global const WS_T *ws, long ws_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    SIZES_OF(ocl_pool_backward_data_t, data);
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int vec = split_digit(&index, &data->by_vecs);
    const int w = split_digit(&index, &data->by_cols) * COLS, h = split_digit(&index, &data->by_rows) * ROWS;
    const int d = HAS_DEPTH ? split_digit(&index, &data->by_depth) : 0;
    const int c = split_digit(&index, &data->by_blocks) * data->diff_src.run + vec * VEC, n = index;
    const int height = data->axes[1].in - h, width = data->axes[2].in - w;
    const bool is_padding = c >= data->diff_src.channels;
    diff_src += diff_src_off + channels_offset(&data->diff_src, n, c);
    diff_src += d * data->diff_src.d + h * data->diff_src.h + w * data->diff_src.w;
    diff_dst += diff_dst_off + (is_padding ? 0 : channels_offset(&data->diff_dst, n, c));
    bool is_aligned = ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, data->diff_dst.d | data->diff_dst.h | data->diff_dst.w);
#if ALG == POOL_MAX
    ws += ws_off + (is_padding ? 0 : channels_offset(&data->ws, n, c));
    is_aligned = is_aligned && ARE_ALIGNED(WS_T, VEC, ws, data->ws.d | data->ws.h | data->ws.w);
#endif
    if (!is_aligned || is_padding) {
#pragma unroll 1
        for (int i = 0; i < ROWS * COLS; ++i) {
            const int r = i / COLS, k = i % COLS;
            if (r >= height || k >= width) continue;
            const floatv x =
                    is_padding ? (floatv)(0.0f) : gather_any(data, diff_dst, ws, d, h + r, w + k);
            store_masked(data, diff_src, r * data->diff_src.h + k * data->diff_src.w, x, c);
        }
        return;
    }
    // The window whose tap PH, PW the tile's first element is.
    const int oh = (int)((uint)(h + data->axes[1].pad) / SH), ow = (int)((uint)(w + data->axes[2].pad) / SW);
    floatv acc[ROWS * COLS];
#pragma unroll
    for (int i = 0; i < ROWS * COLS; ++i) acc[i] = 0.0f;
#if HAS_DEPTH
    const windows_t planes = windows_over(&data->axes[0], d);
    for (int od = planes.begin; od < planes.end; ++od) {
        const int kd = tap_on(&data->axes[0], d, od);
        if (kd >= 0)
            gather_plane(acc, data, diff_dst + od * data->diff_dst.d, ws + (ALG == POOL_MAX ? od * data->ws.d : 0), oh,
                    ow, kd, count_taps(&data->axes[0], od));
    }
#else
    gather_plane(acc, data, diff_dst, ws, oh, ow, 0, 1);
#endif
#pragma unroll
    for (int i = 0; i < ROWS * COLS; ++i) {
        const int r = i / COLS, k = i % COLS;
        if (r < height && k < width)
            store_masked(data, diff_src, r * data->diff_src.h + k * data->diff_src.w, divide_sum(acc[i], data->volume),
                    c);
    }
}
