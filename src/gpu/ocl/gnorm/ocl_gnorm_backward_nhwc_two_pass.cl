// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation, contiguous NHWC. Pass 1 adds up each channel of src and diff_dst over slices of an
// image, from front to back; the sums are joined for channels and groups; pass 2 computes diff_src from back to front,
// because the ends of both are then still in the cache. y: diff_dst, x̂: (src − mean) / √(variance + ε).
//
//   data            sizes, flags; nslices 0: nobody needs sums
//   src, diff_dst   [N, data->spatial, C] SRC_T, DIFF_DST_T
//   mean, variance  [N, groups] f32
//   scale           [C] f32; read if data->has_scale
//   partials        [N, data->nslices, C] float2: Σ y and Σ y·(src − mean) of a slice
//   planes          [N, C] float2: Σ y and Σ y·x̂ of an image, for norm_backward_channels
//   parts           [N, 4, C] f32: mean, factor, slope, rest: diff_src = factor·y − slope·(src − mean) − rest
//   diff_src        [N, data->spatial, C] DIFF_SRC_T; may be diff_dst
// gnorm_backward_nhwc_sums: grid of N·data->nslices·data->nblocks work-groups of GROUP_ITEMS work-items.
// gnorm_backward_nhwc_finish: grid of N·groups work-groups of FINISH_ITEMS work-items.
// gnorm_backward_nhwc_apply: grid of N·data->ntiles·data->nblocks work-groups of GROUP_ITEMS work-items.
// Numerics: f32; partial sums per work-item, then a tree over the rows of a work-group, then over the slices.
// -D: AT_ONCE: vectors of each tensor that a work-item loads before it uses the first; FINISH_ITEMS: a power of two;
// DIFF_DST, DIFF_SRC; those of clh/gnorm_nhwc.h, clh/lanes.h.
#if !defined(AT_ONCE) || !defined(FINISH_ITEMS) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT)
#error "ocl_gnorm_backward_nhwc_two_pass needs AT_ONCE, FINISH_ITEMS, DIFF_DST, DIFF_SRC"
#endif

#include "clh/gnorm_nhwc.h"
#include "clh/lanes.h"
#include "clh/norm_gradient.h"

#define STORED(name) diff_src_##name
#define STORED_PREFIX(suffix) DIFF_SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"

// The vectors of both tensors at positions `at` and so on, a row of work-items apart; step ≥ 0.
ALWAYS_INLINE void load_at_once(src_vec_t *x, diff_dst_vec_t *y, __global const SRC_T *src,
        __global const DIFF_DST_T *diff_dst, __constant const ocl_gnorm_nhwc_data_t *data, const part_t *part, int at,
        int step)
{
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const long i = elem_at(data, part, at + k * data->nrows);
        x[k] = src_vec_at(src, i);
        y[k] = diff_dst_vec_at(diff_dst, i);
    }
    src_join(x, AT_ONCE, (uint)step >> 31);
    diff_dst_join(y, AT_ONCE, (uint)step >> 31);
}

// Σ y and Σ y·(src − mean), of VEC channels.
typedef struct {
    floatv mean, gradients, products;
} sums_t;

static inline void add_vector(sums_t *sums, floatv x, floatv y)
{
    sums->gradients += y;
    sums->products = fma(y, x - sums->mean, sums->products);
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void gnorm_backward_nhwc_sums(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, long src_off,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *mean,
        long mean_off, __global float2 *partials, long partials_off)
{
    __local float scratch[GROUP_ITEMS * VEC];
    const part_t part = part_of(data, (int)get_group_id(0), data->slice, data->nslices);
    const int step = data->nrows * AT_ONCE, id = (int)get_local_id(0);
    src += src_off;
    diff_dst += diff_dst_off;
    mean += mean_off + (long)part.n * data->groups;
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0);
    for (int k = id; k < data->columns * VEC; k += GROUP_ITEMS)
        scratch[k] = mean[(uint)min(part.first_channel + k, data->channels - 1) / (uint)data->group_channels];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums_t sums = {vloadv(scratch + part.column * VEC), (floatv)(0.0f), (floatv)(0.0f)};
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = part.begin; first < part.end && !part.is_idle; first += step) {
        const int at = first + part.row;
        if (is_aligned && first + step <= part.end) {
            src_vec_t x[AT_ONCE];
            diff_dst_vec_t y[AT_ONCE];
            load_at_once(x, y, src, diff_dst, data, &part, at, step);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) add_vector(&sums, src_floats(x[k]), diff_dst_floats(y[k]));
        } else {
#pragma unroll 1
            for (int k = 0; k < AT_ONCE; ++k) {
                if (at + k * data->nrows >= part.end) continue;
                const long i = elem_at(data, &part, at + k * data->nrows);
                add_vector(&sums, SRC_LOADV(src, i), VEC_FORM(DIFF_DST, LOAD)(diff_dst, i));
            }
        }
    }
    store_partials(partials + partials_off, sums.gradients, sums.products, data, &part, scratch);
}

// The sums of channel `column` of a group over all slices, for the work-items of row 0.
ALWAYS_INLINE float2 add_slices(__constant const ocl_gnorm_nhwc_data_t *data, __global const float2 *partials,
        int column, int ncolumns, int row, bool is_idle, __local float2 *scratch)
{
    const int id = (int)get_local_id(0), nrows = FINISH_ITEMS / ncolumns;
    float2 sums = (float2)(0.0f);
    const int end = is_idle ? 0 : data->nslices;
    for (int slice = row; slice < end; slice += nrows) sums += partials[(long)slice * data->channels + column];
    int half_rows = 1;
    while (2 * half_rows < nrows) half_rows *= 2;
    scratch[id] = sums;
    for (; half_rows > 0; half_rows /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < half_rows && row + half_rows < nrows) scratch[id] += scratch[id + half_rows * ncolumns];
    }
    sums = scratch[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums;
}

__attribute__((reqd_work_group_size(FINISH_ITEMS, 1, 1))) __kernel void gnorm_backward_nhwc_finish(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const float2 *partials,
        long partials_off, __global const float *mean, long mean_off,
        __global const float *variance, long variance_off, __global const float *scale,
        long scale_off, __global float2 *planes, long planes_off, __global float *parts, long parts_off)
{
    __local float2 scratch[FINISH_ITEMS];
    __local float scratch1[FINISH_ITEMS];
    const int id = (int)get_local_id(0), set = (int)get_group_id(0), size = data->group_channels;
    int n = set;
    const int first = take_digit(&n, data->groups) * size;
    const float m = mean[mean_off + set];
    const float deviation = inverse_deviation(variance[variance_off + set], data->epsilon);
    const int ncolumns = min(size, FINISH_ITEMS), row = id / ncolumns, column = id - row * ncolumns;
    partials += partials_off + (long)n * data->nslices * data->channels + first;
    planes += planes_off + (long)n * data->channels + first;
    parts += parts_off + 4L * n * data->channels + first;
    scale += scale_off + first;
    float2 means = (float2)(0.0f);
    for (int c = 0; c < size; c += ncolumns) {
        const bool is_idle = row >= FINISH_ITEMS / ncolumns || c + column >= size;
        float2 sums = add_slices(data, partials + c, column, ncolumns, row, is_idle, scratch);
        sums.s1 *= deviation;
        if (row > 0 || is_idle) continue;
        planes[c + column] = sums;
        means += data->has_scale ? sums * scale[c + column] : sums;
    }
    const float count = (float)size * (float)data->spatial;
    means.s0 = lanes_sum(means.s0, scratch1, FINISH_ITEMS) / count;
    means.s1 = lanes_sum(means.s1, scratch1, FINISH_ITEMS) / count;
    if (data->are_given) means = (float2)(0.0f);
    for (int c = id; c < size; c += FINISH_ITEMS) {
        parts[c] = m;
        parts[data->channels + c] = data->has_scale ? deviation * scale[c] : deviation;
        parts[2L * data->channels + c] = deviation * deviation * means.s1;
        parts[3L * data->channels + c] = deviation * means.s0;
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void gnorm_backward_nhwc_apply(
        __constant const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, long src_off,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *parts,
        long parts_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    const int index = (int)get_num_groups(0) - 1 - (int)get_group_id(0);
    const part_t part = part_of(data, index, data->tile, data->ntiles);
    if (part.is_idle) return;
    const int step = data->nrows * AT_ONCE, channels = data->channels;
    src += src_off;
    diff_dst += diff_dst_off;
    diff_src += diff_src_off;
    parts += parts_off + 4L * part.n * channels + part.channel;
    const norm_gradient_t g = {vloadv(parts), vloadv(parts + channels), vloadv(parts + 2L * channels),
            vloadv(parts + 3L * channels)};
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0) &&
            ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0);
    for (int first = part.begin; first < part.end; first += step) {
        const int at = first + part.row;
        if (is_aligned && first + step <= part.end) {
            src_vec_t x[AT_ONCE];
            diff_dst_vec_t y[AT_ONCE];
            load_at_once(x, y, src, diff_dst, data, &part, at, step);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
                diff_src_store_streaming(diff_src, elem_at(data, &part, at + k * data->nrows),
                        norm_gradient_of(&g, src_floats(x[k]), diff_dst_floats(y[k])));
        } else {
#pragma unroll 1
            for (int k = 0; k < AT_ONCE; ++k) {
                if (at + k * data->nrows >= part.end) continue;
                const long i = elem_at(data, &part, at + k * data->nrows);
                const floatv y = VEC_FORM(DIFF_DST, LOAD)(diff_dst, i);
                VEC_FORM(DIFF_SRC, STORE)(diff_src, i, norm_gradient_of(&g, SRC_LOADV(src, i), y));
            }
        }
    }
}
