// SPDX-License-Identifier: Apache-2.0
// Group normalisation, NCHW with contiguous planes: a work-group per group of channels of an image, a row. With
// PER_LOCAL > 0 (gnorm_row_in_local) it keeps the row in local memory, else with PER_ITEM > 0 in registers. Else it reads
// the row three times, for the mean, the variance and the result; the second and the third time from the cache.
//
//   data            shapes and strides
//   src             [N, C, data->spatial] SRC_T
//   mean, variance  [N, groups] f32: read with ARE_GIVEN, else written if data->has_outputs
//   scale, shift    [C] f32; null without WITH_SCALE, WITH_SHIFT
//   dst             [N, C, data->spatial] DST_T; may be src
// Grid: N·groups work-groups of GROUP_ITEMS work-items.
// Numerics: f32; VEC partial sums per work-item, then a tree; the variance from the mean, of rows in local memory from
// one pass about 0 unless it cancels: for elements of 16 bits, which are rounded more themselves.
// PER_ITEM > 0: vectors of a work-item; the planes of a group lie next to each other, and are whole vectors.
// PER_LOCAL > 0: the same beside PER_ITEM = 1, clh/gnorm_row.h; ARE_GIVEN = 0.
// -D: PER_ITEM, PER_LOCAL, CACHE_HINTS, ARE_GIVEN, WITH_SCALE, WITH_SHIFT, DST; MOST_CHANNELS: of a group, with PER_LOCAL
// > 0; those of clh/gnorm.h, clh/gnorm_row.h.
#if !defined(PER_ITEM) || !defined(CACHE_HINTS)
#error "ocl_gnorm_row_per_group needs PER_ITEM, CACHE_HINTS"
#endif
#if !defined(ARE_GIVEN) || !defined(WITH_SCALE) || !defined(WITH_SHIFT) || !defined(DST_DT)
#error "ocl_gnorm_row_per_group needs ARE_GIVEN, WITH_SCALE, WITH_SHIFT, DST"
#endif

#include "clh/gnorm.h"
#include "clh/gnorm_row.h"
#include "clh/limited_group.h"
#include "clh/nv/nv_global.h"

#if PER_LOCAL > 0

#if PER_ITEM != 1 || ARE_GIVEN || !defined(MOST_CHANNELS)
#error "gnorm_row_in_local needs PER_ITEM=1, ARE_GIVEN=0, MOST_CHANNELS"
#endif

GROUP_SIZE __kernel void gnorm_row_in_local(
        __constant const ocl_gnorm_data_t *data, __global const SRC_T *src, long src_off,
        __global float *mean, long mean_off, __global float *variance, long variance_off,
        __global const float *scale, long scale_off, __global const float *shift, long shift_off,
        __global DST_T *dst, long dst_off)
{
    __local src_vec_t kept[PER_LOCAL * GROUP_ITEMS];
    __local float2 params[MOST_CHANNELS], scratch[GROUP_SCRATCH];
    const part_t part = part_of(data);
    const row_t row = {kept, params, (int)get_local_id(0) * VEC, data->elems};
    src_vec_t last;
    load_row(&last, &row, src + src_off + channels_offset(&data->src, part.n, part.first_channel));
    load_params(&row, scale + scale_off + part.first_channel, shift + shift_off + part.first_channel,
            data->group_channels);
    const float count = (float)data->group_channels * (float)data->spatial;
    const float2 statistics = statistics_of(&last, &row, count, scratch);
    if (data->has_outputs && get_local_id(0) == 0) {
        mean[mean_off + part.set] = statistics.s0;
        variance[variance_off + part.set] = statistics.s1;
    }
    dst += dst_off + channels_offset(&data->dst, part.n, part.first_channel);
    store_row(dst, &last, &row, data, statistics.s0, inverse_deviation(statistics.s1, data->epsilon));
}

#else

#define STORED(name) dst_##name
#define STORED_PREFIX(suffix) DST##suffix
#include "clh/stored_vec.inc"

#if PER_ITEM > 0

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"

// First element of a work-item's k-th vector of the row.
static inline int elem_of(int k)
{
    return (k * GROUP_ITEMS + (int)get_local_id(0)) * VEC;
}

// The work-item's vectors; those behind the end are the last one.
ALWAYS_INLINE void load_row(src_vec_t *x, __global const SRC_T *row, int elems)
{
    if (ARE_ALIGNED(SRC_T, VEC, row, 0)) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) x[k] = src_vec_at(row, min(elem_of(k), elems - VEC));
        src_join(x, PER_ITEM, (uint)elems >> 31);
    } else {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) x[k] = src_vec_any(row, min(elem_of(k), elems - VEC));
    }
}

// A work-item's share of Σ (x − centre)^power.
ALWAYS_INLINE float sum_row(src_vec_t *x, int elems, float centre, int power)
{
    floatv sum = (floatv)(0.0f);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        src_hide(&x[k]);
        const floatv y = src_floats(x[k]) - centre;
        if (elem_of(k) < elems) sum = power == 1 ? sum + y : fma(y, y, sum);
    }
    return sum_lanes(sum);
}

#endif

#if PER_ITEM == 0

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

#endif

// That share, in the kernel.
#if PER_ITEM > 0
#define SUM(centre, power) sum_row(x, data->elems, centre, power)
#else
#define SUM(centre, power) sum_share(data, src, &part, centre, power)
#endif

GROUP_SIZE __kernel void gnorm_row_per_group(
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
#if PER_ITEM > 0
    src_vec_t x[PER_ITEM];
    load_row(x, src + channels_offset(&data->src, part.n, part.first_channel), data->elems);
#endif
#if ARE_GIVEN
    const float m = mean[0], v = variance[0];
#else
    const float count = (float)data->group_channels * (float)data->spatial;
    const float m = divide_refined(
            lanes_sum(SUM(0.0f, 1), scratch, GROUP_ITEMS), count);
    const float v = divide_refined(
            lanes_sum(SUM(m, 2), scratch, GROUP_ITEMS), count);
    if (data->has_outputs && get_local_id(0) == 0) {
        mean[0] = m;
        variance[0] = v;
    }
#endif
    const float deviation = inverse_deviation(v, data->epsilon);
#if PER_ITEM > 0
    dst += dst_off + channels_offset(&data->dst, part.n, part.first_channel);
    const bool is_aligned = ARE_ALIGNED(DST_T, VEC, dst, 0);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        const int i = elem_of(k);
        if (i >= data->elems) break;
        int c = i;
        (void)split_digit(&c, &data->by_spatial);
        c += part.first_channel;
        const float factor = WITH_SCALE ? deviation * scale[scale_off + c] : deviation;
        src_hide(&x[k]);
        const floatv y = (src_floats(x[k]) - m) * factor + (WITH_SHIFT ? shift[shift_off + c] : 0.0f);
        if (is_aligned)
            dst_store_streaming(dst, i, y);
        else
            DST_STOREV(dst, i, y);
    }
#else
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
#endif
}

#endif
