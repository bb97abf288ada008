// SPDX-License-Identifier: Apache-2.0
// Reorder, generic: any types, layouts and attributes; one element of dst per work-item, padding included. reorder_any
// for shapes that are known at creation, reorder_any_runtime for others.
//
//   data                what is known at creation of src and dst, scales and zero points
//   g0 … g4             reorder_any_runtime only: the numbers of the geometry (REORDER_DIMS …)
//   src, src_off        [dims] of type data->src.dt
//   dst, dst_off        [dims] of type data->dst.dt; padding becomes 0
//   src_scales … dst_zps  values and offset of each attribute; null when not set
//   POST_OPS            sum only
// Grid: x ≥ elements of dst, padding included. Numerics: f32; integers to integers without attributes are
// exact; equal 16-bit floats keep their bits. -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/md_open.h"
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

// ---- Run-time dimensions ----

// The position of a work-item in dst, padding included; returns what is left of its index: 0 inside dst.
static long find_position(
        long *pos, __constant const ocl_reorder_runtime_data_t *data, const long *dims, long index)
{
    for (int d = data->ndims - 1; d >= 0; --d) {
        const long extent = dims[d] + data->padding[d], quotient = div_long(index, extent);
        pos[d] = index - quotient * extent - data->dst.padded_offsets[d];
        index = quotient;
    }
    return index;
}

static long offset_at(const long *strides, __constant const ocl_md_open_t *md, int ndims, const long *pos)
{
    long outer[MAX_NDIMS];
    long offset = md_open_split(outer, md, ndims, pos);
    for (int d = 0; d < ndims; ++d) offset += outer[d] * strides[d];
    return offset;
}

static float value_at(__constant const ocl_quant_open_t *setting, __global const void *values, long off, int ndims,
        const long *dims, const long *pos, float fallback)
{
    if (setting->dt == DT_UNDEF) return fallback;
    return load_any(values, off + quant_open_index(setting, ndims, dims, pos), setting->dt);
}

__kernel void reorder_any_runtime(__constant const ocl_reorder_runtime_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off, __global const void *src_scales,
        long src_scales_off, __global const void *dst_scales, long dst_scales_off,
        __global const void *src_zps, long src_zps_off, __global const void *dst_zps,
        long dst_zps_off, ocl_reorder_chunk_t g0, ocl_reorder_chunk_t g1, ocl_reorder_chunk_t g2,
        ocl_reorder_chunk_t g3, ocl_reorder_chunk_t g4 POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const int ndims = data->ndims, src_dt = data->src.dt, dst_dt = data->dst.dt;
    long g[REORDER_GEOMETRY], pos[MAX_NDIMS];
    vstore8(g0, 0, g);
    vstore8(g1, 1, g);
    vstore8(g2, 2, g);
    vstore8(g3, 3, g);
    vstore8(g4, 4, g);
    const long *const dims = g + REORDER_DIMS;
    if (find_position(pos, data, dims, get_global_id(0)) > 0) return;
    dst_off += offset_at(g + REORDER_DST, &data->dst, ndims, pos);
    if (!md_open_is_inside(pos, dims, ndims)) {
        store_any(dst, dst_off, dst_dt, 0.0f);
        return;
    }
    src_off += offset_at(g + REORDER_SRC, &data->src, ndims, pos);
    if (data->is_plain && dt_is_int(src_dt) && dt_is_int(dst_dt)) {
        store_int_any(dst, dst_off, dst_dt, load_int_any(src, src_off, src_dt));
        return;
    }
    float x = load_any(src, src_off, src_dt);
    x -= value_at(&data->src_zps, src_zps, src_zps_off, ndims, dims, pos, 0.0f);
    x *= value_at(&data->src_scales, src_scales, src_scales_off, ndims, dims, pos, 1.0f);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= value_at(&data->dst_scales, dst_scales, dst_scales_off, ndims, dims, pos, 1.0f);
    x += value_at(&data->dst_zps, dst_zps, dst_zps_off, ndims, dims, pos, 0.0f);
    store_any(dst, dst_off, dst_dt, x);
}
