// SPDX-License-Identifier: Apache-2.0
// PReLU, generic: any types, layouts and broadcast; one element of dst per work-item, padding included.
//
//   data           descriptors of src, weights, dst
//   src, src_off   [dims of src] of type data->src.dt
//   wei, wei_off   [dims of src or 1] of type data->wei.dt
//   dst, dst_off   [dims of src] of type data->dst.dt; may be src; padding becomes 0
// Grid: x ≥ data->dst.nelems_padded. Numerics: f32; exact where all three are integers.
// -D: none.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/shared/prelu_any_data.h"

__kernel void prelu_any(__constant const ocl_prelu_any_data_t *data, __global const void *src,
        long src_off, __global const void *wei, long wei_off, __global void *dst, long dst_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    src_off += md_offset(&data->src, pos);
    wei_off += md_offset_broadcast(&data->wei, pos);
    if (dt_is_int(data->src.dt) && dt_is_int(data->wei.dt) && dt_is_int(data->dst.dt)) {
        const int x = load_int_any(src, src_off, data->src.dt);
        const int slope = load_int_any(wei, wei_off, data->wei.dt);
        store_int_any(dst, dst_off, data->dst.dt, x > 0 ? x : (long)x * slope);
        return;
    }
    const float x = load_any(src, src_off, data->src.dt);
    const float slope = load_any(wei, wei_off, data->wei.dt);
    store_any(dst, dst_off, data->dst.dt, x > 0.0f ? x : x * slope);
}
