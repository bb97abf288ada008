// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax, generic: any axis, types, layouts and post-ops; one row per work-item.
//
//   data             descriptors of src and dst
//   src, src_off     [dims] of type data->src.dt
//   dst, dst_off     [dims] of type data->dst.dt; may be src; padding becomes 0
//   src_scale, dst_scale + _off, _dt  one value each; _dt is DT_UNDEF when not set
//   axis, is_log
//   nrows            positions of dst outside the axis, padding included
// Grid: x ≥ nrows. Numerics: f32; maximum, sum of e^(x − max) with what each addition rounds off (Kahan), result: three
// passes over src.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_row.h"
#include "clh/post_ops.h"
#include "clh/shared/softmax_any_data.h"

static inline float load_at(
        __constant const ocl_softmax_any_data_t *data, __global const void *src, long src_off, long *pos)
{
    return load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
}

// Adds x to the sum; `lost` is what the additions before have rounded up, and this one takes back.
static inline void add_compensated(float *sum, float *lost, float x)
{
    const float rest = x - *lost, next = *sum + rest;
    *lost = (next - *sum) - rest;
    *sum = next;
}

__kernel void softmax_any(__constant const ocl_softmax_any_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off, __global const void *src_scale,
        long src_scale_off, __global const void *dst_scale, long dst_scale_off, int src_scale_dt,
        int dst_scale_dt, int axis, int is_log, long nrows POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    if ((long)get_global_id(0) >= nrows) return;
    long row[MAX_NDIMS], pos[MAX_NDIMS];
    md_row_position(row, &data->dst, axis, get_global_id(0));
    const long n = data->dst.dims[axis];
    for (int d = 0; d < data->dst.ndims; ++d) pos[d] = row[d];
    pos[axis] = data->dst.padded_offsets[axis];
    if (n == 0 || !md_to_logical(pos, &data->dst)) {
        md_row_clear(dst, dst_off, &data->dst, row, axis, 0);
        return;
    }
    const float mul = src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f;
    const float div = dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f;
    float top = -INFINITY;
    for (pos[axis] = 0; pos[axis] < n; ++pos[axis]) {
        const float x = load_at(data, src, src_off, pos);
        top = x > top || isnan(x) ? x : top;
    }
    float sum = 0.0f, lost = 0.0f;
    for (pos[axis] = 0; pos[axis] < n; ++pos[axis])
        add_compensated(&sum, &lost, exp(load_at(data, src, src_off, pos) - top));
    const float log_sum = log(sum);
    for (pos[axis] = 0; pos[axis] < n; ++pos[axis]) {
        const float x = load_at(data, src, src_off, pos) - top;
        const long off = dst_off + md_offset(&data->dst, pos);
        float y = (is_log ? x - log_sum : exp(x) / sum) * mul;
        y = POST_OPS_APPLY(y, pos, dst, off) / div;
        store_any(dst, off, data->dst.dt, y);
    }
    md_row_clear(dst, dst_off, &data->dst, row, axis, data->dst.padded_offsets[axis] + n);
}
