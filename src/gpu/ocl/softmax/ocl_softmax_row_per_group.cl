// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis: ROW_ITEMS work-items of a work-group per row.
//
//   nest           loops outside the axis; tensor 0 dst, 1 src
//   src, src_off   rows of [n] SRC_T
//   dst, dst_off   rows of [n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, nrows       elements of a row, rows
//   src_row, dst_row   distance between rows (ONE_LOOP)
//   src_span       elements from src_off to the end of src (PEELS)
//   POST_OPS       without operands
// Grid: work-groups of GROUP_ITEMS work-items; ROW_ITEMS work-items for each ROWS rows, or more.
// PER_ITEM > 0: a row has at most PER_ITEM·VEC·ROW_ITEMS elements and stays in registers; 0: any length,
// src is read twice. With PEELS a row may begin at any element, so it may have 2·VEC − 2 elements less; of the first
// and last vector the elements of other rows are read, and not used. A work-item issues the loads of all its ROWS rows before it uses the first.
// Numerics: f32; partial sums per work-item (PER_ITEM 0: online softmax, rescaled when a larger maximum comes),
// then per row.
// -D: ONE_LOOP: 1: one loop outside the axis, whose steps are arguments, for a load of the nest would precede those of src;
// PER_ITEM = 0 … 8, ROWS = 1, 2, 4 (1 for PER_ITEM 0), VEC = 4, 8, GROUP_ITEMS and ROW_ITEMS:
// powers of two, those of clh/softmax.h and clh/lanes.h.
#if !defined(ONE_LOOP) || !defined(PER_ITEM) || !defined(ROWS) || !defined(VEC) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_softmax_row_per_group needs ONE_LOOP, PER_ITEM, ROWS, VEC, GROUP_ITEMS, ROW_ITEMS"
#endif
#if PER_ITEM == 0 && ROWS != 1
#error "ROWS is not 1"
#endif

#include "clh/always_inline.h"
#include "clh/lanes.h"
#include "clh/nest.h"
#include "clh/softmax_row.h"

#if PER_ITEM > 0

ALWAYS_INLINE void load_row(kept_t *x, const row_t *row, bool is_whole, int first, int step)
{
    if (is_whole) {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = load_whole(row, first + k * step);
        for (int k = 0; k < PER_ITEM; ++k) x[k] = peeled(row, first + k * step, x[k]);
    } else {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = kept_of_floatv(load_some(row, first + k * step));
    }
}

// e^(x − max) or x − max, and the row's factor or summand.
static inline float reduce_row(floatv *y, const kept_t *x, __local float *scratch)
{
    float sum = 0.0f;
    const float top = lanes_max(kept_top(x, PER_ITEM), scratch, ROW_ITEMS);
    const float centre = centre_of(top);
    for (int k = 0; k < PER_ITEM; ++k) {
        const floatv z = kept_to_floatv(x[k]), e = exp_from(z, centre);
        sum += sum_lanes(e);
        y[k] = IS_LOG ? z - top : e;
    }
    sum = lanes_sum(sum, scratch, ROW_ITEMS);
    return IS_LOG ? log(sum) : 1.0f / sum;
}

static inline void softmax_rows(const row_t *rows, const softmax_end_t *end, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    kept_t x[ROWS][PER_ITEM];
    bool are_whole = true;
    for (int r = 0; r < ROWS; ++r) are_whole = are_whole && rows[r].is_whole;
    for (int r = 0; r < ROWS; ++r) load_row(x[r], &rows[r], are_whole, first, step);
    for (int r = 0; r < ROWS; ++r) {
        floatv y[PER_ITEM];
        const float rest = reduce_row(y, x[r], scratch);
        for (int k = 0; k < PER_ITEM; ++k)
            store_some(end, &rows[r], first + k * step, IS_LOG ? y[k] - rest : y[k] * rest);
    }
}

#else

// Vectors that are loaded together.
#define AT_ONCE 4

ALWAYS_INLINE void load_stride(kept_t *x, const row_t *row, long at, int step)
{
    if (row->is_whole) {
        for (int k = 0; k < AT_ONCE; ++k) x[k] = load_whole(row, at + k * step);
        for (int k = 0; k < AT_ONCE; ++k) x[k] = peeled(row, at + k * step, x[k]);
    } else {
        for (int k = 0; k < AT_ONCE; ++k) x[k] = kept_of_floatv(load_some(row, at + k * step));
    }
}

// The same of what is not read again, which gives way to what is.
ALWAYS_INLINE void load_stride_again(
        kept_t *x, const row_t *row, long at, int step)
{
#if IS_RAW
    if (row->is_whole) {
        for (int k = 0; k < AT_ONCE; ++k) x[k] = load_streaming(row, at + k * step);
        for (int k = 0; k < AT_ONCE; ++k) x[k] = peeled(row, at + k * step, x[k]);
        return;
    }
#endif
    load_stride(x, row, at, step);
}

static inline float finite(float top)
{
    return top == -INFINITY ? 0.0f : top;
}

static inline void softmax_rows(const row_t *row, const softmax_end_t *end, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    const long stride = AT_ONCE * step, nstrides = (row->n + stride - 1) / stride;
    float top = -INFINITY, sum = 0.0f;
    for (long s = 0; s < nstrides; ++s) {
        kept_t x[AT_ONCE];
        load_stride(x, row, first + s * stride, step);
        const float larger = fmax(top, kept_top(x, AT_ONCE)), centre = centre_of(finite(larger));
        sum *= exp(top - finite(larger));
        for (int k = 0; k < AT_ONCE; ++k) sum += sum_lanes(exp_from(kept_to_floatv(x[k]), centre));
        top = larger;
    }
    const float row_top = lanes_max(top, scratch, ROW_ITEMS), centre = centre_of(row_top);
    sum = lanes_sum(sum * exp(top - finite(row_top)), scratch, ROW_ITEMS);
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    // Backwards: what was read last is still in the caches.
    for (long s = nstrides - 1; s >= 0; --s) {
        kept_t x[AT_ONCE];
        const long at = first + s * stride;
        load_stride_again(x, row, at, step);
        for (int k = 0; k < AT_ONCE; ++k) {
            const floatv z = kept_to_floatv(x[k]);
            store_streaming(end, row, at + k * step,
                    IS_LOG ? z - row_top - rest : exp_from(z, centre) * rest);
        }
    }
}

#endif

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void softmax_row_per_group(__constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n,
        long nrows, long src_row, long dst_row, long src_span POST_OPS_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    const softmax_end_t end = SOFTMAX_END;
    const int at_once = GROUP_ITEMS / ROW_ITEMS;
    const long first = (long)get_group_id(0) * (at_once * ROWS) + (int)get_local_id(0) / ROW_ITEMS;
    row_t rows[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        const long row = first + r * at_once;
#if ONE_LOOP
        const long in_src = min(row, nrows - 1) * src_row, in_dst = min(row, nrows - 1) * dst_row;
#else
        const nest_at_t at = nest_at(nest, min(row, nrows - 1));
        const long in_src = at.offs[1], in_dst = at.offs[0];
#endif
        rows[r] = row_of(src + src_off + in_src, dst + dst_off + in_dst, row < nrows ? (place_t)n : 0,
                src + src_off + src_span);
    }
    softmax_rows(rows, &end, scratch);
}
