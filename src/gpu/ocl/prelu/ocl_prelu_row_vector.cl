// SPDX-License-Identifier: Apache-2.0
// PReLU along contiguous rows: in the innermost loop src and dst have stride 1, the weights WEI_STEP (0: one value
// for the row). A work-item computes a piece of a row in vectors of VEC elements.
//
//   data           extents and strides of the loop nest, outermost first
//   src, src_off   of SRC_T
//   wei, wei_off   of WEI_T
//   dst, dst_off   of DST_T; may be src
// Padding of blocked tensors is computed like the rest: it is 0 and stays so.
// Grid: x ≥ data->nitems. Numerics: f32.
// -D: SRC, WEI, DST (prim__ocl_options_type()), VEC, WEI_STEP = 0 or 1.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(DST_DT) || !defined(VEC) || !defined(WEI_STEP)
#error "ocl_prelu_row_vector needs SRC, WEI, DST, VEC, WEI_STEP"
#endif

#include "clh/channels.h"
#include "clh/shared/prelu_row_vector_data.h"
#include "clh/vec.h"

__kernel void prelu_row_vector(__constant const ocl_prelu_row_vector_data_t *data, __global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int begin = take_digit(&index, data->npieces) * data->piece_elems;
    const int n = min(data->piece_elems, data->row_elems - begin);
    src += src_off + begin;
    wei += wei_off + begin * WEI_STEP;
    dst += dst_off + begin;
    for (int l = PRELU_OUTER - 1; l >= 0; --l) {
        const int i = take_digit(&index, data->extents[l]);
        src += i * data->src_strides[l];
        wei += i * data->wei_strides[l];
        dst += i * data->dst_strides[l];
    }

#if WEI_STEP == 0
    const float slope = WEI_LOAD(wei, 0);
#endif
    const int whole = n / VEC * VEC;
    for (int i = 0; i < whole; i += VEC) {
        const floatv x = SRC_LOADV(src, i);
#if WEI_STEP == 0
        DST_STOREV(dst, i, x > 0.0f ? x : x * slope);
#else
        DST_STOREV(dst, i, x > 0.0f ? x : x * WEI_LOADV(wei, i));
#endif
    }
    for (int i = whole; i < n; ++i) {
        const float x = SRC_LOAD(src, i);
        DST_STORE(dst, i, x > 0.0f ? x : x * WEI_LOAD(wei, i * WEI_STEP));
    }
}
