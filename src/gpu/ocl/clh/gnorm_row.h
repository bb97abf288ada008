// SPDX-License-Identifier: Apache-2.0
// A row of group normalisation of NCHW, the planes of a group next to each other, that a work-group keeps in local
// memory: PER_LOCAL vectors of each work-item, and one more in registers, the last. Vectors of the row are numbered
// k·GROUP_ITEMS + id, so that a work-item needs no others' and only its last one may lie behind the end. All work-items
// call. Empty with PER_LOCAL = 0.
// -D: PER_LOCAL; WITH_SCALE, WITH_SHIFT, DST; CACHE_HINTS; those of clh/gnorm.h, clh/gnorm_kept.h.
#ifndef CLH_GNORM_ROW_H
#define CLH_GNORM_ROW_H

#if !defined(PER_LOCAL) || !defined(CACHE_HINTS) || !defined(DST_DT) || !defined(WITH_SCALE) || !defined(WITH_SHIFT)
#error "clh/gnorm_row.h needs PER_LOCAL, CACHE_HINTS, DST, WITH_SCALE, WITH_SHIFT"
#endif

#include "clh/gnorm.h"
#include "clh/gnorm_kept.h"
#include "clh/moments.h"
#include "clh/nv/nv_global.h"

#if PER_LOCAL > 0

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) dst_##name
#define STORED_PREFIX(suffix) DST##suffix
#include "clh/stored_vec.inc"

typedef struct {
    __local src_vec_t *kept; // PER_LOCAL vectors of each work-item
    __local float2 *params;  // scale and shift of each channel
    int first, elems;        // the work-item's first element; elements of the row
} row_t;

// From a work-item's first element to its k-th vector.
#define FAR(k) ((k) * GROUP_ITEMS * VEC)

static inline bool has_last(const row_t *row)
{
    return row->first + FAR(PER_LOCAL) < row->elems;
}

// The row's last vector stands in for those behind its end.
ALWAYS_INLINE void load_row(src_vec_t *last, const row_t *row, __global const SRC_T *src)
{
    __global const SRC_T *own = src + row->first;
    const int far = min(FAR(PER_LOCAL), row->elems - VEC - row->first);
    if (ARE_ALIGNED(SRC_T, VEC, src, 0)) {
        const copy_place_t to = copy_place(&LOCAL_AT(row->kept, 0));
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k) LOCAL_COPY(row->kept, to, k, src_vec_at, own, FAR(k));
        copy_close();
        *last = src_vec_at(own, far);
    } else {
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k) LOCAL_AT(row->kept, k) = src_vec_any(own, FAR(k));
        *last = src_vec_any(own, far);
    }
}

ALWAYS_INLINE void load_params(
        const row_t *row, __global const float *scale, __global const float *shift, int channels)
{
    for (int c = (int)get_local_id(0); c < channels; c += GROUP_ITEMS)
        row->params[c] = (float2)(WITH_SCALE ? scale[c] : 1.0f, WITH_SHIFT ? shift[c] : 0.0f);
}

// A work-item's share of Σ (x − centre) and Σ (x − centre)².
ALWAYS_INLINE float2 sum_row(src_vec_t *last, const row_t *row, float centre)
{
    floatv sum = (floatv)(0.0f), squares = (floatv)(0.0f);
    if (has_last(row)) {
        src_hide(last);
        sum = src_floats(*last) - centre;
        squares = sum * sum;
    }
    copy_wait(0);
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k) {
        const floatv y = src_floats(LOCAL_AT(row->kept, k)) - centre;
        sum += y;
        squares = fma(y, y, squares);
    }
    return (float2)(sum_lanes(sum), sum_lanes(squares));
}

// Mean and variance by one pass about 0, the variance by a second one from the mean where it cancels, or is no number
// because squares overflow.
ALWAYS_INLINE float2 statistics_of(src_vec_t *last, const row_t *row, float count, __local float2 *scratch)
{
    const float2 sums = group_sum2(sum_row(last, row, 0.0f), scratch);
    const moments_t moments = {sums.s0, sums.s1, 0.0f};
    const float mean = moments_mean(moments, 0.0f, count);
    float variance = moments_variance(moments, count);
    if (variance == MOMENTS_AGAIN || isnan(variance)) {
        barrier(CLK_LOCAL_MEM_FENCE);
        variance = divide_refined(group_sum2(sum_row(last, row, mean), scratch).s1, count);
    }
    return (float2)(mean, variance);
}

ALWAYS_INLINE void store_vector(__global DST_T *dst, const row_t *row, __constant const ocl_gnorm_data_t *data, const int k,
        floatv x, float mean, float deviation, const bool is_aligned)
{
    const int i = row->first + FAR(k);
    int c = i;
    (void)split_digit(&c, &data->by_spatial);
    const float2 param = row->params[c];
    const floatv y = fma(x - mean, (floatv)(deviation * param.s0), (floatv)(param.s1));
    if (is_aligned)
        dst_store_streaming(dst, i, y);
    else
        DST_STOREV(dst, i, y);
}

ALWAYS_INLINE void store_vectors(__global DST_T *dst, src_vec_t *last, const row_t *row,
        __constant const ocl_gnorm_data_t *data, float mean, float deviation, const bool is_aligned)
{
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k)
        store_vector(dst, row, data, k, src_floats(LOCAL_AT(row->kept, k)), mean, deviation, is_aligned);
    if (has_last(row)) {
        src_hide(last);
        store_vector(dst, row, data, PER_LOCAL, src_floats(*last), mean, deviation, is_aligned);
    }
}

ALWAYS_INLINE void store_row(__global DST_T *dst, src_vec_t *last, const row_t *row,
        __constant const ocl_gnorm_data_t *data, float mean, float deviation)
{
    if (ARE_ALIGNED(DST_T, VEC, dst, 0))
        store_vectors(dst, last, row, data, mean, deviation, true);
    else
        store_vectors(dst, last, row, data, mean, deviation, false);
}

#endif

#endif
