// SPDX-License-Identifier: Apache-2.0
// What the typed variants of reduction share: offsets from indices, vectors of terms, the last step, and the kernel
// that joins slices.
// -D: SRC, DST (prim__ocl_options_type()), ALG (prim_alg_kind_t), POWER = 1, 2: p of the norm, 0: any other, VEC,
// AT_ONCE, GROUP_ITEMS, ROW_ITEMS: powers of two; HAS_SLICES; ONE_LOOP: at most one loop beside the contiguous one is
// reduced; INTEGERS: SRC is of bytes; COUNTED: of slices, the last group joins them; RELAXED_ATOMICS: see clh/grid_slots.h,
// 0 where they are not COUNTED; PEELS: rows that are reduced are contiguous, and begin and end within a vector;
// those of clh/packed_max.h; those of clh/post_ops.h, without operands.
#ifndef CLH_REDUCTION_LOOPS_H
#define CLH_REDUCTION_LOOPS_H

#if !defined(ALG) || !defined(POWER) || !defined(AT_ONCE) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS) || \
        !defined(HAS_SLICES) || !defined(ONE_LOOP) || !defined(INTEGERS) || !defined(PEELS)
#error "clh/reduction_loops.h needs ALG, POWER, AT_ONCE, GROUP_ITEMS, ROW_ITEMS, HAS_SLICES, ONE_LOOP, INTEGERS, PEELS"
#endif
#if !defined(PACKED_MAX) || (PACKED_MAX && (VEC != 8 || PEELS))
#error "clh/reduction_loops.h needs PACKED_MAX, which needs VEC = 8, PEELS = 0"
#endif
#ifndef COUNTED
#error "clh/reduction_loops.h needs COUNTED, RELAXED_ATOMICS"
#endif

#include "clh/always_inline.h"
#include "clh/divide.h"
#include "clh/grid_slots.h"
#include "clh/packed_max.h"
#include "clh/post_ops.h"
#include "clh/reduction.h"
#include "clh/shared/reduction_data.h"
#include "clh/vec.h"

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

// AT_ONCE terms joined with the result so far, pairs first.
static inline floatv join_terms(floatv result, floatv *x)
{
#pragma unroll
    for (int step = 1; step < AT_ONCE; step *= 2)
#pragma unroll
        for (int k = 0; k + step < AT_ONCE; k += 2 * step) x[k] = joinv(x[k], x[k + step]);
    return joinv(result, x[0]);
}

// What work-items and slices join: floats, or integers in 64 bits. A work-item adds up 65536 bytes at most in a float,
// which holds their sum exactly.
#if INTEGERS
typedef long joined_t;
#define BEYOND_ALL 1073741824.0f // of those that a work-item adds up; in the place of infinity

static inline joined_t to_joined(float x)
{
    return (long)clamp(x, -BEYOND_ALL, BEYOND_ALL);
}

static inline joined_t join(joined_t a, joined_t b)
{
    if (ALG == REDUCTION_MAX) return max(a, b);
    return ALG == REDUCTION_MIN ? min(a, b) : a + b;
}
#else
typedef float joined_t;
#define to_joined(x) (x)
#define join(a, b) reduction_join(ALG, a, b)
#endif

static inline joined_t join_lanes(floatv x)
{
    float parts[VEC];
    vstorev(x, parts);
    joined_t joined = to_joined(parts[0]);
    for (int k = 1; k < VEC; ++k) joined = join(joined, to_joined(parts[k]));
    return joined;
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

// Of the index-th position of the loops that are reduced, the contiguous one aside. Nothing branches where there is one
// at most, for loads behind a branch wait for each other.
static inline long outer_offset(__constant const ocl_reduction_data_t *data, long index)
{
    if (ONE_LOOP) return index * data->reduced_src[0];
    return loops_offset(data->reduced_extents, data->reduced_src, data->nloops, index);
}

// Offset of the i-th element of the contiguous rows that the outer loops lead to.
static inline long element_place(__constant const ocl_reduction_data_t *data, uint i)
{
    if (data->nouter == 1) return i;
    const uint per_row = (uint)data->inner, outer = i / per_row;
    return outer_offset(data, outer) + (i - outer * per_row);
}

// The same of vectors, where rows consist of them.
static inline long vector_place(__constant const ocl_reduction_data_t *data, uint i)
{
    int outer = (int)i;
    const int in_row = divide_off(&outer, data->by_row);
    return outer_offset(data, outer) + (long)in_row * VEC;
}

// Joins the values of `count` work-items, `step` apart in the work-group, of which this one is number `id`: a fixed tree
// of four branches. The result is that of number 0; all work-items of the group call.
ALWAYS_INLINE joined_t join_items(joined_t x, __local joined_t *scratch, int id, int count, int step)
{
    __local joined_t *own = scratch + get_local_id(0);
    while (count > 1) {
        const int next = count >= 4 ? count / 4 : 1;
        *own = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < next) {
            x = join(x, own[next * step]);
            if (count > 2) x = join(x, join(own[2 * next * step], own[3 * next * step]));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = next;
    }
    return x;
}

// Of joined terms: the element of dst at an offset. POST_OPS: those of the caller.
#if INTEGERS && DST_IS_INT && !WITH_POST_OPS && ALG != REDUCTION_MEAN
#define STORE_RESULT(data, dst, off, joined) DST_STORE_INT(dst, off, joined)
#else
#define STORE_RESULT(data, dst, off, joined) \
    do { \
        const float last_ = reduction_last(ALG, (data)->p, (data)->eps, (data)->nreduced, (float)(joined)); \
        DST_STORE(dst, off, POST_OPS_APPLY(last_, 0, dst, off)); \
    } while (0)
#endif

#if HAS_SLICES
// What a group stores and another one of the same kernel may read.
static inline void store_part(__global joined_t *to, joined_t x)
{
#if COUNTED && INTEGERS
    slot_write2((__global uint *)to, as_uint2(x));
#elif COUNTED
    slot_write((__global uint *)to, as_uint(x));
#else
    *to = x;
#endif
}

static inline joined_t load_part(__global joined_t *from)
{
#if COUNTED && INTEGERS
    return as_long(slot_read2((__global uint *)from));
#elif COUNTED
    return as_float(slot_read((__global uint *)from));
#else
    return *from;
#endif
}

// The joined parts first, first + step, … of an element of dst, whose slices are ndst apart.
static inline joined_t join_parts_of(
        __constant const ocl_reduction_data_t *data, __global joined_t *slices, long first, long step)
{
    const long nslices = data->nslices, ndst = data->ndst;
    joined_t x = to_joined(reduction_start(ALG));
    for (long i = first; i < nslices; i += AT_ONCE * step) {
        joined_t parts[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) parts[k] = load_part(slices + min(i + k * step, nslices - 1) * ndst);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
            if (i + k * step < nslices) x = join(x, parts[k]);
    }
    return x;
}

// Whether this work-group is the last of `count` to have stored its parts, so that it joins them; `shared` is a word of
// local memory. The counter is 0 before the kernel and after it. Nobody waits.
ALWAYS_INLINE bool comes_last(volatile __global uint *counter, uint count, __local uint *shared)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        grid_fence();
        *shared = atomic_inc(counter) == count - 1;
        grid_fence();
        if (*shared) (void)atomic_xchg(counter, 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *shared;
}

// The parameters and the end of a kernel that stores slices: COUNTED: with the stream's counters, one for each `tile`,
// the last group of a tile joins its slices; without them (NULL) another kernel does. The tile has `columns` adjacent
// elements from element `first` of the `kept`-th row of dst on, which is data->inner long, or one element.
#if COUNTED
#define SLICES_PARAMS , __global DST_T *dst, long dst_off, volatile __global uint *counters POST_OPS_PARAMS
#define SLICES_DECLARE \
    POST_OPS_DECLARE; \
    __local uint is_last; \
    __local joined_t parts_[GROUP_ITEMS]
#define JOIN_SLICES(data, out, tile, first, columns, row_elems, dst_row) \
    do { \
        if (!counters || !comes_last(counters + (tile), (uint)(data)->nslices, &is_last)) return; \
        const int wide_ = (columns) < GROUP_ITEMS ? (columns) : GROUP_ITEMS, lane_ = (int)get_local_id(0); \
        for (int c_ = 0; c_ < (columns); c_ += wide_) { \
            const long at_ = (first) + c_ + lane_ % wide_; \
            joined_t x_ = join_parts_of(data, (out) + min(at_, (long)(row_elems)-1), lane_ / wide_, GROUP_ITEMS / wide_); \
            x_ = join_items(x_, parts_, lane_ / wide_, GROUP_ITEMS / wide_, wide_); \
            if (at_ < (row_elems) && lane_ < wide_) STORE_RESULT(data, dst, dst_off + (dst_row) + at_, x_); \
        } \
    } while (0)
#else
#define SLICES_PARAMS
#define SLICES_DECLARE
#define JOIN_SLICES(data, out, tile, first, columns, row_elems, dst_row) (void)(first)
#endif

// Elements of dst of their slices. Grid: groups of GROUP_ITEMS, ROW_ITEMS work-items for each element; neighbouring
// work-items have neighbouring elements.
__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_join_slices(
        __constant const ocl_reduction_data_t *data, __global joined_t *slices, long slices_off,
        __global DST_T *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    __local joined_t scratch[GROUP_ITEMS];
    const int columns = GROUP_ITEMS / ROW_ITEMS, lane = (int)get_local_id(0), id = lane / columns;
    const long index = (long)get_group_id(0) * columns + lane % columns;
    joined_t x = join_parts_of(data, slices + slices_off + min(index, data->ndst - 1), id, ROW_ITEMS);
    x = join_items(x, scratch, id, ROW_ITEMS, columns);
    if (index >= data->ndst || id > 0) return;
    dst_off += loops_offset(data->kept_extents, data->kept_dst, data->nkept, index);
    STORE_RESULT(data, dst, dst_off, x);
}
#endif

#endif
