// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows on CPU-type devices: a work-item for each row, which finds src
// in the caches when it reads it again.
//
//   nest               loops over rows; tensor 0 dst, 1 src, 2 the statistics
//   src, src_off       rows of [n] SRC_T
//   mean, variance     one f32 a row: unused, written or read by STATS
//   scale, shift       [n] WEI_T; unused without WITH_SCALE, WITH_SHIFT
//   dst, dst_off       rows of [n] DST_T; may be src
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   epsilon, n, nrows  n: elements of a row
//   POST_OPS           without operands
// Grid: x ≥ nrows.
// Numerics: f32; VEC partial sums, then VEC partial sums of squared differences from the mean.
// -D: those of clh/lnorm_row.h.
#include "clh/lnorm_row.h"

// Σ x / n
static inline float mean_of(const row_t *row, long end)
{
    floatv sums = (floatv)(0.0f);
    for (long i = 0; i < end; i += VEC) sums += SRC_LOADV(row->src, i);
    if (end < row->n) sums += load_some(row, end);
    return divide_refined(sum_lanes(sums), (float)row->n);
}

// Σ (x − mean)² / n
static inline float variance_of(const row_t *row, long end, float mean)
{
    floatv sums = (floatv)(0.0f);
    for (long i = 0; i < end; i += VEC) {
        const floatv x = SRC_LOADV(row->src, i) - mean;
        sums += x * x;
    }
    if (end < row->n) {
        const floatv x = deviations(row, load_some(row, end), mean, end);
        sums += x * x;
    }
    return divide_refined(sum_lanes(sums), (float)row->n);
}

__kernel void lnorm_row_per_item(LNORM_PARAMS)
{
    if ((long)get_global_id(0) >= nrows) return;
    const lnorm_t z = LNORM;
    const row_t row = row_of(src + src_off, dst + dst_off, mean + mean_off, variance + variance_off,
            nest_at(nest, (long)get_global_id(0)), n);
    const long end = n / VEC * VEC;
#if STATS == LNORM_STATS_GIVEN
    const float centre = *row.mean, spread = *row.variance;
#else
    const float centre = mean_of(&row, end), spread = variance_of(&row, end, centre);
    if (STATS == LNORM_STATS_OUTPUT) {
        *row.mean = centre;
        *row.variance = spread;
    }
#endif
    const float factor = inverse_deviation(spread, epsilon);
    for (long i = 0; i < end; i += VEC) store(&z, &row, i, SRC_LOADV(row.src, i), centre, factor);
    if (end < n) store(&z, &row, end, load_some(&row, end), centre, factor);
}
