// SPDX-License-Identifier: Apache-2.0
// Local response normalisation across channels, contiguous NCHW: a work-item takes VEC adjacent positions of a plane and
// goes through a segment of the channels; the window moves along in registers.
//
//   data           sizes, parameters
//   src, src_off   [N, C, plane] of SRC_T
//   ws, ws_off     the same of f32: what is raised to −beta; null unless WITH_WS
//   dst, dst_off   the same of DST_T
// Grid: x ≥ data->nitems, work-item [n, segment, vector]. Numerics: f32.
// -D: SRC, DST (prim__ocl_options_type()), AT_ONCE (channels that are loaded together), WITH_WS, those of
// clh/lrn_across.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(AT_ONCE) || !defined(WITH_WS)
#error "ocl_lrn_strided needs SRC, DST, AT_ONCE, WITH_WS"
#endif

#include "clh/lrn_across.h"

// Channel c; nothing outside.
static inline floatv channel_at(
        __constant const ocl_lrn_across_data_t *data, __global const SRC_T *src, int c, bool is_aligned)
{
    const floatv x = LOAD_AT(SRC, src, clamp(c, 0, data->channels - 1) * data->plane);
    return c >= 0 && c < data->channels ? x : (floatv)(0.0f);
}

// The pointers are at the first channel of the work-item's positions.
ALWAYS_INLINE void normalize(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src,
        __global float *ws, __global DST_T *dst, int begin, int end, bool is_aligned)
{
    floatv x[2 * HALF + AT_ONCE]; // channels c − HALF and on
#pragma unroll
    for (int j = 0; j < 2 * HALF; ++j) x[j] = channel_at(data, src, begin - HALF + j, is_aligned);
    for (int c = begin; c < end; c += AT_ONCE) {
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) x[2 * HALF + j] = channel_at(data, src, c + HALF + j, is_aligned);
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) {
            if (c + j >= end) continue;
            floatv sum = x[j] * x[j];
#pragma unroll
            for (int k = 1; k <= 2 * HALF; ++k) sum += x[j + k] * x[j + k];
            const floatv w = data->k + data->factor * sum;
            const int to = (c + j) * data->plane;
#if WITH_WS
            STORE_AT(WS, ws, to, w);
#endif
            STORE_AT(DST, dst, to, x[j + HALF] * lrn_power(w, data->beta));
        }
#pragma unroll
        for (int j = 0; j < 2 * HALF; ++j) x[j] = x[j + AT_ONCE];
    }
}

__kernel void lrn_strided(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src, long src_off,
        __global float *ws, long ws_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int at = split_digit(&index, &data->by_vecs) * VEC;
    const int begin = split_digit(&index, &data->by_segments) * data->segment, n = index;
    const int end = min(begin + data->segment, data->channels), first = n * data->channels * data->plane + at;
    src += src_off + first;
    dst += dst_off + first;
    if (WITH_WS) ws += ws_off + first;
    // Two calls, so that no load depends on a condition.
    if (ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DST_T, VEC, dst, 0) && ARE_ALIGNED(float, VEC, ws, 0))
        normalize(data, src, ws, dst, begin, end, true);
    else
        normalize(data, src, ws, dst, begin, end, false);
}
