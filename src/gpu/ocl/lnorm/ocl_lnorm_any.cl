// SPDX-License-Identifier: Apache-2.0
// Layer normalisation, any types, layouts, ranks and post-ops: one row a work-item.
//
//   data               descriptors of src, dst and the statistics; epsilon, what there is
//   src, src_off       [dims] of type data->src.dt
//   mean, variance     [dims without the last] f32: unused, written or read by data->stats; padding
//                      of written ones becomes 0
//   scale, shift       [last dim] of data->scale_dt, data->shift_dt; DT_UNDEF: none
//   dst, dst_off       [dims] of type data->dst.dt; may be src; padding becomes 0
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   nrows              padded positions of dst without the last dimension
//   POST_OPS           eltwise, binary
// Grid: x ≥ nrows, and ≥ data->stat.nelems_padded where statistics are written.
// Numerics: f32; mean, variance from the mean, result: three passes over a row.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/long_sum.h"
#include "clh/md_row.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/lnorm_data.h"

static inline float load_at(
        __constant const ocl_lnorm_any_data_t *data, __global const void *src, long src_off,
        const long *pos)
{
    return load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
}

// The mean of x − centre, or of its square, over the row of `pos`; 0 of an empty one.
static float moment(__constant const ocl_lnorm_any_data_t *data, __global const void *src,
        long src_off,
        long *pos, float centre, bool is_squared)
{
    const int last = data->src.ndims - 1;
    const long n = data->src.dims[last];
    if (n == 0) return 0.0f;
    long_sum_t sum = {0.0f, 0.0f};
    for (pos[last] = 0; pos[last] < n; ++pos[last]) {
        const float x = load_at(data, src, src_off, pos) - centre;
        long_sum_add(&sum, is_squared ? x * x : x, pos[last]);
    }
    return divide_refined(long_sum_of(&sum), (float)n);
}

__kernel void lnorm_any(__constant const ocl_lnorm_any_data_t *data, __global const void *src,
        long src_off,
        __global float *mean, long mean_off, __global float *variance, long variance_off,
        __global const void *scale, long scale_off, __global const void *shift, long shift_off,
        __global void *dst, long dst_off, __global const void *src_scale, long src_scale_off,
        __global const void *dst_scale, long dst_scale_off, int src_scale_dt, int dst_scale_dt,
        long nrows POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    const int last = data->dst.ndims - 1;
    long row[MAX_NDIMS], pos[MAX_NDIMS];
    if (data->stats == LNORM_STATS_OUTPUT && data->stat.is_padded && index < data->stat.nelems_padded) {
        md_position_padded(pos, &data->stat, index);
        const long off = md_offset_padded(&data->stat, pos);
        if (!md_to_logical(pos, &data->stat)) {
            mean[mean_off + off] = 0.0f;
            variance[variance_off + off] = 0.0f;
        }
    }
    if (index >= nrows) return;
    md_row_position(row, &data->dst, last, index);
    for (int d = 0; d < last; ++d) {
        pos[d] = row[d] - data->dst.padded_offsets[d];
        if (pos[d] < 0 || pos[d] >= data->dst.dims[d]) {
            md_row_clear(dst, dst_off, &data->dst, row, last, 0);
            return;
        }
    }

    const long stat_off = data->stats ? md_offset(&data->stat, pos) : 0;
    float centre, spread;
    if (data->stats == LNORM_STATS_GIVEN) {
        centre = mean[mean_off + stat_off];
        spread = variance[variance_off + stat_off];
    } else {
        centre = moment(data, src, src_off, pos, 0.0f, false);
        spread = moment(data, src, src_off, pos, centre, true);
    }
    if (data->stats == LNORM_STATS_OUTPUT) {
        mean[mean_off + stat_off] = centre;
        variance[variance_off + stat_off] = spread;
    }
    const float factor = inverse_deviation(spread, data->epsilon);
    const float mul = src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f;
    const float div = dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f;
    for (pos[last] = 0; pos[last] < data->dst.dims[last]; ++pos[last]) {
        float x = (load_at(data, src, src_off, pos) - centre) * factor;
        if (data->scale_dt) x *= load_any(scale, scale_off + pos[last], data->scale_dt);
        if (data->shift_dt) x += load_any(shift, shift_off + pos[last], data->shift_dt);
        const long off = dst_off + md_offset(&data->dst, pos);
        store_any(dst, off, data->dst.dt, POST_OPS_APPLY(x * mul, pos, dst, off) / div);
    }
    const long end = data->dst.padded_offsets[last] + data->dst.dims[last];
    md_row_clear(dst, dst_off, &data->dst, row, last, end);
}
