// SPDX-License-Identifier: Apache-2.0
// The gradient of local response normalisation across channels, contiguous NCHW: a work-item takes VEC adjacent
// positions of a plane and goes through a segment of the channels; the window moves along in registers.
//
//   data                     sizes, parameters
//   src, src_off             [N, C, plane] of SRC_T
//   diff_dst, diff_dst_off   the same of DIFF_DST_T
//   ws, ws_off               the same of f32: what the forward pass raised to −beta
//   diff_src, diff_src_off   the same of DIFF_SRC_T
// Grid: x ≥ data->nitems, work-item [n, segment, vector]. Numerics: f32.
// -D: SRC, DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), AT_ONCE (channels that are loaded together), those of
// clh/lrn_across.h.
#if !defined(SRC_DT) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(AT_ONCE)
#error "ocl_lrn_backward_strided needs SRC, DIFF_DST, DIFF_SRC, WS, AT_ONCE"
#endif

#include "clh/lrn_across.h"

// Channel c; nothing outside.
static inline lrn_terms_t terms_at(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src,
        __global const DIFF_DST_T *diff_dst, __global const float *ws, int c, bool is_aligned)
{
    const int at = clamp(c, 0, data->channels - 1) * data->plane;
    lrn_terms_t t = lrn_terms(LOAD_AT(SRC, src, at), LOAD_AT(DIFF_DST, diff_dst, at), LOAD_AT(WS, ws, at), data->beta);
    if (c < 0 || c >= data->channels) t.term = (floatv)(0.0f);
    return t;
}

// The pointers are at the first channel of the work-item's positions.
ALWAYS_INLINE void differentiate(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src,
        __global const DIFF_DST_T *diff_dst, __global const float *ws, __global DIFF_SRC_T *diff_src, int begin,
        int end, bool is_aligned)
{
    const float factor = 2.0f * data->factor * data->beta;
    floatv term[2 * HALF + AT_ONCE];               // of channels c − HALF and on
    floatv x[HALF + AT_ONCE], own[HALF + AT_ONCE]; // of channels c and on
#pragma unroll
    for (int j = 0; j < 2 * HALF; ++j) {
        const lrn_terms_t t = terms_at(data, src, diff_dst, ws, begin - HALF + j, is_aligned);
        term[j] = t.term;
        if (j < HALF) continue;
        x[j - HALF] = t.x;
        own[j - HALF] = t.own;
    }
    for (int c = begin; c < end; c += AT_ONCE) {
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) {
            const lrn_terms_t t = terms_at(data, src, diff_dst, ws, c + HALF + j, is_aligned);
            term[2 * HALF + j] = t.term;
            x[HALF + j] = t.x;
            own[HALF + j] = t.own;
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) {
            if (c + j >= end) continue;
            floatv sum = term[j];
#pragma unroll
            for (int k = 1; k <= 2 * HALF; ++k) sum += term[j + k];
            STORE_AT(DIFF_SRC, diff_src, (c + j) * data->plane, own[j] - factor * x[j] * sum);
        }
#pragma unroll
        for (int j = 0; j < 2 * HALF; ++j) term[j] = term[j + AT_ONCE];
#pragma unroll
        for (int j = 0; j < HALF; ++j) {
            x[j] = x[j + AT_ONCE];
            own[j] = own[j + AT_ONCE];
        }
    }
}

__kernel void lrn_backward_strided(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src,
        long src_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *ws, long ws_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int at = split_digit(&index, &data->by_vecs) * VEC;
    const int begin = split_digit(&index, &data->by_segments) * data->segment, n = index;
    const int end = min(begin + data->segment, data->channels), first = n * data->channels * data->plane + at;
    src += src_off + first;
    diff_dst += diff_dst_off + first;
    ws += ws_off + first;
    diff_src += diff_src_off + first;
    // Two calls, so that no load depends on a condition.
    if (ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0) &&
            ARE_ALIGNED(float, VEC, ws, 0) && ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0))
        differentiate(data, src, diff_dst, ws, diff_src, begin, end, true);
    else
        differentiate(data, src, diff_dst, ws, diff_src, begin, end, false);
}
