// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation of contiguous rows on CPU-type devices: a work-item takes
// `per_item` rows one after the other and adds up the gradients of scale and shift in the cache;
// ocl_lnorm_backward.cl adds up what the work-items found.
//
//   nest                   loops over rows; tensor 0 diff_src, 1 src, 2 diff_dst, 3 the statistics
//   src, diff_dst          rows of [n] SRC_T, DIFF_DST_T
//   mean, variance         one f32 a row
//   scale                  [n] WEI_T; unused without WITH_SCALE
//   diff_src               rows of [n] DIFF_SRC_T; may be diff_dst
//   partials               [work-items][2][n]: sums of diff_dst·x̂ and of diff_dst; unused without WITH_PARAMETERS
//   epsilon, n, nrows      n: elements of a row
//   per_item               rows of a work-item
// Grid: x ≥ ⌈nrows / per_item⌉.
// Numerics: f32, VEC partial sums of a row; of the parameters sums over the rows of a work-item.
// -D: WITH_PARAMETERS, those of clh/lnorm_backward_row.h.
#ifndef WITH_PARAMETERS
#error "ocl_lnorm_backward_row_per_item needs WITH_PARAMETERS"
#endif

#include "clh/lnorm_backward_row.h"

// The means of g and of g·x̂.
static inline float2 means_of(const row_t *row, __global const WEI_T *scale)
{
    const long end = row->n / VEC * VEC;
    floatv sums = (floatv)(0.0f), products = (floatv)(0.0f);
    for (long i = 0; i < end; i += VEC) {
        const pair_t y = load_inside(row, i);
        const floatv g = y.g * load_scale(scale, i, row->n);
        sums += g;
        products += g * y.x;
    }
    if (end < row->n) {
        const pair_t y = load_some(row, end);
        const floatv g = y.g * load_scale(scale, end, row->n);
        sums += g;
        products += g * y.x;
    }
    return (float2)(sum_lanes(sums), sum_lanes(products)) / (float)row->n;
}

// to[i …] = or += x, of [n] elements.
static inline void add_to(__global float *to, long i, long n, floatv x, bool is_first)
{
    if (i + VEC <= n) {
        vstorev(is_first ? x : vloadv(to + i) + x, to + i);
        return;
    }
    float parts[VEC];
    vstorev(x, parts);
    for (int k = 0; i + k < n; ++k) to[i + k] = is_first ? parts[k] : to[i + k] + parts[k];
}

static inline void finish(const row_t *row, __global const WEI_T *scale, float2 means,
        __global float *partials, bool is_first)
{
    for (long i = 0; i < row->n; i += VEC) {
        const bool is_inside = i + VEC <= row->n;
        const pair_t y = is_inside ? load_inside(row, i) : load_some(row, i);
        const floatv g = y.g * load_scale(scale, i, row->n);
        const floatv z = gradient(row, y, g, means.s0, means.s1);
        if (is_inside)
            store_inside(row, i, z);
        else
            store(row, i, z);
        if (!WITH_PARAMETERS) continue;
        add_to(partials, i, row->n, y.g * y.x, is_first);
        add_to(partials + row->n, i, row->n, y.g, is_first);
    }
}

__kernel void lnorm_backward_row_per_item(LNORM_BACKWARD_PARAMS, long per_item)
{
    const long first = (long)get_global_id(0) * per_item;
    if (first >= nrows) return;
    scale += scale_off;
    partials += partials_off + (long)get_global_id(0) * 2 * n;
    for (long index = first; index < min(first + per_item, nrows); ++index) {
        const row_t row = ROW_OF(index);
        const float2 means = ARE_CONSTANTS ? (float2)(0.0f) : means_of(&row, scale);
        finish(&row, scale, means, partials, index == first);
    }
}
