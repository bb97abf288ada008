// SPDX-License-Identifier: Apache-2.0
// Sum, generic: up to eight tensors of any types and layouts, added to the partial sum of an earlier launch; one
// element of dst per work-item, padding included.
//
//   data             descriptors of the inputs of this launch and of dst
//   p0 … p7, o0 … o7 inputs and their offsets; null beyond `count`
//   s0 … s7          their factors
//   count            inputs of this launch
//   partial, partial_off  [nelems_padded of dst] f32 by row-major index: the sum so far
//   reads, writes    whether this launch starts from `partial`, and whether it stores its sum there instead
//                    of in dst
//   dst, dst_off     [dims]; may be the first input; padding becomes 0
// Grid: x ≥ data->dst.nelems_padded. Numerics: f32, in the order of the inputs. -D: none.
#include "clh/io.h"
#include "clh/md.h"
#include "clh/shared/sum_any_data.h"

static inline float term(__constant const ocl_sum_any_data_t *data, int k, __global const void *p, long off,
        float scale, const long *pos)
{
    return scale * load_any(p, off + md_offset(&data->src[k], pos), data->src[k].dt);
}

__kernel void sum_any(__constant const ocl_sum_any_data_t *data, __global const void *p0, long o0,
        __global const void *p1, long o1, __global const void *p2, long o2, __global const void *p3,
        long o3, __global const void *p4, long o4, __global const void *p5, long o5,
        __global const void *p6, long o6, __global const void *p7, long o7, float s0, float s1,
        float s2, float s3, float s4, float s5, float s6, float s7, int count,
        __global float *partial, long partial_off, int reads, int writes, __global void *dst,
        long dst_off)
{
    const long index = get_global_id(0);
    if (index >= data->dst.nelems_padded) return;
    long pos[MAX_NDIMS];
    md_position_padded(pos, &data->dst, index);
    dst_off += md_offset_padded(&data->dst, pos);
    if (!md_to_logical(pos, &data->dst)) {
        if (!writes) store_any(dst, dst_off, data->dst.dt, 0.0f);
        return;
    }
    float sum = reads ? partial[partial_off + index] : 0.0f;
    if (count > 0) sum += term(data, 0, p0, o0, s0, pos);
    if (count > 1) sum += term(data, 1, p1, o1, s1, pos);
    if (count > 2) sum += term(data, 2, p2, o2, s2, pos);
    if (count > 3) sum += term(data, 3, p3, o3, s3, pos);
    if (count > 4) sum += term(data, 4, p4, o4, s4, pos);
    if (count > 5) sum += term(data, 5, p5, o5, s5, pos);
    if (count > 6) sum += term(data, 6, p6, o6, s6, pos);
    if (count > 7) sum += term(data, 7, p7, o7, s7, pos);
    if (writes)
        partial[partial_off + index] = sum;
    else
        store_any(dst, dst_off, data->dst.dt, sum);
}
