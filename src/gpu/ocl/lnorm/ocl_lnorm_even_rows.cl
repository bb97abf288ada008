// SPDX-License-Identifier: Apache-2.0
// ocl_lnorm_row_per_group.cl for rows at even distances whose length is a multiple of VEC and that stay in registers:
// no loop nest and no ragged vectors, which cost more instructions than the arithmetic.
//
//   nest                   its innermost loop over rows alone counts; strides fit 32 bits
//   src_scale … dst_scale_dt     unused, and so are POST_OPS
//   the other parameters: ocl_lnorm_row_per_group.cl
// Grid: as there.
// Numerics: as there.
// -D: as there; PER_ITEM > 0.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_lnorm_even_rows needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS"
#endif
#if PER_ITEM == 0
#error "rows stay in registers"
#endif

#include "clh/always_inline.h"
#include "clh/lanes.h"
#include "clh/nv/nv_global.h"
#include "clh/lnorm_row.h"

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"

#define STEP (ROW_ITEMS * VEC)

// A row from the work-item's first element on, which stands `first` elements behind the row's start. n is 0 behind the
// last row.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    __global const WEI_T *scale, *shift;
    __global float *mean, *variance;
    int first, n;
} even_row_t;

static inline bool is_inside(const even_row_t *row, int k)
{
    return row->first + k * STEP < row->n;
}

ALWAYS_INLINE void load_kept(floatv *kept, const even_row_t *row, const bool is_aligned)
{
    src_vec_t x[PER_ITEM];
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        x[k] = (src_vec_t)(0);
        if (is_inside(row, k)) x[k] = is_aligned ? src_vec_at(row->src, k * STEP) : src_vec_any(row->src, k * STEP);
    }
    src_join(x, PER_ITEM, (uint)row->n >> 31);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) kept[k] = src_floats(x[k]);
}

ALWAYS_INLINE float add_up(const floatv *kept)
{
    floatv sum = kept[0];
#pragma unroll
    for (int k = 1; k < PER_ITEM; ++k) sum += kept[k];
    return sum_lanes(sum);
}

// They become their deviations from the mean, zeros behind the end.
ALWAYS_INLINE void subtract(floatv *kept, const even_row_t *row, float mean)
{
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) kept[k] = is_inside(row, k) ? kept[k] - mean : (floatv)(0.0f);
}

ALWAYS_INLINE float add_squares(const floatv *kept)
{
    floatv sum = kept[0] * kept[0];
#pragma unroll
    for (int k = 1; k < PER_ITEM; ++k) sum = fma(kept[k], kept[k], sum);
    return sum_lanes(sum);
}

// The vectors of a work-item become deviations; the variance.
ALWAYS_INLINE float centre(floatv *kept, const even_row_t *row, float n, __local float *scratch)
{
#if STATS == LNORM_STATS_GIVEN
    subtract(kept, row, *row->mean);
    return *row->variance;
#else
    const float mean = divide_refined(lanes_sum(add_up(kept), scratch, ROW_ITEMS), n);
    subtract(kept, row, mean);
    const float variance = divide_refined(lanes_sum(add_squares(kept), scratch, ROW_ITEMS), n);
    if (STATS == LNORM_STATS_OUTPUT && row->first == 0 && row->n > 0) {
        *row->mean = mean;
        *row->variance = variance;
    }
    return variance;
#endif
}

ALWAYS_INLINE void store_kept(const even_row_t *row, const floatv *kept, float factor, const bool is_aligned)
{
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (!is_inside(row, k)) continue;
        floatv y = kept[k] * factor;
        const int i = k * STEP;
        if (WITH_SCALE)
            y *= is_aligned ? WEI_LOADV(AS_ALIGNED(WEI_T, VEC, row->scale + i), 0) : WEI_LOADV(row->scale, i);
        if (WITH_SHIFT)
            y += is_aligned ? WEI_LOADV(AS_ALIGNED(WEI_T, VEC, row->shift + i), 0) : WEI_LOADV(row->shift, i);
        if (is_aligned)
            DST_STOREV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0, y);
        else
            DST_STOREV(row->dst, i, y);
    }
}

ALWAYS_INLINE void normalise(const even_row_t *row, float n, float epsilon, __local float *scratch, const bool is_aligned)
{
    floatv kept[PER_ITEM];
    load_kept(kept, row, is_aligned);
    const float variance = centre(kept, row, n, scratch);
    store_kept(row, kept, inverse_deviation(variance, epsilon), is_aligned);
}

static inline ulong offset(int index, long step)
{
    return (ulong)(uint)index * (uint)step;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_even_rows(LNORM_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    const int loop = NEST_ROW - 1, id = (int)get_local_id(0);
    const int index = (int)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + id / ROW_ITEMS, at = min(index, (int)nrows - 1);
    const int first = (id & (ROW_ITEMS - 1)) * VEC;
    const long dst_step = nest->strides[0][loop], src_step = nest->strides[1][loop];
    const ulong stat = offset(at, nest->strides[2][loop]);
    const even_row_t row = {src + src_off + offset(at, src_step) + first, dst + dst_off + offset(at, dst_step) + first,
            scale + scale_off + first, shift + shift_off + first, mean + mean_off + stat, variance + variance_off + stat,
            first, index < nrows ? (int)n : 0};
    const bool is_aligned = LNORM_IS_ALIGNED && ARE_ALIGNED(SRC_T, VEC, src + src_off, src_step) &&
            ARE_ALIGNED(DST_T, VEC, dst + dst_off, dst_step);
    if (is_aligned)
        normalise(&row, (float)n, epsilon, scratch, true);
    else
        normalise(&row, (float)n, epsilon, scratch, false);
}
