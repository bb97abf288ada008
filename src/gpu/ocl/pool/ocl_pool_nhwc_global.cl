// SPDX-License-Identifier: Apache-2.0
// Global pooling (one window over the image) where channels are innermost (NHWC, nChw16c), for GPUs: a work-group
// reduces group_vecs vectors of channels, its work-items share their positions.
//
//   data           shapes and strides
//   src, src_off   [N, C, positions] of SRC_T, `step` elements between adjacent positions
//   dst, dst_off   [N, C] of DST_T by data->dst, without padding
//   scratch        VEC floats per work-item
//   POST_OPS       eltwise, binary
// Grid: work-groups of parts × group_vecs work-items, parts a power of two: work-item [part, lane] takes vector
// group · group_vecs + lane of [N, vectors of channels] and every parts-th position. Numerics: f32; sums of
// AT_ONCE positions first, then per work-item, then per vector.
// -D: SRC, DST (prim__ocl_options_type()), VEC, ALG = POOL_…, AT_ONCE (positions that are loaded before
// the first is used, a power of two), those of clh/post_ops.h, SIZES_BY_VALUE.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(AT_ONCE)
#error "ocl_pool_nhwc_global needs SRC, DST, ALG, VEC, AT_ONCE"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/post_ops.h"
#include "clh/shared/scratch_data.h"

// Positions `first` and on, `apart` from each other, where src is aligned to vectors.
static inline floatv reduce_aligned(
        __global const SRC_T *src, int first, int apart, int positions, int step)
{
    floatv acc = POOL_IDENTITY;
#pragma unroll 1
    for (int p = first; p < positions; p += AT_ONCE * apart) {
        floatv x[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            const int at = min(p + i * apart, positions - 1);
            x[i] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + at * step), 0);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
            if (ALG != POOL_MAX && p + i * apart >= positions) x[i] = 0.0f;
#pragma unroll
        for (int half_size = AT_ONCE / 2; half_size > 0; half_size /= 2)
            for (int i = 0; i < half_size; ++i) x[i] = pool_join(x[i], x[i + half_size]);
        acc = pool_join(acc, x[0]);
    }
    return acc;
}

static floatv reduce_piece(
        __global const SRC_T *src, int first, int apart, int positions, int step)
{
    if (ARE_ALIGNED(SRC_T, VEC, src, step))
        return reduce_aligned(src, first, apart, positions, step);
    floatv acc = POOL_IDENTITY;
#pragma unroll 1
    for (int p = first; p < positions; p += apart) acc = pool_join(acc, SRC_LOADV(src, p * step));
    return acc;
}

// In pieces, so that no chain of additions grows long. Work-items without a position in the last one have
// nothing of it.
#define PIECE 65536

static floatv reduce(__global const SRC_T *src, int first, int apart, int positions, int step)
{
    floatv x = reduce_piece(src, first, apart, min(positions, PIECE), step);
#pragma unroll 1
    for (int at = PIECE; at < positions; at += PIECE)
        x = pool_join(x, reduce_piece(src + at * step, first, apart, min(positions - at, PIECE), step));
    return x;
}

#if WITH_POST_OPS
static floatv apply_post_ops(const post_ops_t *po, int nspatial, floatv x, int n, int c,
        __global DST_T *dst, long off)
{
    long pos[MAX_NDIMS];
    for (int d = 2; d < 2 + nspatial; ++d) pos[d] = 0;
    pos[0] = n;
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC; ++i) {
        pos[1] = c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#endif

__kernel void pool_nhwc_global(SIZES(ocl_pool_nhwc_global_data_t), __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, __local float *scratch POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    SIZES_OF(ocl_pool_nhwc_global_data_t, data);
    const int lane = (int)get_local_id(0) & (data->group_vecs - 1);
    const int part = (int)get_local_id(0) >> data->vec_shift;
    const int parts = (int)get_local_size(0) >> data->vec_shift;
    // Work-items without a vector take part in the reduction: they read the last one and write nothing.
    const int vec = (int)get_group_id(0) * data->group_vecs + lane;
    int index = min(vec, data->nvecs - 1);
    const int c = split_digit(&index, &data->by_vecs) * VEC, n = index;
    src += src_off + channels_offset(&data->src, n, c);
    floatv x = reduce(src, part, parts, data->positions, data->step);
    if (parts > 1) {
        vstorev(x, scratch + SCRATCH_OF_ITEMS((int)get_local_id(0), VEC));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (part > 0 || vec >= data->nvecs) return;
    for (int i = 1; i < parts; ++i)
        x = pool_join(x, vloadv(scratch + SCRATCH_OF_ITEMS(i * data->group_vecs + lane, VEC)));
#if ALG != POOL_MAX
    x = pool_mean(x, data->divisor);
#endif
    dst_off += channels_offset(&data->dst, n, c);
#if WITH_POST_OPS
    x = apply_post_ops(&po, data->nspatial, x, n, c, dst, dst_off);
#endif
    DST_STOREV(dst, dst_off, x);
}
