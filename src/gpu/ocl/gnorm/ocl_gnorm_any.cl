// SPDX-License-Identifier: Apache-2.0
// Group normalisation, generic: any types, layouts, ranks, flags and post-ops. Statistics take two passes, the mean and
// the squares of the differences from it, each in two kernels: sums of pieces of the groups, then of groups.
//
//   data                descriptors, groups, their pieces, epsilon, which optional tensors there are
//   src, src_off        [N, C, …] of type data->src.dt
//   mean, variance      [N, groups] f32, each with its `long` offset; written by gnorm_any_join or given
//   pieces              [N, groups, data->npieces] f32
// gnorm_any_pieces: data->piece elements of a group per work-item, grid x ≥ N·groups·data->npieces. Σ x, or with
//   is_squared Σ (x − mean)².
// gnorm_any_join: a group per work-item, grid x ≥ N·groups. `to` [N, groups] f32: the mean or the variance.
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

__kernel void gnorm_any_pieces(__constant const ocl_gnorm_any_data_t *data, __global const void *src,
        long src_off, __global const float *mean, long mean_off, __global float *pieces,
        long pieces_off, int is_squared)
{
    const long index = get_global_id(0), set = div_long(index, data->npieces);
    const int ndims = data->src.ndims;
    long pos[MAX_NDIMS];
    pos[0] = div_long(set, data->groups);
    if (pos[0] >= data->src.dims[0]) return;
    const long begin = (index - set * data->npieces) * data->piece;
    const long end = min(begin + data->piece, data->elems);
    long rest = begin;
    for (int d = ndims - 1; d >= 2; --d) {
        const long quotient = div_long(rest, data->src.dims[d]);
        pos[d] = rest - quotient * data->src.dims[d];
        rest = quotient;
    }
    pos[1] = (set - pos[0] * data->groups) * data->group_channels + rest;
    const float centre = is_squared ? mean[mean_off + set] : 0.0f;
    float sum = 0.0f;
    for (long i = begin; i < end; ++i) {
        const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt) - centre;
        sum += is_squared ? x * x : x;
        int d = ndims - 1;
        for (; d >= 2; --d) {
            if (++pos[d] < data->src.dims[d]) break;
            pos[d] = 0;
        }
        if (d < 2) ++pos[1];
    }
    pieces[pieces_off + index] = sum;
}

__kernel void gnorm_any_join(__constant const ocl_gnorm_any_data_t *data, __global const float *pieces,
        long pieces_off, __global float *to, long to_off)
{
    const long set = get_global_id(0);
    if (set >= data->src.dims[0] * data->groups) return;
    long_sum_t total = {0.0f, 0.0f};
    pieces += pieces_off + set * data->npieces;
    for (long i = 0; i < data->npieces; ++i) long_sum_add(&total, pieces[i], i);
    to[to_off + set] = data->elems > 0 ? divide_refined(long_sum_of(&total), (float)data->elems) : 0.0f;
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
