// SPDX-License-Identifier: Apache-2.0
// Reduction, generic: any types, layouts, dimensions and post-ops. Two kernels: parts of what becomes an element of
// dst, where few elements become of many; and an element of dst per work-item, of its parts or of src.
//
//   data            descriptors, algorithm, sizes
//   src, src_off    [dims] of type data->src.dt
//   parts, parts_off  [elements of dst, nparts], a result_t each; unused if nparts is 1
//   dst, dst_off    [dims or 1] of type data->dst.dt; padding becomes 0
//   POST_OPS        sum, eltwise, binary
// Grid: nelems(dst)·nparts; x ≥ data->dst.nelems_padded.
// Numerics: maxima, minima and sums of integers in 64 bits, exact; else f32, sums in pieces.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/post_ops.h"
#include "clh/reduction.h"
#include "clh/shared/reduction_any_data.h"

// An integer, or the bits of a float.
typedef long result_t;

static inline result_t of_float(float x)
{
    return (result_t)as_uint(x);
}

static inline float to_float(result_t x)
{
    return as_float((uint)x);
}

// Whether results are integers. Those of no elements are infinities.
static inline bool is_exact(__constant const ocl_reduction_any_data_t *data)
{
    return dt_is_int(data->src.dt) && data->alg != REDUCTION_MUL && data->nreduced > 0;
}

// The position in src of the index-th element that becomes the one of dst at `at`.
static inline void source_position(
        long *pos, __constant const ocl_reduction_any_data_t *data, const long *at, long index)
{
    for (int d = data->src.ndims - 1; d >= 0; --d) {
        const long n = data->src.dims[d];
        pos[d] = at[d];
        if (data->dst.dims[d] == n) continue;
        const long quotient = div_long(index, n);
        pos[d] = index - quotient * n;
        index = quotient;
    }
}

static inline long join_int(int alg, long a, long b)
{
    if (alg == REDUCTION_MAX) return max(a, b);
    return alg == REDUCTION_MIN ? min(a, b) : a + b;
}

// The elements first, first + step, … that become the one of dst at `at`.
static inline result_t reduce_int(__constant const ocl_reduction_any_data_t *data, __global const void *src,
        long src_off, const long *at, long first, long step)
{
    long pos[MAX_NDIMS];
    source_position(pos, data, at, first);
    long result = load_int_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
    for (long i = first + step; i < data->nreduced; i += step) {
        source_position(pos, data, at, i);
        const long x = load_int_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
        result = join_int(data->alg, result, x);
    }
    return result;
}

static inline result_t reduce_float(__constant const ocl_reduction_any_data_t *data, __global const void *src,
        long src_off, const long *at, long first, long step)
{
    const float start = reduction_start(data->alg);
    float result = start, piece = start;
    long count = 0, pos[MAX_NDIMS];
    for (long i = first; i < data->nreduced; i += step) {
        source_position(pos, data, at, i);
        const float x = load_any(src, src_off + md_offset(&data->src, pos), data->src.dt);
        piece = reduction_join(data->alg, piece, reduction_term(data->alg, data->p, x));
        if (++count % PIECE != 0) continue;
        result = reduction_join(data->alg, result, piece);
        piece = start;
    }
    return of_float(reduction_join(data->alg, result, piece));
}

static inline result_t reduce(__constant const ocl_reduction_any_data_t *data, __global const void *src, long src_off,
        const long *at, long first, long step)
{
    return is_exact(data) ? reduce_int(data, src, src_off, at, first, step)
                          : reduce_float(data, src, src_off, at, first, step);
}

// There are no more parts than elements. Neighbouring work-items take neighbouring elements.
__kernel void reduction_any_parts(__constant const ocl_reduction_any_data_t *data, __global const void *src,
        long src_off, __global result_t *parts, long parts_off)
{
    const long item = get_global_id(0);
    if (item >= data->dst.nelems * data->nparts) return;
    const long element = item / data->nparts;
    long at[MAX_NDIMS];
    md_position(at, &data->dst, element);
    parts[parts_off + item] = reduce(data, src, src_off, at, item - element * data->nparts, data->nparts);
}

static inline result_t join_parts(
        __constant const ocl_reduction_any_data_t *data, __global const result_t *parts, const long *at)
{
    long element = 0;
    for (int d = 0; d < data->dst.ndims; ++d) element = element * data->dst.dims[d] + at[d];
    parts += element * data->nparts;
    result_t result = parts[0];
    for (long i = 1; i < data->nparts; ++i)
        result = is_exact(data) ? join_int(data->alg, result, parts[i])
                                : of_float(reduction_join(data->alg, to_float(result), to_float(parts[i])));
    return result;
}

__kernel void reduction_any(__constant const ocl_reduction_any_data_t *data, __global const void *src, long src_off,
        __global const result_t *parts, long parts_off, __global void *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, get_global_id(0))) return;
    const result_t result = data->nparts > 1 ? join_parts(data, parts + parts_off, pos)
                                             : reduce(data, src, src_off, pos, 0, 1);
    if (!WITH_POST_OPS && is_exact(data) && dt_is_int(data->dst.dt) && data->alg != REDUCTION_MEAN) {
        store_int_any(dst, dst_off, data->dst.dt, result);
        return;
    }
    const float joined = is_exact(data) ? (float)result : to_float(result);
    const float x = reduction_last(data->alg, data->p, data->eps, data->nreduced, joined);
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
