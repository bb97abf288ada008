// SPDX-License-Identifier: Apache-2.0
// Group normalisation, contiguous NHWC. Pass 1 adds up each channel over slices of an image, from front to back; the
// sums are joined for the groups; pass 2 normalises from back to front, because the end of src is then still in the
// cache.
//
//   data            sizes, flags
//   src             [N, data->spatial, C] SRC_T
//   partials        [N, data->nslices, C] float2: Σ (x − K) and Σ (x − K)² of a slice, K an element of the group
//   mean, variance  [N, groups] f32: read if data->are_given, else written if data->has_outputs
//   scale, shift    [C] f32; read if data->has_scale, data->has_shift
//   parts           [N, 2, C] f32: mean, factor
//   dst             [N, data->spatial, C] DST_T; may be src
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   POST_OPS        without operands
// gnorm_nhwc_sums: grid of N·data->nslices·data->nblocks work-groups of GROUP_ITEMS work-items.
// gnorm_nhwc_finish: grid of N·groups work-groups of FINISH_ITEMS work-items.
// gnorm_nhwc_apply: grid of N·data->ntiles·data->nblocks work-groups of GROUP_ITEMS work-items.
// Numerics: f32; differences from an element of the group are summed per work-item, then per work-group, then over all
// channels and slices of the group, in a fixed order. A group whose variance cancels is summed again from its mean.
// -D: AT_ONCE: vectors that a work-item loads before it uses the first; FINISH_ITEMS: a power of two; those of
// clh/gnorm_nhwc_forward.h, clh/lanes.h.
#if !defined(AT_ONCE) || !defined(FINISH_ITEMS)
#error "ocl_gnorm_nhwc_two_pass needs AT_ONCE, FINISH_ITEMS"
#endif

#include "clh/centred_sums.h"
#include "clh/gnorm_nhwc_forward.h"
#include "clh/lanes.h"
#include "clh/moments.h"

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void gnorm_nhwc_sums(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, long src_off,
        __global float2 *partials, long partials_off)
{
    __local float scratch[GROUP_ITEMS * VEC];
    const part_t part = part_of(data, (int)get_group_id(0), data->slice, data->nslices);
    const int step = data->nrows * AT_ONCE, id = (int)get_local_id(0);
    src += src_off;
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0);
    for (int k = id; k < data->columns * VEC; k += GROUP_ITEMS)
        scratch[k] = centre_of(data, src, part.n, min(part.first_channel + k, data->channels - 1));
    barrier(CLK_LOCAL_MEM_FENCE);
    centred_sums_t sums = {vloadv(scratch + part.column * VEC), (floatv)(0.0f), (floatv)(0.0f)};
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = part.begin; first < part.end && !part.is_idle; first += step) {
        const int at = first + part.row;
        if (is_aligned && first + step <= part.end) {
            src_vec_t x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
                x[k] = src_vec_at(src, elem_at(data, &part, at + k * data->nrows));
            src_join(x, AT_ONCE, (uint)step >> 31);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) add_centred(&sums, src_floats(x[k]));
        } else {
#pragma unroll 1
            for (int k = 0; k < AT_ONCE; ++k)
                if (at + k * data->nrows < part.end)
                    add_centred(&sums, SRC_LOADV(src, elem_at(data, &part, at + k * data->nrows)));
        }
    }
    store_partials(partials + partials_off, sums.sum, sums.squares, data, &part, scratch);
}

// A work-item's share of the partial sums of a group.
static inline float2 add_partials(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const float2 *partials)
{
    float2 sums = (float2)(0.0f);
    const int n = data->are_given ? 0 : data->nslices * data->group_channels;
    for (int i = (int)get_local_id(0); i < n; i += FINISH_ITEMS) {
        int slice = i;
        const int c = take_digit(&slice, data->group_channels);
        sums += partials[(long)slice * data->channels + c];
    }
    return sums;
}

// The same of Σ (x − mean)², from src.
static inline float add_squares(__constant const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, float mean)
{
    float sum = 0.0f;
    for (int c = 0; c < data->group_channels; ++c)
        for (int i = (int)get_local_id(0); i < data->spatial; i += FINISH_ITEMS) {
            const float x = SRC_LOAD(src, (long)i * data->channels + c) - mean;
            sum += x * x;
        }
    return sum;
}

__attribute__((reqd_work_group_size(FINISH_ITEMS, 1, 1))) __kernel void gnorm_nhwc_finish(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const float2 *partials,
        long partials_off, __global float *mean, long mean_off, __global float *variance,
        long variance_off, __global const float *scale, long scale_off, __global const SRC_T *src,
        long src_off, __global float *parts, long parts_off)
{
    __local float scratch[FINISH_ITEMS];
    const int id = (int)get_local_id(0), set = (int)get_group_id(0);
    int n = set;
    const int first = take_digit(&n, data->groups) * data->group_channels;
    const float count = (float)data->group_channels * (float)data->spatial;
    mean += mean_off + set;
    variance += variance_off + set;
    const float2 share = add_partials(
            data, partials + partials_off + (long)n * data->nslices * data->channels + first);
    // No barrier stands in a branch: PoCL 3.1 goes wrong there.
    const moments_t moments = {lanes_sum(share.s0, scratch, FINISH_ITEMS),
            lanes_sum(share.s1, scratch, FINISH_ITEMS), 0.0f};
    src += src_off;
    float m = moments_mean(moments, centre_of(data, src, n, first), count);
    float v = moments_variance(moments, count);
    const bool is_again = v == MOMENTS_AGAIN && !data->are_given;
    src += (long)n * data->spatial * data->channels + first;
    const float squares = lanes_sum(is_again ? add_squares(data, src, m) : 0.0f, scratch, FINISH_ITEMS);
    if (is_again) v = divide_refined(squares, count);
    if (data->are_given) {
        m = *mean;
        v = *variance;
    } else if (data->has_outputs && id == 0) {
        *mean = m;
        *variance = v;
    }
    const float deviation = inverse_deviation(v, data->epsilon);
    parts += parts_off + 2L * n * data->channels + first;
    for (int c = id; c < data->group_channels; c += FINISH_ITEMS) {
        parts[c] = m;
        parts[data->channels + c] = data->has_scale ? deviation * scale[scale_off + first + c] : deviation;
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void gnorm_nhwc_apply(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, long src_off,
        __global const float *parts, long parts_off, __global const float *shift, long shift_off,
        __global DST_T *dst, long dst_off, LAST_PARAMS)
{
    const last_steps_t last = LAST_STEPS;
    const int index = (int)get_num_groups(0) - 1 - (int)get_group_id(0);
    const part_t part = part_of(data, index, data->tile, data->ntiles);
    if (part.is_idle) return;
    const int step = data->nrows * AT_ONCE;
    src += src_off;
    dst += dst_off;
    parts += parts_off + 2L * part.n * data->channels + part.channel;
    const floatv mean = vloadv(parts), factor = vloadv(parts + data->channels);
    const floatv summand = data->has_shift ? vloadv(shift + shift_off + part.channel) : (floatv)(0.0f);
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DST_T, VEC, dst, 0);
    for (int first = part.begin; first < part.end; first += step) {
        const int at = first + part.row;
        if (is_aligned && first + step <= part.end) {
            src_vec_t x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
                x[k] = src_vec_at(src, elem_at(data, &part, at + k * data->nrows));
            src_join(x, AT_ONCE, (uint)step >> 31);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const floatv y = finished(&last, (src_floats(x[k]) - mean) * factor + summand);
                dst_store_streaming(dst, elem_at(data, &part, at + k * data->nrows), y);
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < AT_ONCE; ++k) {
                if (at + k * data->nrows >= part.end) break;
                const long i = elem_at(data, &part, at + k * data->nrows);
                DST_STOREV(dst, i, finished(&last, (SRC_LOADV(src, i) - mean) * factor + summand));
            }
        }
    }
}
