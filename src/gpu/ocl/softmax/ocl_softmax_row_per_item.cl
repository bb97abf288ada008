// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis: a work-item computes whole rows in vectors along the row. For CPU-type devices,
// and for very short rows.
//
//   nest           loops outside the axis; tensor 0 dst, 1 src
//   src, src_off   rows of [n] SRC_T
//   dst, dst_off   rows of [n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n              elements of a row
//   per_item       rows per work-item
//   nrows          all rows
//   POST_OPS       without operands
// Grid: x ≥ ceil(nrows / per_item). Numerics: f32; sums of RUN vectors, then their sum, then a tree over the
// lanes of the vector.
// -D: VEC; KEPT: rows of up to so many elements, a multiple of VEC, are pipelined: one row is stored while the next
// one is summed, whose e^(x − max) stay in private memory, and the maximum of the row after it is found in the same
// loop (above 2048 elements it is estimated), so that memory is never idle; 0: no pipeline. Those of
// clh/softmax.h.
#ifndef KEPT
#error "ocl_softmax_row_per_item needs KEPT"
#endif

#include "clh/nest.h"
#include "clh/softmax.h"
#include "clh/vec_math.h"

// Vectors added up before their sum joins the row's: long rows keep their digits.
#define RUN 64L

#define KEEPS_EXP (!IS_LOG && KEPT > 0)

// Long rows leave the first cache before they are read again, so the maximum of their first elements does
// instead of the row's, until a run has one so far above that e^(x − top) would lose digits.
#define GUESSES (KEEPS_EXP && KEPT > 2048)
#define HEAD 256L
#define NEAR 8.0f

// Elements of a row that are whole vectors; the others come one by one, for Mesa's llvmpipe compiles
// a vector of elements and infinities into wrong sums.
#define WHOLE(n) ((n) & -(long)VEC)

#if defined(NONTEMPORAL)
// Prefetches two pages ahead of the first reading: the hardware prefetcher alone is too late here,
// for the loop's arithmetic fills the window in which it looks ahead.
#define FETCH_AHEAD(p) PREFETCH_LINE((p) + 8192 / sizeof(SRC_T))
#else
#define FETCH_AHEAD(p)
#endif

typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    float top, rest; // rest: 1/sum, or its logarithm
} row_t;

// A NaN is passed over.
static inline floatv take_larger(floatv top, floatv x)
{
    return x > top ? x : top;
}

static inline float row_max(__global const SRC_T *src, long n)
{
    floatv tops = (floatv)(-INFINITY);
    for (long i = 0; i < WHOLE(n); i += VEC) tops = take_larger(tops, SRC_LOADV(src, i));
    float top = vec_max(tops);
    for (long i = WHOLE(n); i < n; ++i) top = fmax(top, SRC_LOAD(src, i));
    return top;
}

// A whole vector.
static inline void store_row(__global DST_T *dst, long i, floatv y, const softmax_end_t *end)
{
#if WITH_POST_OPS
    float x[VEC];
    vstorev(y, x);
    for (int k = 0; k < VEC; ++k) DST_STORE(dst, i + k, softmax_finish(end, x[k], dst + i + k));
#elif WITH_SCALES
    DST_STOREV(dst, i, y * end->mul / end->div);
#else
    DST_STOREV(dst, i, y);
#endif
}

#if GUESSES

// The sum of e^(x − top) of elements first … last − 1, which are kept, and *top becomes their maximum. Elements
// of `done` that were kept are stored times `share`, unless it is null.
static inline floatv run_sum(const row_t *row, const row_t *done, float share, floatv *kept, long first,
        long last, bool is_kept, float *top, const softmax_end_t *end)
{
    floatv sum = (floatv)(0.0f), tops = (floatv)(-INFINITY);
    for (long i = first; i < last; i += VEC) {
        FETCH_AHEAD(row->src + i);
        if (done) store_row(done->dst, i, kept[i / VEC] * share, end);
        const floatv x = SRC_LOADV(row->src, i);
        const floatv e = vec_exp(x - *top);
        tops = take_larger(tops, x);
        sum += e;
        if (is_kept) kept[i / VEC] = e;
    }
    *top = vec_max(tops);
    return sum;
}

// The sum of a row of e^(x − row->top), which is near the maximum or above. shares[r] is what the exponentials of
// run r in `kept` are multiplied by in the end, of `done` before.
static inline float row_sum(row_t *row, const row_t *done, floatv *kept, float *shares, long n,
        const softmax_end_t *end)
{
    const bool is_kept = n <= KEPT;
    floatv sums = (floatv)(0.0f);
    // Finite: −∞ less itself is no number.
    float ref = fmax(row_max(row->src, min(n, HEAD)), -FLT_MAX);
    for (long first = 0, r = 0; first < WHOLE(n); first += RUN * VEC, ++r) {
        const long last = min(first + RUN * VEC, WHOLE(n));
        const row_t *waiting = done;
        while (true) {
            float top = ref;
            const float share = waiting ? shares[r] : 0.0f;
            const floatv sum = run_sum(row, waiting, share, kept, first, last, is_kept, &top, end);
            if (top - ref <= NEAR || top == ref) {
                sums += sum;
                break;
            }
            // Once more, from there.
            sums *= exp(ref - top);
            ref = top;
            waiting = 0;
        }
        if (is_kept) shares[r] = ref;
    }
    float sum = vec_sum(sums), top = ref;
    for (long i = WHOLE(n); i < n; ++i) top = fmax(top, SRC_LOAD(row->src, i));
    sum *= exp(ref - top);
    for (long i = WHOLE(n); i < n; ++i) sum += exp(SRC_LOAD(row->src, i) - top);
    row->top = top;
    for (long r = 0; is_kept && r * RUN * VEC < WHOLE(n); ++r) shares[r] = exp(shares[r] - top) / sum;
    return sum;
}

#else

static inline floatv result(const row_t *row, const floatv *kept, long i)
{
#if KEEPS_EXP
    return kept[i / VEC] * row->rest;
#else
    return SRC_LOADV(row->src, i) - row->top - row->rest;
#endif
}

// The sum of a row whose maximum is known, with its exponentials in `kept`; the maximum of the next one;
// and the stores of the one before, unless it is null.
static inline float row_sum(const row_t *row, row_t *next, const row_t *done, floatv *kept, long n,
        const softmax_end_t *end)
{
    floatv sums = (floatv)(0.0f), tops = (floatv)(-INFINITY);
    for (long first = 0; first < WHOLE(n); first += RUN * VEC) {
        const long last = min(first + RUN * VEC, WHOLE(n));
        floatv part = (floatv)(0.0f);
        for (long i = first; i < last; i += VEC) {
#if KEPT > 0
            FETCH_AHEAD(next->src + i);
            if (done) store_row(done->dst, i, result(done, kept, i), end);
            tops = take_larger(tops, SRC_LOADV(next->src, i));
#endif
            const floatv e = vec_exp(SRC_LOADV(row->src, i) - row->top);
            part += e;
#if KEEPS_EXP
            if (n <= KEPT) kept[i / VEC] = e;
#endif
        }
        sums += part;
    }
    float sum = vec_sum(sums), top = vec_max(tops);
    for (long i = WHOLE(n); i < n; ++i) {
        sum += exp(SRC_LOAD(row->src, i) - row->top);
#if KEPT > 0
        top = fmax(top, SRC_LOAD(next->src, i));
#endif
    }
    next->top = top;
    return sum;
}

#endif

static inline void finish_vectors(const row_t *row, long n, const softmax_end_t *end)
{
    for (long i = 0; i < WHOLE(n); i += VEC) {
        const floatv x = SRC_LOADV(row->src, i) - row->top;
        store_row(row->dst, i, IS_LOG ? x - row->rest : vec_exp(x) * row->rest, end);
    }
}

static inline void finish_tail(const row_t *row, long n, const softmax_end_t *end)
{
    for (long i = WHOLE(n); i < n; ++i) {
        const float x = SRC_LOAD(row->src, i) - row->top;
        const float y = IS_LOG ? x - row->rest : exp(x) * row->rest;
        DST_STORE(row->dst, i, softmax_finish(end, y, row->dst + i));
    }
}

__kernel void softmax_row_per_item(__constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, long n, long per_item,
        long nrows POST_OPS_PARAMS)
{
    const softmax_end_t ends = SOFTMAX_END;
    const long first = (long)get_global_id(0) * per_item, end = min(first + per_item, nrows);
    if (first >= end) return;
#if KEEPS_EXP
    floatv kept[KEPT / VEC];
#if GUESSES
    float shares[KEPT / VEC / RUN];
#endif
#else
    floatv *const kept = 0;
#endif
    const bool is_kept = n <= KEPT;
    const long run = nest->extents[NEST_ROW - 1];
    long place = first - div_long(first, run) * run; // in the last of the outer loops
    nest_at_t at = nest_at(nest, first);
    src += src_off;
    dst += dst_off;
    row_t row = {src + at.offs[1], dst + at.offs[0], 0.0f, 0.0f}, done = row;
#if !GUESSES
    row.top = row_max(row.src, n);
#endif
    for (long index = first; index < end; ++index) {
        if (++place < run) {
            at.offs[0] += nest->strides[0][NEST_ROW - 1];
            at.offs[1] += nest->strides[1][NEST_ROW - 1];
        } else if (index + 1 < end) {
            at = nest_at(nest, index + 1);
            place = 0;
        }
        row_t next = row;
        if (index + 1 < end) {
            next.src = src + at.offs[1];
            next.dst = dst + at.offs[0];
        }
        const row_t *const waiting = is_kept && index > first ? &done : 0;
#if GUESSES
        const float sum = row_sum(&row, waiting, kept, shares, n, &ends);
#else
        const float sum = row_sum(&row, &next, waiting, kept, n, &ends);
#endif
        row.rest = IS_LOG ? log(sum) : 1.0f / sum;
        if (!is_kept) finish_vectors(&row, n, &ends);
        finish_tail(&row, n, &ends);
#if KEPT == 0
        if (index + 1 < end) next.top = row_max(next.src, n);
#endif
        done = row;
        row = next;
    }
#if GUESSES
    for (long i = 0; is_kept && i < WHOLE(n); i += VEC)
        store_row(done.dst, i, kept[i / VEC] * shares[i / (RUN * VEC)], &ends);
#elif KEPT > 0
    for (long i = 0; is_kept && i < WHOLE(n); i += VEC)
        store_row(done.dst, i, result(&done, kept, i), &ends);
#endif
}
