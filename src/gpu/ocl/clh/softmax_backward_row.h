// SPDX-License-Identifier: Apache-2.0
// A contiguous row of the gradients of softmax, or elements of VEC adjacent rows: loads, terms of the row's sum and
// stores of vectors of VEC elements.
// -D: DST, DIFF_DST, DIFF_SRC (prim__ocl_options_type()), IS_LOG, VEC = 4, 8, 16.
#ifndef CLH_SOFTMAX_BACKWARD_ROW_H
#define CLH_SOFTMAX_BACKWARD_ROW_H

#if !defined(DST_DT) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(IS_LOG)
#error "clh/softmax_backward_row.h needs DST, DIFF_DST, DIFF_SRC, IS_LOG"
#endif

#include "clh/nest.h"
#include "clh/vec_sum.h"

// n is 0 for work-items behind the last row, which take part in the reductions alone.
typedef struct {
    __global const DST_T *dst;
    __global const DIFF_DST_T *diff_dst;
    __global DIFF_SRC_T *diff_src;
    long n;
    bool is_whole; // full vectors, all of them aligned
} row_t;

// VEC neighbours of dst and of diff_dst.
typedef struct {
    floatv y, g;
} pair_t;

// Of the tensors in the nest's order: diff_src, dst, diff_dst.
static inline row_t row_of(__global DIFF_SRC_T *diff_src, __global const DST_T *dst,
        __global const DIFF_DST_T *diff_dst, nest_at_t at, long n)
{
    row_t row = {dst + at.offs[1], diff_dst + at.offs[2], diff_src + at.offs[0], n, false};
    row.is_whole = n % VEC == 0 && ARE_ALIGNED(DST_T, VEC, row.dst, 0) &&
            ARE_ALIGNED(DIFF_DST_T, VEC, row.diff_dst, 0) &&
            ARE_ALIGNED(DIFF_SRC_T, VEC, row.diff_src, 0);
    return row;
}

// Zeros behind the end.
static inline pair_t load_some(const row_t *row, long i)
{
    float y[VEC], g[VEC];
    for (int k = 0; k < VEC; ++k) {
        y[k] = i + k < row->n ? DST_LOAD(row->dst, i + k) : 0.0f;
        g[k] = i + k < row->n ? DIFF_DST_LOAD(row->diff_dst, i + k) : 0.0f;
    }
    const pair_t x = {vloadv(y), vloadv(g)};
    return x;
}

// The same inside the row, at any alignment.
static inline pair_t load_inside(const row_t *row, long i)
{
    const pair_t x = {DST_LOADV(row->dst, i), VEC_FORM(DIFF_DST, LOAD)(row->diff_dst, i)};
    return x;
}

// The same of a row that is whole.
static inline pair_t load_whole(const row_t *row, long i)
{
    pair_t x = {(floatv)(0.0f), (floatv)(0.0f)};
    if (i < row->n) {
        x.y = DST_LOADV(AS_ALIGNED(DST_T, VEC, row->dst + i), 0);
        x.g = VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, row->diff_dst + i), 0);
    }
    return x;
}

// What they add to the row's sum.
static inline floatv terms(pair_t x)
{
    return IS_LOG ? x.g : x.y * x.g;
}

// What becomes of them with those sums, which are the same within a row.
static inline floatv gradient(pair_t x, floatv sum)
{
    return IS_LOG ? x.g - exp(x.y) * sum : x.y * (x.g - sum);
}

static inline void store_inside(const row_t *row, long i, pair_t x, floatv sum)
{
    VEC_FORM(DIFF_SRC, STORE)(row->diff_src, i, gradient(x, sum));
}

// The same of a row that is whole.
static inline void store_whole(const row_t *row, long i, pair_t x, floatv sum)
{
    VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, row->diff_src + i), 0, gradient(x, sum));
}

// Nothing is stored behind the end.
static inline void store(const row_t *row, long i, pair_t x, floatv sum)
{
    if (i >= row->n) return;
    if (row->is_whole) {
        store_whole(row, i, x, sum);
        return;
    }
    float parts[VEC];
    vstorev(gradient(x, sum), parts);
    for (int k = 0; k < VEC && i + k < row->n; ++k) DIFF_SRC_STORE(row->diff_src, i + k, parts[k]);
}

#endif
