// SPDX-License-Identifier: Apache-2.0
// Global pooling (one window over the image), NCHW with contiguous planes: a plane per work-item, or, if GROUPED,
// per data->row_items work-items of a work-group.
//
//   data           shapes and strides
//   src, src_off   [N, C, plane_elems] of SRC_T, planes by data->src
//   dst, dst_off   [N, C] of DST_T by data->dst
//   scratch        one float per work-item; if GROUPED
//   POST_OPS       eltwise, binary
// Grid: x ≥ data->nplanes work-items; if GROUPED data->row_items (a power of two that divides the work-group) for
// each plane, or more. Numerics: f32; parallel partial sums of a piece, then of the pieces, then of the plane.
// -D: SRC, DST (prim__ocl_options_type()), VEC, ALG = POOL_…, GROUPED, those of clh/post_ops.h and
// clh/lanes.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(GROUPED)
#error "ocl_pool_nchw_global needs SRC, DST, ALG, VEC, GROUPED"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/post_ops.h"
#include "clh/lanes.h"

static float take_one(float acc, float x)
{
#if ALG == POOL_MAX
    return x > acc ? x : acc;
#else
    return acc + x;
#endif
}

// Loads that come before the first use.
#define AT_ONCE 2

// Elements first·VEC … of a plane, every `step`-th vector of VEC, and the like of what remains.
static float reduce(__global const SRC_T *src, int n, int first, int step)
{
    const int nvecs = n / VEC;
    floatv acc = POOL_IDENTITY;
    int i = first;
    if (ARE_ALIGNED(SRC_T, VEC, src, 0)) {
        for (; i + (AT_ONCE - 1) * step < nvecs; i += AT_ONCE * step) {
            floatv x[AT_ONCE];
            for (int k = 0; k < AT_ONCE; ++k)
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (i + k * step) * VEC), 0);
            for (int k = 0; k < AT_ONCE; ++k) acc = pool_take(acc, x[k]);
        }
    }
    for (; i < nvecs; i += step) acc = pool_take(acc, SRC_LOADV(src, i * VEC));
    float parts[VEC];
    vstorev(acc, parts);
    for (int half_size = VEC / 2; half_size > 0; half_size /= 2)
        for (int k = 0; k < half_size; ++k) parts[k] = take_one(parts[k], parts[k + half_size]);
    float x = parts[0];
    for (i = nvecs * VEC + first; i < n; i += step) x = take_one(x, SRC_LOAD(src, i));
    return x;
}

// A plane in pieces, so that no chain of additions grows long.
#define PIECE (1 << 20)

static float reduce_plane(__global const SRC_T *src, int n, int first, int step)
{
    float x = reduce(src, min(n, PIECE), first, step);
    for (int at = PIECE; at < n; at += PIECE)
        x = take_one(x, reduce(src + at, min(n - at, PIECE), first, step));
    return x;
}

#if GROUPED
#define SCRATCH_PARAM , __local float *scratch
#else
#define SCRATCH_PARAM
#endif

__kernel void pool_nchw_global(__constant const ocl_pool_nchw_global_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off SCRATCH_PARAM POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
#if GROUPED
    const int row_items = data->row_items, lane = (int)get_local_id(0) & (row_items - 1);
    const int plane = (int)(get_global_id(0) >> data->row_shift);
    // Work-items without a plane take part in the reduction: they read the last one and write nothing.
    int index = min(plane, data->nplanes - 1);
#else
    int index = (int)get_global_id(0);
    if (index >= data->nplanes) return;
#endif
    const int c = split_digit(&index, &data->by_channels), n = index;
    src += src_off + (n * data->src.n + c * data->src.block);
#if GROUPED
    float x = reduce_plane(src, data->plane_elems, lane, row_items);
#if ALG == POOL_MAX
    x = lanes_max(x, scratch, row_items);
#else
    x = lanes_sum(x, scratch, row_items);
#endif
    if (lane > 0 || plane >= data->nplanes) return;
#else
    float x = reduce_plane(src, data->plane_elems, 0, 1);
#endif
#if ALG != POOL_MAX
    x = pool_mean_of_one(x, data->divisor);
#endif
    int block = c;
    const int c_of_block = split_digit(&block, &data->by_blocks);
    dst_off += n * data->dst.n + block * data->dst.block + c_of_block;
#if WITH_POST_OPS
    long pos[MAX_NDIMS];
    for (int d = 2; d < 2 + data->nspatial; ++d) pos[d] = 0;
    pos[0] = n;
    pos[1] = c;
#endif
    DST_STORE(dst, dst_off, POST_OPS_APPLY(x, pos, dst, dst_off));
}
