// SPDX-License-Identifier: Apache-2.0
// The gradient of local response normalisation across channels, contiguous NHWC: a work-item takes VEC adjacent channels
// of a position, and loads the vectors beside them that the window reaches into.
//
//   data                     sizes, parameters
//   src, src_off             [N, plane, C] of SRC_T; C is a multiple of VEC
//   diff_dst, diff_dst_off   the same of DIFF_DST_T
//   ws, ws_off               the same of f32: what the forward pass raised to −beta
//   diff_src, diff_src_off   the same of DIFF_SRC_T
// Grid: x ≥ data->nitems, work-item [n, position, vector]. Numerics: f32.
// -D: SRC, DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), those of clh/lrn_across.h.
#if !defined(SRC_DT) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT)
#error "ocl_lrn_backward_nhwc_vector needs SRC, DIFF_DST, DIFF_SRC, WS"
#endif

#include "clh/lrn_across.h"

#define BESIDE ((HALF + VEC - 1) / VEC) // vectors on each side

__kernel void lrn_backward_nhwc_vector(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src,
        long src_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *ws, long ws_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int at = index * VEC, nvecs = data->by_vecs.n, v = split_digit(&index, &data->by_vecs);
    src += src_off + at;
    diff_dst += diff_dst_off + at;
    ws += ws_off + at;
    float term[(2 * BESIDE + 1) * VEC], sums[VEC];
    lrn_terms_t own;
#pragma unroll
    for (int b = -BESIDE; b <= BESIDE; ++b) {
        const int off = (clamp(v + b, 0, nvecs - 1) - v) * VEC;
        const lrn_terms_t t =
                lrn_terms(SRC_LOADV(src, off), DIFF_DST_LOADV(diff_dst, off), WS_LOADV(ws, off), data->beta);
        vstorev(v + b >= 0 && v + b < nvecs ? t.term : (floatv)(0.0f), term + (b + BESIDE) * VEC);
        if (b == 0) own = t;
    }
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
        sums[i] = 0.0f;
#pragma unroll
        for (int k = -HALF; k <= HALF; ++k) sums[i] += term[BESIDE * VEC + i + k];
    }
    const floatv y = own.own - 2.0f * data->factor * data->beta * own.x * vloadv(sums);
    DIFF_SRC_STOREV(diff_src, diff_src_off + at, y);
}
