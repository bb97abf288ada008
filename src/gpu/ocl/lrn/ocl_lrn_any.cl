// SPDX-License-Identifier: Apache-2.0
// Local response normalisation, generic: any types and layouts; one element of dst per work-item, padding included.
//
//   data           descriptors, window, parameters
//   src, src_off   [N, C, …] of type data->src.dt
//   ws, ws_off     [N, C, …] f32: what is raised to −beta; data->ws.ndims 0: none
//   dst, dst_off   [N, C, …] of type data->to.dt; padding becomes 0
// Grid: x ≥ data->to.nelems_padded. Numerics: f32.
// -D: none.
#include "clh/lrn.h"
#include "clh/md_item.h"

__kernel void lrn_any(__constant const ocl_lrn_any_data_t *data, __global const void *src, long src_off,
        __global void *ws, long ws_off, __global void *dst, long dst_off)
{
    const bool has_ws = data->ws.ndims > 0;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], at[MAX_NDIMS];
    // The workspace is laid out like dst, padding included.
    if (has_ws) md_begin_item(pos, &ws_off, &data->ws, ws, index);
    if (!md_begin_item(pos, &dst_off, &data->to, dst, index)) return;
    float sum = 0.0f;
    lrn_window_start(at, data, pos);
    for (bool is_inside = true; is_inside; is_inside = lrn_window_next(at, data, pos)) {
        const float x = load_any(src, src_off + md_offset(&data->src, at), data->src.dt);
        sum += x * x;
    }
    const float w = data->k + data->factor * sum;
    if (has_ws) store_any(ws, ws_off, data->ws.dt, w);
    const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    store_any(dst, dst_off, data->to.dt, x * pow(w, -data->beta));
}
