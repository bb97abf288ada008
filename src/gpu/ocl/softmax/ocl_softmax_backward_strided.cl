// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax along an axis that is not contiguous. A work-item takes VEC adjacent
// elements of the contiguous dimension, a column, and every SLICES-th position of the axis; the SLICES work-items of
// a column add up their sums in local memory.
//
//   nest                     loop nest; tensor 0 diff_src, 1 dst, 2 diff_dst; NEST_ROW is the axis, NEST_INNER has
//                            stride 1 in all
//   dst, dst_off             elements of DST_T: what the forward pass gave
//   diff_dst, diff_dst_off   elements of DIFF_DST_T
//   diff_src, diff_src_off   elements of DIFF_SRC_T; may be diff_dst
//   n                        elements along the axis
//   nouter                   outer loops
//   n_inner, chunks          extent of the contiguous dimension, ceil(n_inner / VEC)
// Grid: work-groups of COLUMNS * SLICES work-items, one for each COLUMNS of the nouter * chunks columns.
// PER_ITEM > 0: the axis has at most PER_ITEM * SLICES elements, which stay in registers; 0: any length, dst and
// diff_dst are read twice.
// Numerics: f32; sums of the work-items, then of the column, in a fixed order.
// -D: COLUMNS, SLICES: powers of two; PER_ITEM = 0, 1, 2, 4, 8; those of clh/softmax_backward_row.h.
#if !defined(COLUMNS) || !defined(SLICES) || !defined(PER_ITEM)
#error "ocl_softmax_backward_strided needs COLUMNS, SLICES, PER_ITEM"
#endif

#include "clh/always_inline.h"
#include "clh/softmax_backward_row.h"

// Where a work-item's positions of the axis begin, and how far they are apart.
typedef struct {
    row_t at; // of VEC elements or fewer; none for work-items behind the last column
    long dst_step, diff_dst_step, diff_src_step;
} column_t;

static inline column_t column_of(__constant const ocl_nest_t *nest, row_t start, long inner, long n_inner)
{
    column_t column = {start, nest->strides[1][NEST_ROW], nest->strides[2][NEST_ROW], nest->strides[0][NEST_ROW]};
    column.at.n = min(n_inner - inner, (long)VEC);
    column.at.is_whole = column.at.n == VEC && ARE_ALIGNED(DST_T, VEC, start.dst, 0) &&
            ARE_ALIGNED(DIFF_DST_T, VEC, start.diff_dst, 0) && ARE_ALIGNED(DIFF_SRC_T, VEC, start.diff_src, 0) &&
            column.dst_step % VEC == 0 && column.diff_dst_step % VEC == 0 && column.diff_src_step % VEC == 0;
    return column;
}

static inline row_t position(const column_t *column, long i)
{
    row_t row = column->at;
    row.dst += i * column->dst_step;
    row.diff_dst += i * column->diff_dst_step;
    row.diff_src += i * column->diff_src_step;
    return row;
}

// Whether position i is before the last of n, ALL: it is.
#define ALL (-1)
static inline bool is_there(long i, long n)
{
    return n == ALL || i < n;
}

// Loads `count` positions of the axis, SLICES apart; zeros behind the last of n. One branch for all
// of them: loads behind branches of their own wait for each other.
ALWAYS_INLINE void load_positions(
        pair_t *x, const int count, const column_t *column, long first, long n)
{
    if (column->at.is_whole) {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            row_t row = position(column, first + k * SLICES);
            row.n = is_there(first + k * SLICES, n) ? VEC : 0;
            x[k] = load_whole(&row, 0);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < count; ++k) {
        row_t row = position(column, first + k * SLICES);
        row.n = is_there(first + k * SLICES, n) ? row.n : 0;
        x[k] = load_some(&row, 0);
    }
}

ALWAYS_INLINE void store_positions(
        const pair_t *x, const int count, const column_t *column, long first, long n, floatv sum)
{
    if (column->at.is_whole) {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            const row_t row = position(column, first + k * SLICES);
            if (is_there(first + k * SLICES, n)) store_whole(&row, 0, x[k], sum);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < count; ++k) {
        row_t row = position(column, first + k * SLICES);
        row.n = is_there(first + k * SLICES, n) ? row.n : 0;
        store(&row, 0, x[k], sum);
    }
}

// The sum over the SLICES work-items of a column, which each of them gets.
ALWAYS_INLINE floatv column_sum(floatv x, __local floatv *scratch)
{
#if SLICES > 1
    const int id = (int)get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_slices = SLICES / 2; half_slices > 0; half_slices /= 2) {
        if (id < half_slices * COLUMNS) scratch[id] += scratch[id + half_slices * COLUMNS];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x = scratch[id % COLUMNS];
#endif
    return x;
}

#if PER_ITEM > 0

ALWAYS_INLINE void differentiate(const column_t *column, long n, int slice, __local floatv *scratch)
{
    pair_t x[PER_ITEM];
    load_positions(x, PER_ITEM, column, slice, n);
    floatv sum = (floatv)(0.0f);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) sum += terms(x[k]);
    sum = column_sum(sum, scratch);
    store_positions(x, PER_ITEM, column, slice, n, sum);
}

#else

#define AT_ONCE 4 // positions that are loaded together

ALWAYS_INLINE void differentiate(const column_t *column, long n, int slice, __local floatv *scratch)
{
    const long stride = AT_ONCE * SLICES;
    const long count = n > slice ? (n - 1 - slice) / SLICES + 1 : 0, nstrides = count / AT_ONCE;
    floatv sum = (floatv)(0.0f);
    for (long s = 0; s < nstrides; ++s) {
        pair_t x[AT_ONCE];
        load_positions(x, AT_ONCE, column, slice + s * stride, ALL);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) sum += terms(x[k]);
    }
    for (long i = slice + nstrides * stride; i < n; i += SLICES) {
        pair_t x;
        load_positions(&x, 1, column, i, ALL);
        sum += terms(x);
    }
    sum = column_sum(sum, scratch);
    // From the end on: what was read last is still in the caches.
    for (long k = count - 1; k >= nstrides * AT_ONCE; --k) {
        pair_t x;
        load_positions(&x, 1, column, slice + k * SLICES, ALL);
        store_positions(&x, 1, column, slice + k * SLICES, ALL, sum);
    }
    for (long s = nstrides - 1; s >= 0; --s) {
        pair_t x[AT_ONCE];
        load_positions(x, AT_ONCE, column, slice + s * stride, ALL);
        store_positions(x, AT_ONCE, column, slice + s * stride, ALL, sum);
    }
}

#endif

__attribute__((reqd_work_group_size(COLUMNS * SLICES, 1, 1))) __kernel void softmax_backward_strided(
        __constant const ocl_nest_t *nest, __global const DST_T *dst, long dst_off,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global DIFF_SRC_T *diff_src, long diff_src_off,
        long n, long nouter, long n_inner, long chunks)
{
#if SLICES > 1
    __local floatv scratch[COLUMNS * SLICES];
#else
    __local floatv *scratch = 0;
#endif
    const int lane = (int)get_local_id(0) % COLUMNS, slice = (int)get_local_id(0) / COLUMNS;
    const long index = (long)get_group_id(0) * COLUMNS + lane;
    const bool is_inside = index < nouter * chunks;
    const long outer = is_inside ? div_long(index, chunks) : 0, inner = is_inside ? (index - outer * chunks) * VEC : 0;
    const nest_at_t at = nest_at(nest, outer);
    const row_t start = {dst + dst_off + at.offs[1] + inner, diff_dst + diff_dst_off + at.offs[2] + inner,
            diff_src + diff_src_off + at.offs[0] + inner, 0, false};
    const column_t column = column_of(nest, start, inner, n_inner);
    differentiate(&column, is_inside ? n : 0, slice, scratch);
}
