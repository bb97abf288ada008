// SPDX-License-Identifier: Apache-2.0
// Gradients of layer normalisation, any types, layouts and ranks.
//
//   data               descriptors of src, diff_dst, diff_src and the statistics; epsilon, types
//   src, diff_dst      [dims] of type data->src.dt, data->diff_dst.dt
//   mean, variance     [dims without the last] f32
// lnorm_backward_any: a row of diff_src, padding included, per work-item; grid x ≥ nrows; besides
//   scale              [last dim] of data->scale_dt; DT_UNDEF: none
//   diff_src           [dims] of data->diff_src.dt; may be diff_dst; padding becomes 0
// lnorm_backward_any_parameters: a place of rows per work-item; grid x ≥ last dim; besides
//   diff_scale, diff_shift  [last dim] of data->diff_scale_dt, data->diff_shift_dt; DT_UNDEF: none
// Numerics: f32, sums in two levels.
// -D: none.
#include "clh/io.h"
#include "clh/long_sum.h"
#include "clh/md_row.h"
#include "clh/norm.h"
#include "clh/shared/lnorm_data.h"

static inline float load_at(
        __constant const ocl_md_t *md, __global const void *from, long off, const long *pos)
{
    return load_any(from, off + md_offset(md, pos), md->dt);
}

__kernel void lnorm_backward_any(__constant const ocl_lnorm_backward_any_data_t *data,
        __global const void *src,
        long src_off, __global const float *mean, long mean_off, __global const float *variance,
        long variance_off, __global const void *diff_dst, long diff_dst_off,
        __global const void *scale, long scale_off, __global void *diff_src, long diff_src_off,
        long nrows)
{
    const int last = data->diff_src.ndims - 1;
    const long n = data->diff_src.dims[last];
    long row[MAX_NDIMS], pos[MAX_NDIMS];
    if ((long)get_global_id(0) >= nrows) return;
    md_row_position(row, &data->diff_src, last, get_global_id(0));
    for (int d = 0; d < last; ++d) {
        pos[d] = row[d] - data->diff_src.padded_offsets[d];
        if (pos[d] < 0 || pos[d] >= data->diff_src.dims[d]) {
            md_row_clear(diff_src, diff_src_off, &data->diff_src, row, last, 0);
            return;
        }
    }
    const long stat_off = md_offset(&data->stat, pos);
    const float centre = mean[mean_off + stat_off];
    const float factor = inverse_deviation(variance[variance_off + stat_off], data->epsilon);
    long_sum_t sum = {0.0f, 0.0f}, product = {0.0f, 0.0f};
    for (long i = 0; i < n && !data->are_constants; ++i) {
        pos[last] = i;
        float gradient = load_at(&data->diff_dst, diff_dst, diff_dst_off, pos);
        if (data->scale_dt) gradient *= load_any(scale, scale_off + i, data->scale_dt);
        const float x = (load_at(&data->src, src, src_off, pos) - centre) * factor;
        long_sum_add(&sum, gradient, i);
        long_sum_add(&product, gradient * x, i);
    }
    const float mean_gradient = long_sum_of(&sum) / (float)n;
    const float mean_product = long_sum_of(&product) / (float)n;
    for (long i = 0; i < n; ++i) {
        pos[last] = i;
        float y = load_at(&data->diff_dst, diff_dst, diff_dst_off, pos);
        if (data->scale_dt) y *= load_any(scale, scale_off + i, data->scale_dt);
        if (!data->are_constants) {
            const float x = (load_at(&data->src, src, src_off, pos) - centre) * factor;
            y -= mean_gradient + x * mean_product;
        }
        store_any(diff_src, diff_src_off + md_offset(&data->diff_src, pos), data->diff_src.dt,
                y * factor);
    }
    md_row_clear(diff_src, diff_src_off, &data->diff_src, row, last,
            data->diff_src.padded_offsets[last] + n);
}

__kernel void lnorm_backward_any_parameters(__constant const ocl_lnorm_backward_any_data_t *data,
        __global const void *src, long src_off, __global const float *mean, long mean_off,
        __global const float *variance, long variance_off, __global const void *diff_dst,
        long diff_dst_off, __global void *diff_scale, long diff_scale_off,
        __global void *diff_shift, long diff_shift_off)
{
    const int last = data->src.ndims - 1;
    const long place = get_global_id(0);
    if (place >= data->src.dims[last]) return;
    long pos[MAX_NDIMS], nrows = 1;
    for (int d = 0; d < last; ++d) {
        pos[d] = 0;
        nrows *= data->src.dims[d];
    }
    pos[last] = place;
    long_sum_t shift = {0.0f, 0.0f}, scale = {0.0f, 0.0f};
    for (long i = 0; i < nrows; ++i) {
        const long stat_off = md_offset(&data->stat, pos);
        const float factor = inverse_deviation(variance[variance_off + stat_off], data->epsilon);
        const float gradient = load_at(&data->diff_dst, diff_dst, diff_dst_off, pos);
        const float x = load_at(&data->src, src, src_off, pos) - mean[mean_off + stat_off];
        long_sum_add(&shift, gradient, i);
        long_sum_add(&scale, gradient * (x * factor), i);
        for (int d = last - 1; d >= 0; --d) {
            if (++pos[d] < data->src.dims[d]) break;
            pos[d] = 0;
        }
    }
    if (data->diff_scale_dt)
        store_any(diff_scale, diff_scale_off + place, data->diff_scale_dt, long_sum_of(&scale));
    if (data->diff_shift_dt)
        store_any(diff_shift, diff_shift_off + place, data->diff_shift_dt, long_sum_of(&shift));
}
