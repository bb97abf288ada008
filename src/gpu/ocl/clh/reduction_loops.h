// SPDX-License-Identifier: Apache-2.0
// What the typed variants of reduction share: offsets from indices, vectors of terms, the last step, and the kernel
// that joins slices.
// -D: SRC, DST (prim__ocl_options_type()), ALG (prim_alg_kind_t), POWER = 1, 2: p of the norm, 0: any other, VEC,
// AT_ONCE, GROUP_ITEMS, ROW_ITEMS: powers of two; HAS_SLICES; those of clh/post_ops.h, without operands.
#ifndef CLH_REDUCTION_LOOPS_H
#define CLH_REDUCTION_LOOPS_H

#if !defined(ALG) || !defined(POWER) || !defined(AT_ONCE) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS) || \
        !defined(HAS_SLICES)
#error "clh/reduction_loops.h needs ALG, POWER, AT_ONCE, GROUP_ITEMS, ROW_ITEMS, HAS_SLICES"
#endif

#include "clh/always_inline.h"
#include "clh/post_ops.h"
#include "clh/reduction.h"
#include "clh/shared/reduction_data.h"
#include "clh/vec.h"

// Joins take place in registers: VEC numbers for each of the vectors that are loaded together.
typedef struct {
    floatv x[AT_ONCE];
} results_t;

static inline floatv joinv(floatv a, floatv b)
{
    if (ALG == REDUCTION_MAX) return select(a, b, b > a || isnan(b));
    if (ALG == REDUCTION_MIN) return select(a, b, b < a || isnan(b));
    return ALG == REDUCTION_MUL ? a * b : a + b;
}

static inline floatv termv(floatv x, float p)
{
    if (ALG < REDUCTION_NORM_LP_MAX) return x;
    if (POWER == 1) return fabs(x);
    return POWER == 2 ? x * x : pow(fabs(x), (floatv)(p));
}

static inline void start_results(results_t *r)
{
    for (int k = 0; k < AT_ONCE; ++k) r->x[k] = (floatv)(reduction_start(ALG));
}

static inline floatv join_results(const results_t *r)
{
    floatv x = r->x[0];
    for (int k = 1; k < AT_ONCE; ++k) x = joinv(x, r->x[k]);
    return x;
}

static inline float join_lanes(floatv x)
{
    float parts[VEC];
    vstorev(x, parts);
    for (int k = 1; k < VEC; ++k) parts[0] = reduction_join(ALG, parts[0], parts[k]);
    return parts[0];
}

// Offset of the index-th position of the first n loops.
static inline long loops_offset(__constant const long *extents, __constant const long *strides, int n, long index)
{
    long offset = 0;
    for (int l = n - 1; l > 0; --l) {
        const long quotient = div_long(index, extents[l]);
        offset += (index - quotient * extents[l]) * strides[l];
        index = quotient;
    }
    return n > 0 ? offset + index * strides[0] : 0;
}

static inline long outer_offset(__constant const ocl_reduction_data_t *data, long index)
{
    return loops_offset(data->reduced_extents, data->reduced_src, data->nloops, index);
}

// Offset of the i-th piece of `unit` elements; `per_row` of them make a contiguous row, the outer loops the rows.
static inline long place_of(__constant const ocl_reduction_data_t *data, uint i, uint per_row, int unit)
{
    if (data->nouter == 1) return (long)i * unit;
    const uint outer = i / per_row;
    return outer_offset(data, outer) + (long)(i - outer * per_row) * unit;
}

// The same row's value in each of its ROW_ITEMS work-items.
ALWAYS_INLINE float join_row(float x, __local float *scratch)
{
    const int lane = (int)get_local_id(0), id = lane & (ROW_ITEMS - 1);
    if (ROW_ITEMS == 1) return x;
    scratch[lane] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = ROW_ITEMS / 2; n > 0; n /= 2) {
        if (id < n) scratch[lane] = reduction_join(ALG, scratch[lane], scratch[lane + n]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return scratch[lane - id];
}

// Of joined terms: the element of dst at an offset. POST_OPS: those of the caller.
#define STORE_RESULT(data, dst, off, joined) \
    do { \
        const float last_ = reduction_last(ALG, (data)->p, (data)->eps, (data)->nreduced, joined); \
        DST_STORE(dst, off, POST_OPS_APPLY(last_, 0, dst, off)); \
    } while (0)

#if HAS_SLICES
// Element `index` of dst of its slices. Grid: ROW_ITEMS work-items for each, in groups of GROUP_ITEMS.
__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_join_slices(
        __constant const ocl_reduction_data_t *data, __global const float *slices, long slices_off,
        __global DST_T *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    __local float scratch[GROUP_ITEMS];
    const int id = (int)get_local_id(0) & (ROW_ITEMS - 1);
    const long index = (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const long nslices = index < data->ndst ? data->nslices : 0;
    slices += slices_off + index * data->nslices;
    float x = reduction_start(ALG);
    for (long i = id; i < nslices; i += ROW_ITEMS) x = reduction_join(ALG, x, slices[i]);
    x = join_row(x, scratch);
    if (nslices == 0 || id > 0) return;
    dst_off += loops_offset(data->kept_extents, data->kept_dst, data->nkept, index);
    STORE_RESULT(data, dst, dst_off, x);
}
#endif

#endif
