// SPDX-License-Identifier: Apache-2.0
// Gradients of inner product, generic: any types and layouts.
//
// ip_gradient: one element of out per work-item, out(a, p) = Σ_b diff_dst·in(b, p)
//   data                     descriptors of the tensors, the dimension of diff_dst that is summed over
//   diff_dst, diff_dst_off   [N, OC] of type data->diff_dst.dt
//   in, in_off               weights [OC, p…] or src [N, p…]
//   out, out_off             gradient of src [N, p…] or of the weights [OC, p…]; padding becomes 0
// ip_column_sums: one element of out per work-item
//   in, in_off               [rows, columns]
//   out, out_off             [parts, columns]: sums of rows part, part + parts, …; or [columns]: of all rows
// Grid: x ≥ data->out.nelems_padded. Numerics: f32; long sums in pieces. -D: none.
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/shared/ip_gradient_data.h"

__kernel void ip_gradient(__constant const ocl_ip_gradient_data_t *data, __global const void *diff_dst,
        long diff_dst_off, __global const void *in, long in_off, __global void *out, long out_off)
{
    const long index = get_global_id(0), n = data->in.dims[0];
    const int diff_dt = data->diff_dst.dt, in_dt = data->in.dt;
    const bool steps = data->diff_step != 0 && data->in_step != 0;
    long pos[MAX_NDIMS], diff_pos[2];
    if (!md_begin_item(pos, &out_off, &data->out, out, index)) return;
    diff_pos[1 - data->summed] = pos[0];
    diff_pos[data->summed] = pos[0] = 0;
    long d = diff_dst_off + md_offset(&data->diff_dst, diff_pos), i = in_off + md_offset(&data->in, pos);
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (long b = 0; b < n; ++b) {
        if (!steps) {
            diff_pos[data->summed] = pos[0] = b;
            d = diff_dst_off + md_offset(&data->diff_dst, diff_pos);
            i = in_off + md_offset(&data->in, pos);
        }
        piece_sum_add_product(&sum, load_any(diff_dst, d, diff_dt), load_any(in, i, in_dt));
        d += data->diff_step;
        i += data->in_step;
    }
    store_any(out, out_off, data->out.dt, piece_sum_of(&sum));
}

__kernel void ip_column_sums(__constant const ocl_ip_column_sums_data_t *data, __global const void *in,
        long in_off, __global void *out, long out_off)
{
    const long index = get_global_id(0), n = data->in.dims[0];
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &out_off, &data->out, out, index)) return;
    const bool has_parts = data->out.ndims == 2;
    const long nparts = has_parts ? data->out.dims[0] : 1;
    long in_pos[2] = {has_parts ? pos[0] : 0, has_parts ? pos[1] : pos[0]};
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (; in_pos[0] < n; in_pos[0] += nparts)
        piece_sum_add(&sum, load_any(in, in_off + md_offset(&data->in, in_pos), data->in.dt));
    store_any(out, out_off, data->out.dt, piece_sum_of(&sum));
}
