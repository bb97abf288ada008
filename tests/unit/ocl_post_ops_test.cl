// SPDX-License-Identifier: Apache-2.0
// dst = chain(src) for any layouts: the shortest kernel with a post-op chain. With -DREAL_WIDTH=2 on
// f32 tensors whose dimension 1 is even and innermost in memory.
#include "clh/io.h"
#include "clh/md.h"
#include "clh/post_ops.h"

typedef struct {
    ocl_md_t src, dst;
} chain_data_t;

__kernel void chain(__constant const chain_data_t *data, __global const void *src, long src_off,
        __global void *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long i = get_global_id(0);
    if (i >= data->dst.nelems) return;
    long pos[MAX_NDIMS];
    md_position(pos, &data->dst, i);
#if REAL_WIDTH == 2
    if (pos[1] % 2) return;
    const long at = md_offset(&data->dst, pos);
    __global float *y = (__global float *)dst + dst_off + at;
    const float2 x = vload2(0, (__global const float *)src + src_off + at);
    vstore2(POST_OPS_APPLY(x, pos, dst, dst_off + at), 0, y);
#else
    const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    const long at = md_offset(&data->dst, pos);
    dst_off += at;
#if PO_BESIDE_DST == 1
    po.given = load_any(po.ptrs[0], po.offs[0] + at, PO_BESIDE_DT);
#elif PO_BESIDE_DST == 2
    po.given = load_any(dst, dst_off, PO_BESIDE_DT);
#endif
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
#endif
}
