// SPDX-License-Identifier: Apache-2.0
// Concat, generic: any types and layouts. One launch per source, one of its elements per work-item; a last launch
// clears the padding of dst.
//
//   data             descriptors of the source and of dst, the source's first position along the axis
//   src, src_off     [dims of src] of type data->src.dt
//   dst, dst_off     [dims of dst] of type data->dst.dt
//   scale, scale_off, scale_dt  one value; scale_dt is DT_UNDEF when not set
// concat_any, grid: x ≥ data->src.nelems. concat_clear, grid: x ≥ data->dst.nelems_padded.
// Numerics: f32; integers to integers without a scale are exact. -D: none.
#include "clh/io.h"
#include "clh/md.h"
#include "clh/shared/concat_any_data.h"

__kernel void concat_any(__constant const ocl_concat_any_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off, __global const void *scale, long scale_off,
        int scale_dt)
{
    if ((long)get_global_id(0) >= data->src.nelems) return;
    const int src_dt = data->src.dt, dst_dt = data->dst.dt;
    long pos[MAX_NDIMS];
    md_position(pos, &data->src, get_global_id(0));
    src_off += md_offset(&data->src, pos);
    pos[data->axis] += data->start;
    dst_off += md_offset(&data->dst, pos);
    if (!scale_dt && dt_is_int(src_dt) && dt_is_int(dst_dt)) {
        store_int_any(dst, dst_off, dst_dt, load_int_any(src, src_off, src_dt));
        return;
    }
    const float x = load_any(src, src_off, src_dt);
    store_any(dst, dst_off, dst_dt, scale_dt ? x * load_any(scale, scale_off, scale_dt) : x);
}

__kernel void concat_clear(__constant const ocl_concat_any_data_t *data, __global void *dst, long dst_off)
{
    if ((long)get_global_id(0) >= data->dst.nelems_padded) return;
    long pos[MAX_NDIMS];
    md_position_padded(pos, &data->dst, get_global_id(0));
    dst_off += md_offset_padded(&data->dst, pos);
    if (!md_to_logical(pos, &data->dst)) store_any(dst, dst_off, data->dst.dt, 0.0f);
}
