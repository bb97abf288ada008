// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, generic: any types, layouts, ranks and flags. Two kernels.
//
//   data                descriptors, epsilon, which optional tensors there are
//   src, src_off        [N, C, …] of type data->src.dt
//   mean, mean_off      [C] f32; written by bnorm_any_statistics or given by the caller
//   variance, …_off     [C] f32, likewise
// bnorm_any_statistics: one channel per work-item, grid x ≥ C. Two passes over the channel with compensated
// (Kahan) sums in f32.
// bnorm_any_normalize: one element of dst per work-item, padding included, grid
// x ≥ max(data->dst.nelems_padded, data->ws.nelems_padded). Further parameters:
//   addend, addend_off  shaped like src; read if data->has_addend
//   scale, shift        [C] f32 each; read if data->has_scale, data->has_shift
//   dst, dst_off        [N, C, …] of type data->dst.dt; may be src; padding becomes 0
//   ws, ws_off          same shape, u8: 1 where the fused ReLU passed its input; none if data->ws.ndims is 0
//   POST_OPS            eltwise relu
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/shared/bnorm_any_data.h"

// A sum and what its roundings lost (Kahan, CACM 8(1), 1965).
typedef struct {
    float sum, lost;
} compensated_t;

static void add(compensated_t *c, float x)
{
    const float y = x - c->lost, sum = c->sum + y;
    c->lost = (sum - c->sum) - y;
    c->sum = sum;
}

// Σ (x − centre) or Σ (x − centre)² over a channel.
static float sum_channel(__constant const ocl_bnorm_any_data_t *data, __global const void *src,
        long src_off, long c, float centre, bool is_squared)
{
    compensated_t total = {0.0f, 0.0f};
    const int ndims = data->src.ndims;
    long pos[MAX_NDIMS];
    for (int d = 0; d < ndims; ++d) pos[d] = 0;
    pos[1] = c;
    const long n = data->src.nelems / data->src.dims[1];
    for (long i = 0; i < n; ++i) {
        const float x =
                load_any(src, src_off + md_offset(&data->src, pos), data->src.dt) - centre;
        add(&total, is_squared ? x * x : x);
        for (int d = ndims - 1; d >= 0; --d) {
            if (d == 1) continue;
            if (++pos[d] < data->src.dims[d]) break;
            pos[d] = 0;
        }
    }
    return total.sum;
}

__kernel void bnorm_any_statistics(__constant const ocl_bnorm_any_data_t *data, __global const void *src,
        long src_off, __global float *mean, long mean_off, __global float *variance,
        long variance_off)
{
    const long c = get_global_id(0);
    if (c >= data->src.dims[1]) return;
    const float n = (float)(data->src.nelems / data->src.dims[1]);
    const float m = n > 0.0f
            ? divide_refined(sum_channel(data, src, src_off, c, 0.0f, false), n)
            : 0.0f;
    mean[mean_off + c] = m;
    variance[variance_off + c] = n > 0.0f
            ? divide_refined(sum_channel(data, src, src_off, c, m, true), n)
            : 0.0f;
}

__kernel void bnorm_any_normalize(__constant const ocl_bnorm_any_data_t *data, __global const void *src,
        long src_off, __global const float *mean, long mean_off, __global const float *variance,
        long variance_off, __global const void *addend, long addend_off,
        __global const float *scale, long scale_off, __global const float *shift, long shift_off,
        __global void *dst, long dst_off, __global uchar *ws, long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], ws_at = ws_off;
    if (data->ws.is_padded) (void)md_begin_item(pos, &ws_at, &data->ws, ws, index); // clears its padding
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;

    const long c = pos[1], offset = md_offset(&data->src, pos);
    float factor = inverse_deviation(variance[variance_off + c], data->epsilon);
    if (data->has_scale) factor *= scale[scale_off + c];
    float x = (load_any(src, src_off + offset, data->src.dt) - mean[mean_off + c]) * factor;
    if (data->has_shift) x += shift[shift_off + c];
    if (data->has_addend) x += load_any(addend, addend_off + offset, data->src.dt);
    if (data->has_relu) {
        const bool is_positive = x > 0.0f;
        if (data->ws.ndims > 0) ws[ws_off + md_offset(&data->ws, pos)] = is_positive;
        x = is_positive ? x : 0.0f;
    }
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
