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

#include "clh/lanes.h"
#include "clh/lnorm_row.h"

// Vectors of a work-item: those that it keeps, or those of any row, loaded each time. Loops over kept ones
// have a constant end, so that these stay in registers: behind the end of the row they are zeros.
#if PER_ITEM > 0
#define KEPT_PARAM const floatv *kept
#define KEPT kept
#define VECTOR(k, at) kept[k]
#define IS_LEFT(k, at) ((k) < PER_ITEM)
#else
#define KEPT_PARAM int unused
#define KEPT 0
#define VECTOR(k, at) (row->is_whole ? load_whole(row, at) : load_some(row, at))
#define IS_LEFT(k, at) ((at) < row->n)
#endif

static inline int first_elem(void)
{
    return ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC;
}

#define STEP (ROW_ITEMS * VEC)

// Σ x of the work-item's vectors.
static inline float add_up(const row_t *row, KEPT_PARAM)
{
    float sum = 0.0f;
    long at = first_elem();
    for (int k = 0; IS_LEFT(k, at); ++k, at += STEP) sum += sum_lanes(VECTOR(k, at));
    return sum;
}

// Σ (x − mean)²
static inline float add_squares(const row_t *row, KEPT_PARAM, float mean)
{
    float sum = 0.0f;
    long at = first_elem();
    for (int k = 0; IS_LEFT(k, at); ++k, at += STEP) {
        const floatv x = deviations(row, VECTOR(k, at), mean, at);
        sum += sum_lanes(x * x);
    }
    return sum;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void lnorm_row_per_group(LNORM_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    const lnorm_t z = LNORM;
    const long index =
            (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const row_t whole = row_of(src + src_off, dst + dst_off, mean + mean_off, variance + variance_off,
            nest_at(nest, min(index, nrows - 1)), index < nrows ? n : 0);
    const row_t *const row = &whole;
#if PER_ITEM > 0
    floatv kept[PER_ITEM];
    if (row->is_whole) {
        for (int k = 0; k < PER_ITEM; ++k) kept[k] = load_whole(row, first_elem() + (long)k * STEP);
    } else {
        for (int k = 0; k < PER_ITEM; ++k) kept[k] = load_some(row, first_elem() + (long)k * STEP);
    }
#endif
#if STATS == LNORM_STATS_GIVEN
    const float centre = *row->mean, spread = *row->variance;
#else
    const float sum = lanes_sum(add_up(row, KEPT), scratch, ROW_ITEMS);
    const float centre = divide_refined(sum, (float)n);
    const float squares = lanes_sum(add_squares(row, KEPT, centre), scratch, ROW_ITEMS);
    const float spread = divide_refined(squares, (float)n);
    if (STATS == LNORM_STATS_OUTPUT && first_elem() == 0 && row->n > 0) {
        *row->mean = centre;
        *row->variance = spread;
    }
#endif
    const float factor = inverse_deviation(spread, epsilon);
    long at = first_elem();
    for (int k = 0; IS_LEFT(k, at); ++k, at += STEP) store(&z, row, at, VECTOR(k, at), centre, factor);
}
