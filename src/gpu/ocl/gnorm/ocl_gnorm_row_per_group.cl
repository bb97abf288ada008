// SPDX-License-Identifier: Apache-2.0
// Group normalisation, NCHW with contiguous planes: a work-group per group of channels of an image, a row. It reads the
// row three times, for the mean, the variance and the result; the second and the third time from the cache.
//
//   data            shapes and strides
//   src             [N, C, data->spatial] SRC_T
//   mean, variance  [N, groups] f32: read with ARE_GIVEN, else written if data->has_outputs
//   scale, shift    [C] f32; null without WITH_SCALE, WITH_SHIFT
//   dst             [N, C, data->spatial] DST_T; may be src
// Grid: N·groups work-groups of GROUP_ITEMS work-items.
// Numerics: f32; VEC partial sums per work-item, then a tree; the variance from the mean.
// -D: ARE_GIVEN, WITH_SCALE, WITH_SHIFT, DST; those of clh/gnorm.h.
#if !defined(ARE_GIVEN) || !defined(WITH_SCALE) || !defined(WITH_SHIFT) || !defined(DST_DT)
#error "ocl_gnorm_row_per_group needs ARE_GIVEN, WITH_SCALE, WITH_SHIFT, DST"
#endif

#include "clh/gnorm.h"

// A work-item's share of Σ (x − centre)^power.
ALWAYS_INLINE float sum_share(__constant const ocl_gnorm_data_t *data, __global const SRC_T *src,
        const part_t *part, float centre, int power)
{
    float total = 0.0f;
    for (int k = part->slot; k < data->group_channels; k += SLOTS) {
        __global const SRC_T *plane = src + channels_offset(&data->src, part->n, part->first_channel + k);
        const int end = whole_elems(ARE_ALIGNED(SRC_T, VEC, plane, 0), data->spatial);
        floatv sums = (floatv)(0.0f);
#if LANE_SHUFFLE // compilers for CPUs leave it out, with a warning
#pragma unroll 4
#endif
        for (int i = part->item * VEC; i < end; i += ROW_ITEMS * VEC) {
            const floatv x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, plane + i), 0) - centre;
            sums += power == 1 ? x : x * x;
        }
        float sum = sum_lanes(sums);
        for (int i = end + part->item; i < data->spatial; i += ROW_ITEMS) {
            const float x = SRC_LOAD(plane, i) - centre;
            sum += power == 1 ? x : x * x;
        }
        total += sum;
    }
    return total;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void gnorm_row_per_group(
        __constant const ocl_gnorm_data_t *data, __global const SRC_T *src, long src_off,
        __global float *mean, long mean_off, __global float *variance, long variance_off,
        __global const float *scale, long scale_off, __global const float *shift, long shift_off,
        __global DST_T *dst, long dst_off)
{
#if !ARE_GIVEN
    __local float scratch[GROUP_ITEMS];
#endif
    const part_t part = part_of(data);
    src += src_off;
    mean += mean_off + part.set;
    variance += variance_off + part.set;
#if ARE_GIVEN
    const float m = mean[0], v = variance[0];
#else
    const float count = (float)data->group_channels * (float)data->spatial;
    const float m = divide_refined(
            lanes_sum(sum_share(data, src, &part, 0.0f, 1), scratch, GROUP_ITEMS), count);
    const float v = divide_refined(
            lanes_sum(sum_share(data, src, &part, m, 2), scratch, GROUP_ITEMS), count);
    if (data->has_outputs && get_local_id(0) == 0) {
        mean[0] = m;
        variance[0] = v;
    }
#endif
    const float deviation = inverse_deviation(v, data->epsilon);
    for (int k = part.slot; k < data->group_channels; k += SLOTS) {
        const int c = part.first_channel + k;
        __global const SRC_T *from = src + channels_offset(&data->src, part.n, c);
        __global DST_T *to = dst + dst_off + channels_offset(&data->dst, part.n, c);
        const float factor = WITH_SCALE ? deviation * scale[scale_off + c] : deviation;
        const float summand = WITH_SHIFT ? shift[shift_off + c] : 0.0f;
        const int end = whole_elems(ARE_ALIGNED(SRC_T, VEC, from, 0) && ARE_ALIGNED(DST_T, VEC, to, 0), data->spatial);
        for (int i = part.item * VEC; i < end; i += ROW_ITEMS * VEC) {
            const floatv x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, from + i), 0);
            DST_STOREV(AS_ALIGNED(DST_T, VEC, to + i), 0, (x - m) * factor + summand);
        }
        for (int i = end + part.item; i < data->spatial; i += ROW_ITEMS)
            DST_STORE(to, i, (SRC_LOAD(from, i) - m) * factor + summand);
    }
}
