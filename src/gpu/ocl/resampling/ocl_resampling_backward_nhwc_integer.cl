// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling by integer factors where channels are innermost (NHWC, nChw16c), for GPUs: a work-item gathers
// VEC channels of ROWS rows and COLS columns of diff_src, and loads each vector of diff_dst under them once.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, D, OH, OW] of DIFF_DST_T by data->diff_dst
//   diff_src, diff_src_off   [N, C, D, IH, IW] of DIFF_SRC_T by data->diff_src; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, d, ROWS rows, COLS columns, vector]. Numerics: weights and sums f32, along
// the width first.
// -D: DIFF_DST, DIFF_SRC (prim__ocl_options_type()), VEC, LINEAR, SCALE_H, SCALE_W (1 to 4), ROWS, COLS.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_backward_nhwc_integer needs DIFF_DST, DIFF_SRC, VEC, LINEAR"
#endif
#if !defined(SCALE_H) || !defined(SCALE_W) || !defined(ROWS) || !defined(COLS)
#error "ocl_resampling_backward_nhwc_integer needs SCALE_H, SCALE_W, ROWS, COLS"
#endif

#include "clh/channels.h"
#include "clh/resampling_triangle.h"
#include "clh/shared/resampling_backward_data.h"
#include "clh/vec.h"

#define DIFF_DST_LOADV VEC_FORM(DIFF_DST, LOAD)
#define DIFF_SRC_STOREV VEC_FORM(DIFF_SRC, STORE)

// What a row of diff_dst adds to COLS elements of diff_src, of which w is the first.
ALWAYS_INLINE void reduce_row(
        floatv *across, __global const DIFF_DST_T *row, int w, int width, int step, bool is_aligned)
{
    floatv x[COLS * SCALE_W + 2 * BESIDE(SCALE_W)];
#pragma unroll
    for (int j = 0; j < COLS * SCALE_W + 2 * BESIDE(SCALE_W); ++j) {
        __global const DIFF_DST_T *from = row + mirrored(w * SCALE_W - BESIDE(SCALE_W) + j, width) * step;
        x[j] = is_aligned ? DIFF_DST_LOADV(AS_ALIGNED(DIFF_DST_T, VEC, from), 0) : DIFF_DST_LOADV(from, 0);
    }
#pragma unroll
    for (int k = 0; k < COLS; ++k) {
        across[k] = 0.0f;
#pragma unroll
        for (int t = -BESIDE(SCALE_W); t < SCALE_W + BESIDE(SCALE_W); ++t)
            across[k] += weight_of(t, SCALE_W) * x[BESIDE(SCALE_W) + k * SCALE_W + t];
    }
}

ALWAYS_INLINE void gather(floatv sums[ROWS][COLS], __constant const ocl_resampling_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, int h, int w, bool is_aligned)
{
#pragma unroll
    for (int r = 0; r < ROWS * COLS; ++r) sums[r / COLS][r % COLS] = 0.0f;
#pragma unroll
    for (int i = -BESIDE(SCALE_H); i < ROWS * SCALE_H + BESIDE(SCALE_H); ++i) {
        floatv across[COLS];
        const int y = mirrored(h * SCALE_H + i, data->axes[1].out);
        reduce_row(across, diff_dst + y * data->diff_dst.h, w, data->axes[2].out, data->diff_dst.w, is_aligned);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const int t = i - r * SCALE_H;
            if (t < -BESIDE(SCALE_H) || t >= SCALE_H + BESIDE(SCALE_H)) continue;
#pragma unroll
            for (int k = 0; k < COLS; ++k) sums[r][k] += weight_of(t, SCALE_H) * across[k];
        }
    }
}

__kernel void resampling_backward_nhwc_integer(__constant const ocl_resampling_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int vec = split_digit(&index, &data->by_vecs);
    const int w = split_digit(&index, &data->by_cols) * COLS;
    const int h = split_digit(&index, &data->by_rows) * ROWS;
    const int d = split_digit(&index, &data->by_depth);
    const int c = split_digit(&index, &data->by_blocks) * data->diff_src.run + vec * VEC, n = index;
    const int channels = data->diff_src.channels;
    diff_src += diff_src_off + channels_offset(&data->diff_src, n, c) + d * data->diff_src.d;
    diff_dst += diff_dst_off + channels_offset(&data->diff_dst, n, min(c, channels - 1)) + d * data->diff_dst.d;
    floatv sums[ROWS][COLS];
    if (ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, data->diff_dst.h) &&
            ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, data->diff_dst.w))
        gather(sums, data, diff_dst, h, w, true);
    else
        gather(sums, data, diff_dst, h, w, false);
#pragma unroll
    for (int r = 0; r < ROWS * COLS; ++r) {
        const int y = h + r / COLS, x = w + r % COLS;
        if (y >= data->axes[1].in || x >= data->axes[2].in) continue;
        floatv sum = sums[r / COLS][r % COLS];
        if (c + VEC > channels) sum = select((floatv)(0.0f), sum, lanes + c < channels);
        DIFF_SRC_STOREV(diff_src, y * data->diff_src.h + x * data->diff_src.w, sum);
    }
}
