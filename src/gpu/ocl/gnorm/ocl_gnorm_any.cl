// SPDX-License-Identifier: Apache-2.0
// Group normalisation, generic: any types, layouts, ranks, flags and post-ops. Two kernels.
//
//   data                descriptors, groups, epsilon, which optional tensors there are
//   src, src_off        [N, C, …] of type data->src.dt
//   mean, variance      [N, groups] f32, each with its `long` offset; written by gnorm_any_statistics or given
// gnorm_any_statistics: one group per work-item, grid x ≥ N·groups. Two passes over the group.
// gnorm_any_normalize: one element of dst per work-item, padding included, grid x ≥ data->dst.nelems_padded. Further
// parameters:
//   scale, shift        [C] f32 each; read if data->has_scale, data->has_shift
//   dst, dst_off        [N, C, …] of type data->dst.dt; may be src; padding becomes 0
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   POST_OPS            eltwise, binary
// Numerics: f32, sums in two levels; the variance from the mean.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/long_sum.h"
#include "clh/md_item.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/gnorm_any_data.h"

// Σ (x − centre) or Σ (x − centre)² over group `set` of [N, groups].
static float sum_group(__constant const ocl_gnorm_any_data_t *data, __global const void *src,
        long src_off, long set, long elems, float centre, bool is_squared)
{
    long_sum_t total = {0.0f, 0.0f};
    const int ndims = data->src.ndims;
    long pos[MAX_NDIMS];
    for (int d = 0; d < ndims; ++d) pos[d] = 0;
    pos[0] = div_long(set, data->groups);
    pos[1] = (set - pos[0] * data->groups) * data->group_channels;
    for (long i = 0; i < elems; ++i) {
        const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt) - centre;
        long_sum_add(&total, is_squared ? x * x : x, i);
        int d = ndims - 1;
        for (; d >= 2; --d) {
            if (++pos[d] < data->src.dims[d]) break;
            pos[d] = 0;
        }
        if (d < 2) ++pos[1];
    }
    return long_sum_of(&total);
}

__kernel void gnorm_any_statistics(__constant const ocl_gnorm_any_data_t *data, __global const void *src,
        long src_off, __global float *mean, long mean_off, __global float *variance,
        long variance_off)
{
    const long set = get_global_id(0), nsets = data->src.dims[0] * data->groups;
    if (set >= nsets) return;
    const long elems = div_long(data->src.nelems, nsets);
    float m = 0.0f, v = 0.0f;
    if (elems > 0) {
        m = divide_refined(sum_group(data, src, src_off, set, elems, 0.0f, false), (float)elems);
        v = divide_refined(sum_group(data, src, src_off, set, elems, m, true), (float)elems);
    }
    mean[mean_off + set] = m;
    variance[variance_off + set] = v;
}

__kernel void gnorm_any_normalize(__constant const ocl_gnorm_any_data_t *data, __global const void *src,
        long src_off, __global const float *mean, long mean_off, __global const float *variance,
        long variance_off, __global const float *scale, long scale_off, __global const float *shift,
        long shift_off, __global void *dst, long dst_off, __global const void *src_scale,
        long src_scale_off, __global const void *dst_scale, long dst_scale_off, int src_scale_dt,
        int dst_scale_dt POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, get_global_id(0))) return;
    const long set = pos[0] * data->groups + div_long(pos[1], data->group_channels);
    const float factor = inverse_deviation(variance[variance_off + set], data->epsilon);
    float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    x = (x - mean[mean_off + set]) * factor;
    if (data->has_scale) x *= scale[scale_off + pos[1]];
    if (data->has_shift) x += shift[shift_off + pos[1]];
    if (src_scale_dt) x *= load_any(src_scale, src_scale_off, src_scale_dt);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    if (dst_scale_dt) x /= load_any(dst_scale, dst_scale_off, dst_scale_dt);
    store_any(dst, dst_off, data->dst.dt, x);
}
