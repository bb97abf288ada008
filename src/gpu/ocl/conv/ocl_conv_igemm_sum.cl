// SPDX-License-Identifier: Apache-2.0
// Reduction of split-K: adds the partial sums of ocl_conv_igemm.cl or ocl_conv_pipeline.cl in the order of
// the splits, and applies scales, bias and post-ops.
//
//   data           sizes and strides, of the kernel that made the sums
//   partial, partial_off   its partial sums: ocl_conv_igemm.cl
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, out…], DST_T
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: x ≥ data->npartial; z: phases. Numerics: f32.
// -D: those of ocl_conv_igemm.cl.
#if !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_igemm_sum needs BIA, DST"
#endif
#if !defined(DST_CHANNELS_RUN) || !defined(HAS_DEPTH) || !defined(HAS_BIAS)
#error "ocl_conv_igemm_sum lacks an option"
#endif

#include "clh/conv_igemm.h"

__kernel void conv_igemm_sum(IGEMM_SIZES,
        __global const float *partial,
        long partial_off, __global const BIA_T *bia, long bia_off, __global DST_T *dst,
        long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    IGEMM_DECLARE;
    CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
    const int i = (int)get_global_id(0);
    if (i >= data->npartial) return;
#if PHASES
    if (data->nsplits == 1) return;
#endif
    const int inner = DST_CHANNELS_RUN ? data->ngroups * data->geo.oc : data->npixels;
    const int row = i / inner, column = i - row * inner;
    const int c = DST_CHANNELS_RUN ? column : row, pixel = DST_CHANNELS_RUN ? row : column;
    partial += partial_off + PHASE_OFF(partial_off) + i;
    float sum = partial[0];
#pragma unroll 4
    for (int s = 1; s < data->nsplits; ++s) sum += partial[s * data->npartial];
    long pos[2 + NSPATIAL];
    const int g = c / data->geo.oc;
    const long off = dst_off + PHASE_OFF(dst_off) + g * data->dst_g + (c - g * data->geo.oc) * data->geo.dst_c +
                     locate(pos, data, pixel);
    DST_STORE(dst, off, finish(&epilogue, data, sum, c, pixel, off));
}
