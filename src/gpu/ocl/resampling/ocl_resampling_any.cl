// SPDX-License-Identifier: Apache-2.0
// Resampling, generic: any types, layouts and post-ops; one element of dst per work-item, padding included.
//
//   data           descriptors, algorithm
//   src, src_off   [N, C, (ID, (IH,)) IW] of type data->src.dt
//   dst, dst_off   [N, C, (OD, (OH,)) OW] of type data->dst.dt; padding becomes 0
//   POST_OPS       sum, eltwise, binary
// Grid: x ≥ data->dst.nelems_padded. Numerics: positions are exact (integers), weights and sums f32;
// nearest between integers without post-ops is exact.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/post_ops.h"
#include "clh/resampling.h"
#include "clh/shared/resampling_any_data.h"

__kernel void resampling_any(__constant const ocl_resampling_any_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;

    const int nspatial = data->dst.ndims - 2;
    long at[MAX_NDIMS];
    at[0] = pos[0];
    at[1] = pos[1];
    if (!data->is_linear) {
        for (int d = 2; d < 2 + nspatial; ++d)
            at[d] = nearest_source(pos[d], data->src.dims[d], data->dst.dims[d]);
        src_off += md_offset(&data->src, at);
        if (!WITH_POST_OPS && dt_is_int(data->src.dt) && dt_is_int(data->dst.dt)) {
            store_int_any(dst, dst_off, data->dst.dt, load_int_any(src, src_off, data->src.dt));
            return;
        }
        const float x = load_any(src, src_off, data->src.dt);
        store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
        return;
    }

    linear_t sources[3];
    for (int i = 0; i < nspatial; ++i)
        sources[i] = linear_source(pos[2 + i], data->src.dims[2 + i], data->dst.dims[2 + i]);
    float x = 0.0f;
    for (int corner = 0; corner < 1 << nspatial; ++corner) {
        float weight = 1.0f;
        for (int i = 0; i < nspatial; ++i) {
            const bool is_right = corner >> i & 1;
            at[2 + i] = is_right ? sources[i].right : sources[i].left;
            weight *= is_right ? sources[i].share : sources[i].keep;
        }
        // A neighbour of no weight may be an infinity.
        if (weight != 0.0f)
            x += weight * load_any(src, src_off + md_offset(&data->src, at), data->src.dt);
    }
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
