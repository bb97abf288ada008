// SPDX-License-Identifier: Apache-2.0
// The gradient of local response normalisation, generic: any types and layouts; one element of diff_src per work-item,
// padding included.
//
//   data                     descriptors, window, parameters
//   src, src_off             [N, C, …] of type data->src.dt
//   diff_dst, diff_dst_off   [N, C, …] of type data->diff_dst.dt
//   ws, ws_off               [N, C, …] f32: what the forward pass raised to −beta
//   diff_src, diff_src_off   [N, C, …] of type data->to.dt; padding becomes 0
// Grid: x ≥ data->to.nelems_padded. Numerics: f32.
// -D: none.
#include "clh/lrn.h"
#include "clh/md_item.h"

__kernel void lrn_backward_any(__constant const ocl_lrn_any_data_t *data, __global const void *src, long src_off,
        __global const void *diff_dst, long diff_dst_off, __global const void *ws, long ws_off,
        __global void *diff_src, long diff_src_off)
{
    long pos[MAX_NDIMS], at[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->to, diff_src, get_global_id(0))) return;
    float sum = 0.0f;
    lrn_window_start(at, data, pos);
    for (bool is_inside = true; is_inside; is_inside = lrn_window_next(at, data, pos)) {
        const float x = load_any(src, src_off + md_offset(&data->src, at), data->src.dt);
        const float g = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, at), data->diff_dst.dt);
        const float w = load_any(ws, ws_off + md_offset(&data->ws, at), data->ws.dt);
        sum += g * x * (pow(w, -data->beta) / w);
    }
    const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    const float g = load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
    const float w = load_any(ws, ws_off + md_offset(&data->ws, pos), data->ws.dt);
    const float y = g * pow(w, -data->beta) - 2.0f * data->factor * data->beta * x * sum;
    store_any(diff_src, diff_src_off, data->to.dt, y);
}
