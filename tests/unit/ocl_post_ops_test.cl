// SPDX-License-Identifier: Apache-2.0
// dst = chain(src) for any layouts: the shortest kernel with a post-op chain. With -DREAL_WIDTH=2 or 4 on
// f32 tensors whose dimension 1 is innermost in memory and, but for PO_STEPS=1, a multiple of it.
#include "clh/eltwise_short.h"
#include "clh/io.h"
#include "clh/load_reals.h"
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
#if REAL_WIDTH > 1
    if (pos[1] % REAL_WIDTH) return;
    const int count = (int)min(data->dst.dims[1] - pos[1], (long)REAL_WIDTH);
    const long at = md_offset(&data->dst, pos);
#if defined(PO_STEPS) && PO_STEPS
    po.count = count;
    po.is_aligned = data->dst.dims[1] % REAL_WIDTH == 0 && dst_off % REAL_WIDTH == 0 && post_ops_are_aligned(&po);
#endif
    real_t x = 0.0f;
    for (int e = 0; e < count; ++e) ((float *)&x)[e] = ((__global const float *)src)[src_off + at + e];
    x = POST_OPS_APPLY(x, pos, dst, dst_off + at);
    for (int e = 0; e < count; ++e) ((__global float *)dst)[dst_off + at + e] = ((float *)&x)[e];
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
