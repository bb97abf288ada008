// SPDX-License-Identifier: Apache-2.0
// Softmax along the innermost dimension, ROW_ITEMS items of a work-group a row.
//
//   nest           loops outside the axis; tensor 0 dst, 1 src
//   src, src_off   rows of [n] SRC_T
//   dst, dst_off   rows of [n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, nrows       elements of a row, rows
//   POST_OPS       without operands
// Grid: groups of GROUP_ITEMS items; together ROW_ITEMS items for each ROWS rows, or more.
// PER_ITEM > 0: a row is at most PER_ITEM·VEC·ROW_ITEMS long and stays in registers; 0: any length,
// src is read twice. All loads of an item come before the first use, for ROWS rows together.
// Numerics: f32; partial sums of the items (PER_ITEM 0: scaled anew when a larger maximum comes),
// then of the row.
// -D: PER_ITEM = 0, 1, 2, 4, 8, ROWS = 1, 2, 4 (1 for PER_ITEM 0), VEC = 4, 8, GROUP_ITEMS and ROW_ITEMS:
// powers of two, those of clh/softmax.h and clh/lanes.h.
#if !defined(PER_ITEM) || !defined(ROWS) || !defined(VEC) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "ocl_softmax_wg needs PER_ITEM, ROWS, VEC, GROUP_ITEMS, ROW_ITEMS"
#endif
#if PER_ITEM == 0 && ROWS != 1
#error "ROWS is not 1"
#endif

#include "clh/lanes.h"
#include "clh/nest.h"
#include "clh/softmax.h"
#include "clh/vec.h"

// A row: n is 0 for an item without one, which takes part in the reductions, and neither reads nor
// writes. is_whole: n is full of vectors and both sides are aligned to them.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    long n;
    bool is_whole;
} row_t;

static inline row_t row_of(__global const SRC_T *src, __global DST_T *dst, long n)
{
    row_t row = {src, dst, n, false};
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DST_T, VEC, dst, 0);
    return row;
}

// VEC elements from i on; −∞ beyond the end.
static inline floatv load_some(const row_t *row, long i)
{
    if (i + VEC <= row->n) return SRC_LOADV(row->src, i);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = i + k < row->n ? SRC_LOAD(row->src, i + k) : -INFINITY;
    return vloadv(x);
}

static inline floatv load_whole(const row_t *row, long i)
{
    floatv x = (floatv)(-INFINITY);
    if (i < row->n) x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, row->src + i), 0);
    return x;
}

static inline void store_some(const softmax_end_t *end, const row_t *row, long i, floatv y)
{
    if (i >= row->n) return;
#if SOFTMAX_IS_BARE
    if (row->is_whole) {
        DST_STOREV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0, y);
        return;
    }
    if (i + VEC <= row->n) {
        DST_STOREV(row->dst, i, y);
        return;
    }
#endif
    float x[VEC];
    vstorev(y, x);
    for (int k = 0; k < VEC && i + k < row->n; ++k)
        DST_STORE(row->dst, i + k, softmax_finish(end, x[k], row->dst + i + k));
}

#if VEC == 4
#define HALVES float2
#define sum_half(x) ((x).s0 + (x).s1)
#define max_half(x) fmax((x).s0, (x).s1)
#else
#define HALVES float4
#define sum_half(x) (((x).s0 + (x).s1) + ((x).s2 + (x).s3))
#define max_half(x) fmax(fmax((x).s0, (x).s1), fmax((x).s2, (x).s3))
#endif

static inline float sum_lanes(floatv x)
{
    const HALVES y = x.lo + x.hi;
    return sum_half(y);
}

static inline float max_lanes(floatv x)
{
    const HALVES y = fmax(x.lo, x.hi);
    return max_half(y);
}

#if PER_ITEM > 0

__attribute__((always_inline)) static inline void load_row(floatv *x, const row_t *row, bool is_whole, int first, int step)
{
    if (is_whole) {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = load_whole(row, first + k * step);
    } else {
        for (int k = 0; k < PER_ITEM; ++k) x[k] = load_some(row, first + k * step);
    }
}

// e^(x − max) or x − max, and the row's factor or summand.
static inline float reduce_row(floatv *x, __local float *scratch)
{
    float top = -INFINITY, sum = 0.0f;
    for (int k = 0; k < PER_ITEM; ++k) top = fmax(top, max_lanes(x[k]));
    top = lanes_max(top, scratch, ROW_ITEMS);
    for (int k = 0; k < PER_ITEM; ++k) {
        x[k] -= top;
        const floatv e = exp(x[k]);
        sum += sum_lanes(e);
        if (!IS_LOG) x[k] = e;
    }
    sum = lanes_sum(sum, scratch, ROW_ITEMS);
    return IS_LOG ? log(sum) : 1.0f / sum;
}

static inline void softmax_rows(const row_t *rows, const softmax_end_t *end, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    floatv x[ROWS][PER_ITEM];
    bool are_whole = true;
    for (int r = 0; r < ROWS; ++r) are_whole = are_whole && rows[r].is_whole;
    for (int r = 0; r < ROWS; ++r) load_row(x[r], &rows[r], are_whole, first, step);
    for (int r = 0; r < ROWS; ++r) {
        const float rest = reduce_row(x[r], scratch);
        for (int k = 0; k < PER_ITEM; ++k)
            store_some(end, &rows[r], first + k * step, IS_LOG ? x[r][k] - rest : x[r][k] * rest);
    }
}

#else

// Vectors that are loaded together.
#define AT_ONCE 4

static inline void softmax_rows(const row_t *row, const softmax_end_t *end, __local float *scratch)
{
    const int first = ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC, step = ROW_ITEMS * VEC;
    const long stride = AT_ONCE * step, nstrides = (row->n + stride - 1) / stride;
    float top = -INFINITY, sum = 0.0f;
    for (long s = 0; s < nstrides; ++s) {
        floatv x[AT_ONCE];
        const long at = first + s * stride;
        if (row->is_whole) {
            for (int k = 0; k < AT_ONCE; ++k) x[k] = load_whole(row, at + k * step);
        } else {
            for (int k = 0; k < AT_ONCE; ++k) x[k] = load_some(row, at + k * step);
        }
        float larger = top;
        for (int k = 0; k < AT_ONCE; ++k) larger = fmax(larger, max_lanes(x[k]));
        const float centre = larger == -INFINITY ? 0.0f : larger;
        sum *= exp(top - centre);
        for (int k = 0; k < AT_ONCE; ++k) sum += sum_lanes(exp(x[k] - centre));
        top = larger;
    }
    const float row_top = lanes_max(top, scratch, ROW_ITEMS);
    const float centre = row_top == -INFINITY ? 0.0f : row_top;
    sum = lanes_sum(sum * exp(top - centre), scratch, ROW_ITEMS);
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    // Backwards: what was read last is still in the caches.
    for (long s = nstrides - 1; s >= 0; --s) {
        floatv x[AT_ONCE];
        const long at = first + s * stride;
        if (row->is_whole) {
            for (int k = 0; k < AT_ONCE; ++k) x[k] = load_whole(row, at + k * step);
        } else {
            for (int k = 0; k < AT_ONCE; ++k) x[k] = load_some(row, at + k * step);
        }
        for (int k = 0; k < AT_ONCE; ++k) {
            x[k] -= row_top;
            store_some(end, row, at + k * step, IS_LOG ? x[k] - rest : exp(x[k]) * rest);
        }
    }
}

#endif

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void softmax_wg(__constant const nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n,
        long nrows POST_OPS_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    const softmax_end_t end = SOFTMAX_END;
    const int at_once = GROUP_ITEMS / ROW_ITEMS;
    const long first = (long)get_group_id(0) * (at_once * ROWS) + (int)get_local_id(0) / ROW_ITEMS;
    row_t rows[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        const long row = first + r * at_once;
        const nest_at_t at = nest_at(nest, min(row, nrows - 1));
        rows[r] = row_of(src + src_off + at.offs[1], dst + dst_off + at.offs[0], row < nrows ? n : 0);
    }
    softmax_rows(rows, &end, scratch);
}
