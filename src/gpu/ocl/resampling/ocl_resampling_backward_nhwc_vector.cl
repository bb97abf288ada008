// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling, in vectors of VEC channels where channels are innermost (NHWC, nChw16c), else channel by
// channel: a work-item gathers data->cols adjacent elements of a row of diff_src.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, OD, OH, OW] of DIFF_DST_T by data->diff_dst
//   diff_src, diff_src_off   [N, C, ID, IH, IW] of DIFF_SRC_T by data->diff_src; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, d, h, piece of a row, vector]. Numerics: positions exact, weights and
// sums f32; the elements of a row are summed before the rows' sums.
// -D: DIFF_DST, DIFF_SRC (prim__ocl_options_type()), VEC, LINEAR
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_backward_nhwc_vector needs DIFF_DST, DIFF_SRC, VEC, LINEAR"
#endif

// Positions fit 32 bits.
#define POSITION_T int
#define POSITION_DIV(a, b) ((int)((uint)(a) / (uint)(b)))
#include "clh/channels.h"
#include "clh/resampling_users.h"
#include "clh/shared/resampling_backward_data.h"
#include "clh/vec.h"

#define DIFF_DST_LOADV VEC_FORM(DIFF_DST, LOAD)
#define DIFF_SRC_STOREV VEC_FORM(DIFF_SRC, STORE)

static inline users_t users_of(__constant const ocl_resize_t *axis, int x)
{
    return LINEAR ? linear_users(x, axis->in, axis->out) : nearest_users(x, axis->in, axis->out);
}

static inline float weight_of(__constant const ocl_resize_t *axis, int x, int y)
{
    return LINEAR ? linear_weight(x, y, axis->in, axis->out) : 1.0f;
}

static inline floatv gather_row(
        __constant const ocl_resampling_backward_data_t *data, __global const DIFF_DST_T *row, int w, users_t cols)
{
    floatv sum = 0.0f;
    for (int x = cols.begin; x < cols.end; ++x)
        sum += weight_of(&data->axes[2], w, x) * DIFF_DST_LOADV(row, x * data->diff_dst.w);
    return sum;
}

__kernel void resampling_backward_nhwc_vector(__constant const ocl_resampling_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int vec = split_digit(&index, &data->by_vecs);
    const int w0 = split_digit(&index, &data->by_cols) * data->cols;
    const int h = split_digit(&index, &data->by_rows);
    const int d = split_digit(&index, &data->by_depth);
    const int c = split_digit(&index, &data->by_blocks) * data->diff_src.run + vec * VEC, n = index;
    const int end = min(w0 + data->cols, data->axes[2].in), channels = data->diff_src.channels;
    diff_src += diff_src_off + channels_offset(&data->diff_src, n, c);
    diff_src += d * data->diff_src.d + h * data->diff_src.h;
    if (c >= channels) { // padding
        for (int w = w0; w < end; ++w) DIFF_SRC_STOREV(diff_src, w * data->diff_src.w, (floatv)(0.0f));
        return;
    }
    diff_dst += diff_dst_off + channels_offset(&data->diff_dst, n, c);
    const users_t planes = users_of(&data->axes[0], d), rows = users_of(&data->axes[1], h);
    for (int w = w0; w < end; ++w) {
        const users_t cols = users_of(&data->axes[2], w);
        floatv sum = 0.0f;
        for (int z = planes.begin; z < planes.end; ++z)
            for (int y = rows.begin; y < rows.end; ++y) {
                const float weight = weight_of(&data->axes[0], d, z) * weight_of(&data->axes[1], h, y);
                sum += weight * gather_row(data, diff_dst + z * data->diff_dst.d + y * data->diff_dst.h, w, cols);
            }
        if (c + VEC > channels) sum = select((floatv)(0.0f), sum, lanes + c < channels);
        DIFF_SRC_STOREV(diff_src, w * data->diff_src.w, sum);
    }
}
