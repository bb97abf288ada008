// SPDX-License-Identifier: Apache-2.0
// Eltwise, generic: any types, strides, blocks and post-ops; one element of dst per work-item, padding included.
//
//   data           descriptors of src and dst
//   src, src_off   [dims of src] of type data->src.dt
//   dst, dst_off   [dims of dst] of type data->dst.dt; may be src; padding becomes 0
//   alg            ELTWISE_…
//   alpha, beta    parameters of the function
//   POST_OPS       none but binary (and only those that the host allows)
// Grid: x ≥ data->dst.nelems_padded. Numerics: f32; integers to integers without post-ops are exact.
// -D: those of clh/post_ops.h.
#include "clh/eltwise_int.h"
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/post_ops.h"
#include "clh/shared/eltwise_any_data.h"

__kernel void eltwise_any(__constant const ocl_eltwise_any_data_t *data, __global const void *src,
        long src_off, __global void *dst, long dst_off, int alg, float alpha,
        float beta POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    src_off += md_offset(&data->src, pos);
    if (!WITH_POST_OPS && dt_is_int(data->src.dt) && dt_is_int(data->dst.dt)) {
        const int x = load_int_any(src, src_off, data->src.dt);
        store_int_any(dst, dst_off, data->dst.dt, eltwise_int(alg, x, alpha, beta));
        return;
    }
    const float x = eltwise(alg, load_any(src, src_off, data->src.dt), alpha, beta);
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
