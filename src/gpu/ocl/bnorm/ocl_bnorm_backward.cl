// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, gradients: from partial sums of channels to the gradients of scale and shift, and to what a
// channel's elements of diff_src are made with.
//
//   data                    sizes; nchunks 0: there are no sums
//   partials                [data->nchunks, C] float2: Σ y and Σ y·(src − mean), y the gradient behind the fused ReLU
//   mean, variance          [C] f32
//   scale                   [C] f32; read if data->has_scale
//   parts                   [4, C] f32: mean, factor, slope, rest; see clh/bnorm_backward.h
//   diff_scale, diff_shift  [C] f32; written if data->has_diff_scale, data->has_diff_shift
// bnorm_backward_finish: COLUMNS channels per work-group; grid of ceil(C / COLUMNS) work-groups of ITEMS work-items.
// Numerics: f32; a work-item adds every (ITEMS / COLUMNS)-th chunk, then a tree, in a fixed order.
// -D: ITEMS, COLUMNS: powers of two, ITEMS ≥ COLUMNS.
#if !defined(ITEMS) || !defined(COLUMNS)
#error "ocl_bnorm_backward needs ITEMS, COLUMNS"
#endif

#include "clh/norm.h"
#include "clh/shared/bnorm_backward_data.h"
#include "clh/types.h"

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void bnorm_backward_finish(
        __constant const ocl_bnorm_backward_data_t *data, __global const float2 *partials,
        long partials_off, __global const float *mean, long mean_off,
        __global const float *variance, long variance_off, __global const float *scale,
        long scale_off, __global float *parts, long parts_off, __global float *diff_scale,
        long diff_scale_off, __global float *diff_shift, long diff_shift_off)
{
    __local float2 scratch[ITEMS];
    const int id = (int)get_local_id(0), channels = data->src.channels;
    const int c = (int)get_group_id(0) * COLUMNS + id % COLUMNS;
    float2 sums = (float2)(0.0f);
    if (c < channels)
        for (int chunk = id / COLUMNS; chunk < data->nchunks; chunk += ITEMS / COLUMNS)
            sums += partials[partials_off + (long)chunk * channels + c];
    scratch[id] = sums;
    for (int half_size = ITEMS / 2; half_size >= COLUMNS; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_size) scratch[id] += scratch[id + half_size];
    }
    if (id >= COLUMNS || c >= channels) return;
    sums = scratch[id];
    const float deviation = inverse_deviation(variance[variance_off + c], data->epsilon);
    sums.s1 *= deviation;
    if (data->has_diff_scale) diff_scale[diff_scale_off + c] = sums.s1;
    if (data->has_diff_shift) diff_shift[diff_shift_off + c] = sums.s0;
    const float factor = data->has_scale ? deviation * scale[scale_off + c] : deviation;
    sums = data->are_constants ? (float2)(0.0f)
                               : sums / ((float)data->batch * (float)data->spatial);
    parts += parts_off + c;
    parts[0] = mean[mean_off + c];
    parts[channels] = factor;
    parts[2L * channels] = factor * deviation * sums.s1;
    parts[3L * channels] = factor * sums.s0;
}
