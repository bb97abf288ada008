// SPDX-License-Identifier: Apache-2.0
// Local response normalisation across channels, contiguous NHWC: a work-item takes VEC adjacent channels of a position,
// and loads the vectors beside them that the window reaches into.
//
//   data           sizes, parameters
//   src, src_off   [N, plane, C] of SRC_T; C is a multiple of VEC
//   ws, ws_off     the same of f32: what is raised to −beta; null unless WITH_WS
//   dst, dst_off   the same of DST_T
// Grid: x ≥ data->nitems, work-item [n, position, vector]. Numerics: f32.
// -D: SRC, DST (prim__ocl_options_type()), WITH_WS, those of clh/lrn_across.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(WITH_WS)
#error "ocl_lrn_nhwc_vector needs SRC, DST, WITH_WS"
#endif

#include "clh/lrn_across.h"

#define BESIDE ((HALF + VEC - 1) / VEC) // vectors on each side

__kernel void lrn_nhwc_vector(__constant const ocl_lrn_across_data_t *data, __global const SRC_T *src, long src_off,
        __global float *ws, long ws_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int at = index * VEC, nvecs = data->by_vecs.n, v = split_digit(&index, &data->by_vecs);
    src += src_off + at;
    float x[(2 * BESIDE + 1) * VEC], sums[VEC];
#pragma unroll
    for (int b = -BESIDE; b <= BESIDE; ++b) {
        const floatv y = SRC_LOADV(src, (clamp(v + b, 0, nvecs - 1) - v) * VEC);
        vstorev(v + b >= 0 && v + b < nvecs ? y : (floatv)(0.0f), x + (b + BESIDE) * VEC);
    }
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
        sums[i] = 0.0f;
#pragma unroll
        for (int k = -HALF; k <= HALF; ++k) {
            const float y = x[BESIDE * VEC + i + k];
            sums[i] += y * y;
        }
    }
    const floatv w = data->k + data->factor * vloadv(sums);
#if WITH_WS
    VEC_FORM(WS, STORE)(ws, ws_off + at, w);
#endif
    DST_STOREV(dst, dst_off + at, vloadv(x + BESIDE * VEC) * lrn_power(w, data->beta));
}
