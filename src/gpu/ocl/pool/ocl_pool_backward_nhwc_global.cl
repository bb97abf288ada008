// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling with one window that is the whole plane, in vectors of VEC channels (NHWC, nChw16c): a work-item
// loads a vector of diff_dst once and computes a piece of its positions of diff_src.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, 1, 1, 1] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of WS_T: place of the maximum in the plane; null unless ALG is POOL_MAX
//   diff_src, diff_src_off   [N, C, positions] of DIFF_SRC_T by data->diff_src, adjacent positions data->step elements
//                            apart; padded channels become 0
// Grid: x ≥ data->nitems, work-item [n, block, piece, vector]; a piece is every data->npieces-th position, so that
// neighbouring work-items store neighbouring vectors. Numerics: f32; nothing is summed.
// -D: DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC, ALG = POOL_…
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_backward_nhwc_global needs DIFF_DST, DIFF_SRC, WS, ALG, VEC"
#endif

#include "clh/channels.h"
#include "clh/pool_gather.h"

__kernel void pool_backward_nhwc_global(__constant const ocl_pool_backward_nhwc_global_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const WS_T *ws, long ws_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int vec = split_digit(&index, &data->by_vecs);
    const int piece = split_digit(&index, &data->by_pieces);
    const int c = split_digit(&index, &data->by_blocks) * data->diff_src.run + vec * VEC, n = index;
    const int channels = data->diff_src.channels;
    floatv x = (floatv)(0.0f);
    intv winners = 0;
    if (c < channels) {
        x = DIFF_DST_LOADV(diff_dst, diff_dst_off + channels_offset(&data->diff_dst, n, c));
#if ALG == POOL_MAX
        winners = winners_at(ws + ws_off + channels_offset(&data->ws, n, c));
#else
        x *= 1.0f / data->volume;
#endif
        if (c + VEC > channels) x = select((floatv)(0.0f), x, lanes + c < channels);
    }
    diff_src += diff_src_off + channels_offset(&data->diff_src, n, c);
    for (int p = piece; p < data->positions; p += data->npieces)
        DIFF_SRC_STOREV(diff_src, p * data->step, pass_on(x, winners, p));
}
