// SPDX-License-Identifier: Apache-2.0
// Softmax along the innermost dimension, `row_items` items of a work-group a row.
//
//   nest           loops outside the axis; tensor 0 dst, 1 src
//   src, src_off   rows of [n] SRC_T
//   dst, dst_off   rows of [n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, nrows       elements of a row, rows
//   row_items          items of a row, a power of two that divides the group
//   POST_OPS       without operands
// Grid: groups of GROUP_ITEMS, a power of two; together row_items items for each row, or more.
// PER_ITEM > 0: a row is at most PER_ITEM·4·row_items long and stays in registers; 0: any length, src is
// read twice.
// Numerics: f32; partial sums of the items (PER_ITEM 0: scaled anew when a larger maximum comes),
// then of the row.
// -D: PER_ITEM = 0, 1, 2, 4, 8, GROUP_ITEMS = 64, 128, 256, those of clh/softmax.h.
#if !defined(PER_ITEM) || !defined(GROUP_ITEMS)
#error "ocl_softmax_wg needs PER_ITEM, GROUP_ITEMS"
#endif

#include "clh/nest.h"
#include "clh/reduce.h"
#include "clh/softmax.h"

// Four elements from i on; −∞ beyond the end.
static inline float4 load_four(__global const SRC_T *src, long i, long n)
{
    if (i + 4 <= n) return SRC_LOAD4(src, i);
    float4 x = (float4)(-INFINITY);
    if (i < n) x.s0 = SRC_LOAD(src, i);
    if (i + 1 < n) x.s1 = SRC_LOAD(src, i + 1);
    if (i + 2 < n) x.s2 = SRC_LOAD(src, i + 2);
    return x;
}

static inline void store_four(
        const softmax_end_t *end, float4 y, __global DST_T *dst, long i, long n)
{
    if (i >= n) return;
#if SOFTMAX_IS_BARE
    if (i + 4 <= n) {
        DST_STORE4(dst, i, y);
        return;
    }
#endif
    float lanes[4];
    vstore4(y, 0, lanes);
    for (int k = 0; k < 4 && i + k < n; ++k)
        DST_STORE(dst, i + k, softmax_finish(end, lanes[k], dst + i + k));
}

static inline float sum_four(float4 x)
{
    return (x.s0 + x.s1) + (x.s2 + x.s3);
}

static inline float max_four(float4 x)
{
    return fmax(fmax(x.s0, x.s1), fmax(x.s2, x.s3));
}

#if PER_ITEM > 0

static inline void softmax_row(__global const SRC_T *src, __global DST_T *dst, long n,
        const softmax_end_t *end, __local float *scratch, int row_items)
{
    const long first = ((int)get_local_id(0) & (row_items - 1)) * 4, step = row_items * 4;
    float4 x[PER_ITEM];
    float top = -INFINITY, sum = 0.0f;
    for (int k = 0; k < PER_ITEM; ++k) {
        x[k] = load_four(src, first + k * step, n);
        top = fmax(top, max_four(x[k]));
    }
    top = row_max(top, scratch, row_items);
    for (int k = 0; k < PER_ITEM; ++k) {
        x[k] -= top;
        const float4 e = exp(x[k]);
        sum += sum_four(e);
        if (!IS_LOG) x[k] = e;
    }
    sum = row_sum(sum, scratch, row_items);
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    for (int k = 0; k < PER_ITEM; ++k)
        store_four(end, IS_LOG ? x[k] - rest : x[k] * rest, dst, first + k * step, n);
}

#else

static inline void softmax_row(__global const SRC_T *src, __global DST_T *dst, long n,
        const softmax_end_t *end, __local float *scratch, int row_items)
{
    const long first = ((int)get_local_id(0) & (row_items - 1)) * 4, step = row_items * 4;
    float top = -INFINITY, sum = 0.0f;
    for (long i = first; i < n; i += step) {
        const float4 x = load_four(src, i, n);
        const float larger = fmax(top, max_four(x));
        const float centre = larger == -INFINITY ? 0.0f : larger;
        sum = sum * exp(top - centre) + sum_four(exp(x - centre));
        top = larger;
    }
    const float row_top = row_max(top, scratch, row_items);
    const float centre = row_top == -INFINITY ? 0.0f : row_top;
    sum = row_sum(sum * exp(top - centre), scratch, row_items);
    const float rest = IS_LOG ? log(sum) : 1.0f / sum;
    for (long i = first; i < n; i += step) {
        const float4 x = load_four(src, i, n) - row_top;
        store_four(end, IS_LOG ? x - rest : exp(x) * rest, dst, i, n);
    }
}

#endif

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
__kernel void softmax_wg(__constant const nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n, long nrows,
        int row_items POST_OPS_PARAMS)
{
    __local float scratch[GROUP_ITEMS];
    const softmax_end_t end = SOFTMAX_END;
    const long row = (long)get_group_id(0) * (GROUP_ITEMS / row_items)
            + (int)get_local_id(0) / row_items;
    const nest_at_t at = nest_at(nest, min(row, nrows - 1));
    // Items without a row take part in the reductions, and neither read nor write.
    softmax_row(src + src_off + at.offs[1], dst + dst_off + at.offs[0], row < nrows ? n : 0, &end,
            scratch, row_items);
}
