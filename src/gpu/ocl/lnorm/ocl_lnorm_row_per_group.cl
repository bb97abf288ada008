// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows, ROW_ITEMS work-items of a work-group for each row.
//
//   nest               loops over rows; tensor 0 dst, 1 src, 2 the statistics
//   src, src_off       rows of [n] SRC_T
//   mean, variance     one f32 a row: unused, written or read by STATS
//   scale, shift       [n] WEI_T; unused without WITH_SCALE, WITH_SHIFT
//   dst, dst_off       rows of [n] DST_T; may be src
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   epsilon, n, nrows  n: elements of a row
//   POST_OPS           without operands
// Grid: work-groups of GROUP_ITEMS work-items; ROW_ITEMS of them for each row, or more.
// PER_ITEM > 0: a row has at most PER_ITEM·VEC·ROW_ITEMS elements and stays in registers; 0: any
// length, src is read three times.
// Numerics: f32; sum, then squared differences from the mean, per work-item, then of the row.
// -D: PER_ITEM = 0, 1, 2, 4, 8; GROUP_ITEMS, ROW_ITEMS: powers of two; those of clh/lanes.h and
// clh/lnorm_row.h.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_lnorm_row_per_group needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS"
#endif

#include "clh/always_inline.h"
#include "clh/lanes.h"
#include "clh/nv/nv_global.h"
#include "clh/lnorm_row.h"

#define STEP (ROW_ITEMS * VEC)

static inline int first_elem(void)
{
    return ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC;
}

#if PER_ITEM > 0

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"

// The vectors that a work-item keeps; behind the end of the row they are zeros. Loops over them have a constant end,
// so that they stay in registers.
ALWAYS_INLINE void load_kept(floatv *kept, const row_t *row, bool is_full)
{
    if (is_full) {
        src_vec_t x[PER_ITEM];
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) x[k] = src_vec_at(row->src, first_elem() + (long)k * STEP);
        src_join(x, PER_ITEM, (uint)row->n >> 31);
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) kept[k] = src_floats(x[k]);
    } else if (row->is_whole) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) kept[k] = load_whole(row, first_elem() + (long)k * STEP);
    } else {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) kept[k] = load_some(row, first_elem() + (long)k * STEP);
    }
}

ALWAYS_INLINE float add_up(const floatv *kept)
{
    floatv sum = kept[0];
#pragma unroll
    for (int k = 1; k < PER_ITEM; ++k) sum += kept[k];
    return sum_lanes(sum);
}

// They become their deviations from the mean.
ALWAYS_INLINE void subtract(floatv *kept, const row_t *row, float mean, bool is_full)
{
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
        kept[k] = is_full ? kept[k] - mean : deviations(row, kept[k], mean, first_elem() + (long)k * STEP);
}

ALWAYS_INLINE float add_squares(const floatv *kept)
{
    floatv sum = kept[0] * kept[0];
#pragma unroll
    for (int k = 1; k < PER_ITEM; ++k) sum = fma(kept[k], kept[k], sum);
    return sum_lanes(sum);
}

#else

static inline floatv load_vector(const row_t *row, long at)
{
    return row->is_whole ? load_whole(row, at) : load_some(row, at);
}

// Σ x of the work-item's vectors.
static inline float add_loaded(const row_t *row)
{
    float sum = 0.0f;
    for (long at = first_elem(); at < row->n; at += STEP) sum += sum_lanes(load_vector(row, at));
    return sum;
}

// Σ (x − mean)²
static inline float add_loaded_squares(const row_t *row, float mean)
{
    float sum = 0.0f;
    for (long at = first_elem(); at < row->n; at += STEP) {
        const floatv x = deviations(row, load_vector(row, at), mean, at);
        sum += sum_lanes(x * x);
    }
    return sum;
}

#endif

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_row_per_group(LNORM_PARAMS)
{
    const lnorm_t z = LNORM;
    const long index =
            (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const row_t whole = row_of(src + src_off, dst + dst_off, mean + mean_off, variance + variance_off,
            nest_at(nest, min(index, nrows - 1)), index < nrows ? n : 0);
    const row_t *const row = &whole;
#if PER_ITEM > 0
    floatv kept[PER_ITEM];
    const bool is_full = row->is_whole && row->n == PER_ITEM * STEP;
    load_kept(kept, row, is_full);
#endif
#if STATS == LNORM_STATS_GIVEN
    const float centre = *row->mean, spread = *row->variance;
#if PER_ITEM > 0
    subtract(kept, row, centre, is_full);
#endif
#else
    __local float scratch[GROUP_ITEMS];
#if PER_ITEM > 0
    const float sum = lanes_sum(add_up(kept), scratch, ROW_ITEMS);
    const float centre = divide_refined(sum, (float)n);
    subtract(kept, row, centre, is_full);
    const float squares = lanes_sum(add_squares(kept), scratch, ROW_ITEMS);
#else
    const float sum = lanes_sum(add_loaded(row), scratch, ROW_ITEMS);
    const float centre = divide_refined(sum, (float)n);
    const float squares = lanes_sum(add_loaded_squares(row, centre), scratch, ROW_ITEMS);
#endif
    const float spread = divide_refined(squares, (float)n);
    if (STATS == LNORM_STATS_OUTPUT && first_elem() == 0 && row->n > 0) {
        *row->mean = centre;
        *row->variance = spread;
    }
#endif
    const float factor = inverse_deviation(spread, epsilon);
#if PER_ITEM > 0
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
        store_deviations(&z, row, first_elem() + (long)k * STEP, kept[k], factor);
#else
    for (long at = first_elem(); at < row->n; at += STEP)
        store(&z, row, at, load_vector(row, at), centre, factor);
#endif
}
