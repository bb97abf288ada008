// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling, any windows, in vectors of VEC channels where channels are innermost (NHWC, nChw16c), else
// channel by channel: a work-item computes data->cols adjacent elements of a row of diff_src.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, OD, OH, OW] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of WS_T: index of the maximum in the window; null unless ALG is POOL_MAX
//   diff_src, diff_src_off   [N, C, ID, IH, IW] of DIFF_SRC_T by data->diff_src; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, d, h, piece of a row, vector]. Numerics: f32; the windows of a row are
// summed before the rows' sums.
// -D: DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC, ALG = POOL_…
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nhwc_vector needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif

#include "clh/channels.h"
#include "clh/pool_gather.h"

__kernel void pool_backward_nhwc_vector(__constant const ocl_pool_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const WS_T *ws, long ws_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off)
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
#if ALG == POOL_MAX
    ws += ws_off + channels_offset(&data->ws, n, c);
#endif
    for (int w = w0; w < end; ++w) {
        floatv x = gather_any(data, diff_dst, ws, d, h, w);
        if (c + VEC > channels) x = select((floatv)(0.0f), x, lanes + c < channels);
        DIFF_SRC_STOREV(diff_src, w * data->diff_src.w, x);
    }
}
