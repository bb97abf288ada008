// SPDX-License-Identifier: Apache-2.0
// Reorder, generic: any types, layouts and attributes; one element of dst per work-item, padding included.
//
//   data                descriptors of src and dst, strides of scales and zero points
//   src, src_off        [dims] of type data->src.dt
//   dst, dst_off        [dims] of type data->dst.dt; padding becomes 0
//   src_scales … dst_zps  values and offset of each attribute; null when not set
//   POST_OPS            sum only
// Grid: x ≥ data->dst.nelems_padded. Numerics: f32; integers to integers without attributes are
// exact; equal 16-bit floats keep their bits. -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/post_ops.h"
#include "clh/quant.h"
#include "clh/shared/reorder_any_data.h"

__kernel void reorder_any(__constant const ocl_reorder_any_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off, __global const void *src_scales,
        long src_scales_off, __global const void *dst_scales, long dst_scales_off,
        __global const void *src_zps, long src_zps_off, __global const void *dst_zps,
        long dst_zps_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    const int src_dt = data->src.dt, dst_dt = data->dst.dt;
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    src_off += md_offset(&data->src, pos);
    if (data->is_plain && dt_is_int(src_dt) && dt_is_int(dst_dt)) {
        store_int_any(dst, dst_off, dst_dt, load_int_any(src, src_off, src_dt));
        return;
    }
    float x = load_any(src, src_off, src_dt);
    x -= (float)quant_zero_point(&data->src_zps, src_zps, src_zps_off, pos);
    x *= quant_scale(&data->src_scales, src_scales, src_scales_off, pos);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= quant_scale(&data->dst_scales, dst_scales, dst_scales_off, pos);
    x += (float)quant_zero_point(&data->dst_zps, dst_zps, dst_zps_off, pos);
    store_any(dst, dst_off, dst_dt, x);
}
