// SPDX-License-Identifier: Apache-2.0
// Gradients of batch and group normalisation, any types, layouts, ranks and flags. With y the gradient of dst behind
// the fused ReLU and x̂ = (src − mean)/√(variance + ε): sums of y and y·x̂ over planes, of these over channels (the
// gradients of shift and scale) and over sets, which share statistics; then diff_src. Four kernels.
//
//   data               descriptors, epsilon, which optional tensors there are
//   src, diff_dst      [N, C, …] of type data->src.dt, data->diff_dst.dt
//   mean, variance     [sets] f32; a set is a channel, or a group of channels of an image: [N, groups]
//   ws                 [N, C, …] u8, 0 where the ReLU cut; null if data->ws.ndims is 0
//   planes             [N, C] of float2: Σ y, Σ y·x̂; for norm_backward_channels [data->plane_rows, C], parts of planes
//   sets               [sets] of float2: means of scale·y and scale·y·x̂
// norm_backward_planes: a plane per work-item, grid x ≥ N·C.
// norm_backward_channels: COLUMNS channels per work-group of ITEMS work-items, ceil(C / COLUMNS) work-groups; writes
//   diff_scale, diff_shift  [C] f32 each; where data->has_diff_scale, data->has_diff_shift
// norm_backward_sets: a set per work-item, grid x ≥ sets; reads
//   scale              [C] f32; read if data->has_scale
// norm_backward_data: an element per work-item, padding included, grid x ≥ max(data->diff_src.nelems_padded,
// data->src.nelems_padded if data->has_diff_src1); writes
//   diff_src           [N, C, …] of type data->diff_src.dt; may be diff_dst; padding becomes 0
//   diff_src1          like src; written if data->has_diff_src1
// Numerics: f32, sums in two levels.
// -D: ITEMS, COLUMNS: powers of two, ITEMS ≥ COLUMNS; AT_ONCE: sums of planes that a work-item loads before it uses the
// first.
#if !defined(ITEMS) || !defined(COLUMNS) || !defined(AT_ONCE)
#error "ocl_norm_backward needs ITEMS, COLUMNS, AT_ONCE"
#endif

#include "clh/io.h"
#include "clh/long_sum.h"
#include "clh/md_item.h"
#include "clh/norm.h"
#include "clh/shared/norm_backward_data.h"

#define INPUTS \
    __constant const ocl_norm_backward_data_t *data, __global const void *src, long src_off, \
            __global const float *mean, long mean_off, __global const float *variance, long variance_off, \
            __global const void *diff_dst, long diff_dst_off, __global const uchar *ws, long ws_off

static inline long set_of(__constant const ocl_norm_backward_data_t *data, long n, long c)
{
    return data->groups > 0 ? n * data->groups + div_long(c, data->group_channels) : c;
}

// y of an element.
static inline float gradient_at(__constant const ocl_norm_backward_data_t *data,
        __global const void *diff_dst, long diff_dst_off, __global const uchar *ws, long ws_off,
        const long *pos)
{
    float y = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
    if (data->ws.ndims > 0)
        if (ws[ws_off + md_offset(&data->ws, pos)] == 0) y = 0.0f;
    return y;
}

__kernel void norm_backward_planes(INPUTS, __global float2 *planes, long planes_off)
{
    const long plane = get_global_id(0), channels = data->src.dims[1];
    if (plane >= data->src.dims[0] * channels) return;
    const int ndims = data->src.ndims;
    long pos[MAX_NDIMS], n = 1;
    pos[0] = div_long(plane, channels);
    pos[1] = plane - pos[0] * channels;
    for (int d = 2; d < ndims; ++d) {
        pos[d] = 0;
        n *= data->src.dims[d];
    }
    const long set = set_of(data, pos[0], pos[1]);
    const float centre = mean[mean_off + set];
    const float factor = inverse_deviation(variance[variance_off + set], data->epsilon);
    long_sum_t gradients = {0.0f, 0.0f}, products = {0.0f, 0.0f};
    for (long i = 0; i < n; ++i) {
        const float y = gradient_at(data, diff_dst, diff_dst_off, ws, ws_off, pos);
        const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt) - centre;
        long_sum_add(&gradients, y, i);
        long_sum_add(&products, y * (x * factor), i);
        for (int d = ndims - 1; d >= 2; --d) {
            if (++pos[d] < data->src.dims[d]) break;
            pos[d] = 0;
        }
    }
    planes[planes_off + plane] = (float2)(long_sum_of(&gradients), long_sum_of(&products));
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void norm_backward_channels(
        __constant const ocl_norm_backward_data_t *data, __global const float2 *planes,
        long planes_off, __global float *diff_scale, long diff_scale_off,
        __global float *diff_shift, long diff_shift_off)
{
    __local float2 scratch[ITEMS];
    const int id = (int)get_local_id(0);
    const long c = (long)get_group_id(0) * COLUMNS + id % COLUMNS, channels = data->src.dims[1];
    long_sum_t gradients = {0.0f, 0.0f}, products = {0.0f, 0.0f};
    const long end = c < channels ? data->plane_rows : 0;
    long term = 0;
    for (long first = id / COLUMNS; first < end; first += AT_ONCE * (ITEMS / COLUMNS)) {
        float2 sums[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const long n = first + k * (ITEMS / COLUMNS);
            sums[k] = planes[planes_off + min(n, end - 1) * channels + c];
            if (n >= end) sums[k] = (float2)(0.0f);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k, ++term) {
            long_sum_add(&gradients, sums[k].s0, term);
            long_sum_add(&products, sums[k].s1, term);
        }
    }
    scratch[id] = (float2)(long_sum_of(&gradients), long_sum_of(&products));
    for (int half_size = ITEMS / 2; half_size >= COLUMNS; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_size) scratch[id] += scratch[id + half_size];
    }
    if (id >= COLUMNS || c >= channels) return;
    if (data->has_diff_scale) diff_scale[diff_scale_off + c] = scratch[id].s1;
    if (data->has_diff_shift) diff_shift[diff_shift_off + c] = scratch[id].s0;
}

__kernel void norm_backward_sets(__constant const ocl_norm_backward_data_t *data,
        __global const float2 *planes, long planes_off, __global const float *scale, long scale_off,
        __global float2 *sets, long sets_off)
{
    const long set = get_global_id(0), channels = data->src.dims[1], batch = data->src.dims[0];
    const bool has_groups = data->groups > 0;
    if (set >= (has_groups ? batch * data->groups : channels)) return;
    // The planes of a set: of a channel's images, or of a group's channels.
    const long n = has_groups ? data->group_channels : batch, step = has_groups ? 1 : channels;
    const long first = has_groups ? set * data->group_channels : set;
    long_sum_t gradients = {0.0f, 0.0f}, products = {0.0f, 0.0f};
    for (long i = 0; i < n; ++i) {
        const long plane = first + i * step;
        float2 sums = planes[planes_off + plane];
        if (data->has_scale)
            sums *= scale[scale_off + plane - div_long(plane, channels) * channels];
        long_sum_add(&gradients, sums.s0, i);
        long_sum_add(&products, sums.s1, i);
    }
    const float count = (float)(div_long(data->src.nelems, batch * channels) * n);
    sets[sets_off + set] = (float2)(long_sum_of(&gradients), long_sum_of(&products)) / count;
}

__kernel void norm_backward_data(INPUTS, __global const float *scale, long scale_off,
        __global const float2 *sets, long sets_off, __global void *diff_src, long diff_src_off,
        __global void *diff_src1, long diff_src1_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], diff_src1_at = diff_src1_off;
    if (data->has_diff_src1 && data->src.is_padded) // clears its padding
        (void)md_begin_item(pos, &diff_src1_at, &data->src, diff_src1, index);
    if (!md_begin_item(pos, &diff_src_off, &data->diff_src, diff_src, index)) return;
    const long set = set_of(data, pos[0], pos[1]), offset = md_offset(&data->src, pos);
    const float factor = inverse_deviation(variance[variance_off + set], data->epsilon);
    const float y = gradient_at(data, diff_dst, diff_dst_off, ws, ws_off, pos);
    float result = data->has_scale ? y * scale[scale_off + pos[1]] : y;
    if (!data->are_constants) {
        const float x = load_any(src, src_off + offset, data->src.dt) - mean[mean_off + set];
        const float2 means = sets[sets_off + set];
        result -= means.s0 + x * factor * means.s1;
    }
    store_any(diff_src, diff_src_off, data->diff_src.dt, result * factor);
    if (data->has_diff_src1) store_any(diff_src1, diff_src1_off + offset, data->src.dt, y);
}
