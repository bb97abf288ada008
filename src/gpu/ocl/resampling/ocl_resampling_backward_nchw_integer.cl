// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling by integer factors, NCHW with contiguous rows, for GPUs: a work-item gathers VEC adjacent
// elements of ROWS rows of diff_src, and reduces each row of diff_dst under them along the width once.
//
//   data                     shapes and strides; rows have stride 1
//   diff_dst, diff_dst_off   [N, C, D, OH, OW] of DIFF_DST_T by data->diff_dst
//   diff_src, diff_src_off   [N, C, D, IH, IW] of DIFF_SRC_T by data->diff_src
// Grid: x ≥ data->nitems, work-item [n, c, d, ROWS rows, VEC columns]. Numerics: weights and sums f32, along the width
// first.
// -D: DIFF_DST, DIFF_SRC (prim__ocl_options_type()), VEC = 4 or 8, LINEAR, SCALE_H, SCALE_W (1 to 4), ROWS.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_backward_nchw_integer needs DIFF_DST, DIFF_SRC, VEC, LINEAR"
#endif
#if !defined(SCALE_H) || !defined(SCALE_W) || !defined(ROWS)
#error "ocl_resampling_backward_nchw_integer needs SCALE_H, SCALE_W, ROWS"
#endif

#include "clh/channels.h"
#include "clh/resampling_triangle.h"
#include "clh/shared/resampling_backward_data.h"
#include "clh/vec.h"

#define DIFF_DST_LOADV VEC_FORM(DIFF_DST, LOAD)
#define DIFF_SRC_STOREV VEC_FORM(DIFF_SRC, STORE)

#define UNDER_W (VEC * SCALE_W)

// What a row of diff_dst adds to VEC adjacent elements of diff_src, those under them from `first` on.
ALWAYS_INLINE floatv reduce_row(__global const DIFF_DST_T *row, int first, int width, bool is_aligned)
{
    float x[UNDER_W + 2 * BESIDE(SCALE_W)], y[VEC];
#pragma unroll
    for (int j = 0; j < UNDER_W; j += VEC) {
        if (is_aligned) {
            vstorev(DIFF_DST_LOADV(AS_ALIGNED(DIFF_DST_T, VEC, row + first + j), 0), x + BESIDE(SCALE_W) + j);
            continue;
        }
#pragma unroll
        for (int k = 0; k < VEC; ++k)
            x[BESIDE(SCALE_W) + j + k] = DIFF_DST_LOAD(row, mirrored(first + j + k, width));
    }
#pragma unroll
    for (int j = 0; j < BESIDE(SCALE_W); ++j) {
        x[j] = DIFF_DST_LOAD(row, mirrored(first - BESIDE(SCALE_W) + j, width));
        x[BESIDE(SCALE_W) + UNDER_W + j] = DIFF_DST_LOAD(row, mirrored(first + UNDER_W + j, width));
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        y[j] = 0.0f;
#pragma unroll
        for (int t = -BESIDE(SCALE_W); t < SCALE_W + BESIDE(SCALE_W); ++t)
            y[j] += weight_of(t, SCALE_W) * x[BESIDE(SCALE_W) + j * SCALE_W + t];
    }
    return vloadv(y);
}

ALWAYS_INLINE void gather(__constant const ocl_resampling_backward_data_t *data, __global const DIFF_DST_T *diff_dst,
        __global DIFF_SRC_T *diff_src, int h, int w, bool is_aligned)
{
    const int in_h = data->axes[1].in, in_w = data->axes[2].in, out_h = data->axes[1].out, out_w = data->axes[2].out;
    floatv sums[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sums[r] = 0.0f;
#pragma unroll
    for (int i = -BESIDE(SCALE_H); i < ROWS * SCALE_H + BESIDE(SCALE_H); ++i) {
        const int y = mirrored(h * SCALE_H + i, out_h);
        const floatv across = reduce_row(diff_dst + y * data->diff_dst.h, w * SCALE_W, out_w, is_aligned);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const int t = i - r * SCALE_H;
            if (t >= -BESIDE(SCALE_H) && t < SCALE_H + BESIDE(SCALE_H)) sums[r] += weight_of(t, SCALE_H) * across;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (h + r >= in_h) break;
        __global DIFF_SRC_T *to = diff_src + (h + r) * data->diff_src.h + w;
        if (is_aligned) {
            DIFF_SRC_STOREV(AS_ALIGNED(DIFF_SRC_T, VEC, to), 0, sums[r]);
            continue;
        }
        float values[VEC];
        vstorev(sums[r], values);
        for (int j = 0; j < VEC && w + j < in_w; ++j) DIFF_SRC_STORE(to, j, values[j]);
    }
}

__kernel void resampling_backward_nchw_integer(__constant const ocl_resampling_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->by_cols) * VEC;
    const int h = split_digit(&index, &data->by_rows) * ROWS;
    const int d = split_digit(&index, &data->by_depth);
    const int c = split_digit(&index, &data->by_blocks), n = index;
    diff_src += diff_src_off + channels_offset(&data->diff_src, n, c) + d * data->diff_src.d;
    diff_dst += diff_dst_off + channels_offset(&data->diff_dst, n, c) + d * data->diff_dst.d;
    if (w + VEC <= data->axes[2].in && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, data->diff_dst.h) &&
            ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, data->diff_src.h))
        gather(data, diff_dst, diff_src, h, w, true);
    else
        gather(data, diff_dst, diff_src, h, w, false);
}
