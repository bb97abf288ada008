// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling by small windows, NCHW: a work-item computes a tile of ROWS × COLS elements of a plane of
// diff_src, COLS of a row as one vector, and loads every window over it once.
//
//   data                     shapes and strides; rows have stride 1
//   diff_dst, diff_dst_off   [N, C, OD, OH, OW] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of uchar: index of the maximum in the window; null unless ALG is POOL_MAX
//   diff_src, diff_src_off   [N, C, ID, IH, IW] of DIFF_SRC_T by data->diff_src
// Grid: x ≥ data->nitems, work-item [n, c, d, row of tiles, column of tiles]. Numerics: f32.
//
// Loads do not depend on conditions, so that all of a row of windows are in flight together: beyond a border the
// nearest window is loaded, and counts 0.
// -D: DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC = 1, COLS = 2, 4 or 8, ALG = POOL_…, HAS_DEPTH (some
// depth is above 1), SIZES_BY_VALUE, those of clh/pool_backward_tile.h.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nchw_tile needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(PH) || !defined(PW)
#error "ocl_pool_backward_nchw_tile needs KH, KW, SH, SW, PH, PW"
#endif
#if !defined(ROWS) || !defined(COLS) || !defined(HAS_DEPTH)
#error "ocl_pool_backward_nchw_tile needs ROWS, COLS, HAS_DEPTH"
#endif
#if VEC != 1
#error "windows are loaded one by one"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool_gather.h"
#include "clh/pool_backward_tile.h"

#define STORE_COLS VEC_NAME(DIFF_SRC_, STORE, COLS)
#define LOAD_COLS RAW_JOIN(vload, COLS)

// Adds what the windows of one plane pass on; of a maximum, whose tap in the plane is `kd`.
ALWAYS_INLINE void gather_plane(float *acc, SIZES_SPACE const ocl_pool_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, int oh, int ow, int kd, int nplanes)
{
    window_t cols[NOW];
#pragma unroll
    for (int j = 0; j < NOW; ++j) cols[j] = window_at(&data->axes[2], ow + FIRST_OW + j, KW);
#pragma unroll
    for (int i = 0; i < NOH; ++i) {
        const window_t row = window_at(&data->axes[1], oh + FIRST_OH + i, KH);
        float x[NOW];
        int winner[NOW];
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            x[j] = DIFF_DST_LOAD(diff_dst, row.at * data->diff_dst.h + cols[j].at);
            winner[j] = winners_at(ws + (row.at * data->ws.h + cols[j].at)) - kd * KH * KW;
        }
#pragma unroll
        for (int j = 0; j < NOW; ++j) {
            const bool is_there = row.is_there && cols[j].is_there;
            x[j] = is_there ? share_out(x[j], row.ntaps * cols[j].ntaps * nplanes) : 0.0f;
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

__kernel void pool_backward_nchw_tile(SIZES(ocl_pool_backward_data_t), __global const DIFF_DST_T *diff_dst,
        long diff_dst_off, __global const WS_T *ws, long ws_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    SIZES_OF(ocl_pool_backward_data_t, data);
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->by_cols) * COLS, h = split_digit(&index, &data->by_rows) * ROWS;
    const int d = HAS_DEPTH ? split_digit(&index, &data->by_depth) : 0;
    const int c = split_digit(&index, &data->by_blocks), n = index;
    const int height = data->axes[1].in - h, width = data->axes[2].in - w;
    diff_src += diff_src_off + (n * data->diff_src.n + c * data->diff_src.block);
    diff_src += d * data->diff_src.d + h * data->diff_src.h + w;
    diff_dst += diff_dst_off + (n * data->diff_dst.n + c * data->diff_dst.block);
#if ALG == POOL_MAX
    ws += ws_off + (n * data->ws.n + c * data->ws.block);
#endif
    // The window whose tap PH, PW the tile's first element is.
    const int oh = (int)((uint)(h + data->axes[1].pad) / SH), ow = (int)((uint)(w + data->axes[2].pad) / SW);
    float acc[ROWS * COLS];
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
    const bool is_whole = width >= COLS && ARE_ALIGNED(DIFF_SRC_T, COLS, diff_src, data->diff_src.h);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (r >= height) continue;
#pragma unroll
        for (int k = 0; k < COLS; ++k) acc[r * COLS + k] = divide_sum(acc[r * COLS + k], data->volume);
        if (is_whole) {
            STORE_COLS(AS_ALIGNED(DIFF_SRC_T, COLS, diff_src + r * data->diff_src.h), 0, LOAD_COLS(0, acc + r * COLS));
        } else {
#pragma unroll
            for (int k = 0; k < COLS; ++k)
                if (k < width) DIFF_SRC_STORE(diff_src, r * data->diff_src.h + k, acc[r * COLS + k]);
        }
    }
}
