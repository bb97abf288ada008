// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling, generic: any types and layouts. A work-item gathers one element of diff_src, padding
// included, from those of diff_dst that it is a part of, in ascending order: no atomics, and the same bits every time.
//
//   data                     descriptors, algorithm
//   diff_dst, diff_dst_off   [N, C, (OD, (OH,)) OW] of type data->diff_dst.dt
//   diff_src, diff_src_off   [N, C, (ID, (IH,)) IW] of type data->diff_src.dt; padding becomes 0
// Grid: x ≥ data->diff_src.nelems_padded. Numerics: positions are exact (integers), weights and sums f32; long sums in
// pieces.
// -D: none.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/resampling_users.h"
#include "clh/shared/resampling_backward_any_data.h"

__kernel void resampling_backward_any(__constant const ocl_resampling_backward_any_data_t *data,
        __global const void *diff_dst, long diff_dst_off, __global void *diff_src, long diff_src_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->diff_src, diff_src, index)) return;
    const int nspatial = data->diff_src.ndims - 2;
    long x[3] = {0, 0, 0}, in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, y[3];
    users_t u[3];
    for (int a = 0; a < 3; ++a) {
        if (a >= 3 - nspatial) {
            const int d = a + nspatial - 1;
            x[a] = pos[d];
            in[a] = data->diff_src.dims[d];
            out[a] = data->diff_dst.dims[d];
        }
        u[a] = data->is_linear ? linear_users(x[a], in[a], out[a]) : nearest_users(x[a], in[a], out[a]);
    }
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (y[0] = u[0].begin; y[0] < u[0].end; ++y[0])
        for (y[1] = u[1].begin; y[1] < u[1].end; ++y[1])
            for (y[2] = u[2].begin; y[2] < u[2].end; ++y[2]) {
                float weight = 1.0f;
                for (int a = 3 - nspatial; a < 3; ++a) {
                    pos[a + nspatial - 1] = y[a];
                    if (data->is_linear) weight *= linear_weight(x[a], y[a], in[a], out[a]);
                }
                const long at = diff_dst_off + md_offset(&data->diff_dst, pos);
                piece_sum_add_product(&sum, weight, load_any(diff_dst, at, data->diff_dst.dt));
            }
    store_any(diff_src, diff_src_off, data->diff_src.dt, piece_sum_of(&sum));
}
