// SPDX-License-Identifier: Apache-2.0
// Inner product, generic: any types, strides, blocks, scales and post-ops; one element of dst per work-item,
// padding included.
//
//   data             descriptors and scales
//   src [N, IC, …], wei [OC, IC, …], bia [OC] or null, dst [N, OC]: each with the index of its first element
//   …_scales         values with the index of the first; not read unless set
//   POST_OPS         any
// Grid: x ≥ data->dst.nelems_padded.
// Numerics: sums of 8-bit integers in s64, else in f32: sums of PIECE products, then
// their sums. Integers without scales and post-ops are exact. -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/post_ops.h"
#include "clh/quant.h"
#include "clh/shared/ip_any_data.h"

typedef struct {
    long i; // of 8-bit integers
    piece_sum_t f;
} sum_t;

// Channels and positions of image n with output channel o: rows along the last dimension.
static sum_t sum_products(__constant const ocl_ip_any_data_t *data, __global const void *src, long src_off,
        __global const void *wei, long wei_off, long n, long o)
{
    const int src_dt = data->src.dt, wei_dt = data->wei.dt, last = data->src.ndims - 1;
    const bool is_int = dt_is_int(src_dt);
    const bool steps = data->src_step != 0 && data->wei_step != 0;
    const long row = data->src.dims[last];
    long src_pos[MAX_NDIMS], wei_pos[MAX_NDIMS];
    long nrows = 1;
    for (int d = 1; d < last; ++d) nrows *= data->src.dims[d];
    sum_t sum = {0, {0.0f, 0.0f, 0}};
    for (long r = 0; r < nrows; ++r) {
        long rest = r;
        for (int d = last - 1; d > 0; --d) {
            const long quotient = div_long(rest, data->src.dims[d]);
            src_pos[d] = wei_pos[d] = rest - quotient * data->src.dims[d];
            rest = quotient;
        }
        src_pos[0] = n;
        wei_pos[0] = o;
        src_pos[last] = wei_pos[last] = 0;
        long s = src_off + md_offset(&data->src, src_pos);
        long w = wei_off + md_offset(&data->wei, wei_pos);
        for (long x = 0; x < row; ++x) {
            if (!steps) {
                src_pos[last] = wei_pos[last] = x;
                s = src_off + md_offset(&data->src, src_pos);
                w = wei_off + md_offset(&data->wei, wei_pos);
            }
            if (is_int)
                sum.i += (long)load_int_any(src, s, src_dt) * load_int_any(wei, w, wei_dt);
            else
                piece_sum_add_product(&sum.f, load_any(src, s, src_dt), load_any(wei, w, wei_dt));
            s += data->src_step;
            w += data->wei_step;
        }
    }
    return sum;
}

// Sums of integers that become integers by additions alone.
static bool is_exact(__constant const ocl_ip_any_data_t *data)
{
    const bool has_scales = data->src_scales.dt != DT_UNDEF || data->wei_scales.dt != DT_UNDEF ||
                            data->dst_scales.dt != DT_UNDEF;
    return !WITH_POST_OPS && dt_is_int(data->src.dt) && !has_scales && dt_is_int(data->dst.dt) &&
           (data->bia.dt == DT_UNDEF || dt_is_int(data->bia.dt));
}

__kernel void ip_any(__constant const ocl_ip_any_data_t *data, __global const void *src,
        long src_off, __global const void *wei, long wei_off, __global const void *bia,
        long bia_off, __global void *dst, long dst_off, __global const void *src_scales,
        long src_scales_off, __global const void *wei_scales, long wei_scales_off,
        __global const void *dst_scales, long dst_scales_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    const int dst_dt = data->dst.dt;
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;

    const sum_t sum = sum_products(data, src, src_off, wei, wei_off, pos[0], pos[1]);
    const bool has_bias = data->bia.dt != DT_UNDEF;
    if (has_bias) bia_off += md_offset(&data->bia, pos + 1);
    if (is_exact(data)) {
        const long shift = has_bias ? load_int_any(bia, bia_off, data->bia.dt) : 0;
        store_int_any(dst, dst_off, dst_dt, sum.i + shift);
        return;
    }
    float x = dt_is_int(data->src.dt) ? (float)sum.i : piece_sum_of(&sum.f);
    x *= quant_scale(&data->src_scales, src_scales, src_scales_off, pos);
    x *= quant_scale(&data->wei_scales, wei_scales, wei_scales_off, pos + 1);
    if (has_bias) x += load_any(bia, bia_off, data->bia.dt);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= quant_scale(&data->dst_scales, dst_scales, dst_scales_off, pos);
    store_any(dst, dst_off, dst_dt, x);
}
