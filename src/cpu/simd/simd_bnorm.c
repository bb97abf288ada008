// SPDX-License-Identifier: Apache-2.0
// The walks of batch normalisation over contiguous tensors.
#include "simd_bnorm.h"

#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_float_rows.h"
#include "simd_rows.h"

/// Rows whose sums are in f32; segments, and their rows, of NHWC.
enum { BLOCK_ROWS = 64, NSEGMENTS = 32, LEAST_ROWS = 8 };

/// The tensors of src's shape.
static prim_status_t require_tensors(prim_desc_t *pd, const prim_memory_desc_t *src)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_SRC_1, PRIM_ARG_DST, PRIM_ARG_DIFF_DST,
            PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_SRC_1, PRIM_ARG_WORKSPACE};
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i) {
        if (!prim__pd_has(pd, args[i])) continue;
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, args[i] == PRIM_ARG_WORKSPACE || prim__simd_takes_float(md->data_type),
                "a tensor is not f32, f16 or bf16");
        REQUIRE(pd, prim__md_same_layout_moved(md, src), "the tensors differ in layout");
    }
    return PRIM_SUCCESS;
}

/// Channels innermost, or planes of contiguous elements one after the other.
static prim_status_t find_layout(simd_bnorm_t *b, prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    REQUIRE(pd, prim__md_is_plain(src) && prim__md_is_dense(src), "src has gaps or blocks");
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    b->nchannels = src->dims[1];
    b->nelems = prim__md_nelems(src);
    const prim_dim_t plane = b->nelems / src->dims[0] / b->nchannels;
    b->is_last = src->strides[1] == 1 && (b->nchannels > 1 || plane == 1);
    REQUIRE(pd,
            b->is_last || ((b->nchannels == 1 || src->strides[1] == plane) &&
                                  (src->dims[0] == 1 || src->strides[0] == plane * b->nchannels)),
            "src is neither NHWC nor NCHW");
    return PRIM_SUCCESS;
}

static void choose_segments(simd_bnorm_t *b, const prim_desc_t *pd)
{
    if (!b->is_last) {
        b->nsegments = prim__pd_md(pd, PRIM_ARG_SRC)->dims[0] * b->nchannels;
        b->segment_elems = b->nelems / b->nsegments;
        b->period = prim__min(b->segment_elems, SIMD_BNORM_ROW);
        return;
    }
    b->period = b->nchannels * prim__max(SIMD_BNORM_ROW / b->nchannels, 1);
    const prim_dim_t nrows = prim__ceil_div(b->nelems, b->period);
    b->segment_elems = b->period * prim__max(prim__ceil_div(nrows, NSEGMENTS), LEAST_ROWS);
    b->nsegments = prim__ceil_div(b->nelems, b->segment_elems);
}

prim_status_t prim__simd_bnorm_init_pd(simd_bnorm_t *b, prim_desc_t *pd)
{
    TRY(find_layout(b, pd));
    TRY(require_tensors(pd, prim__pd_md(pd, PRIM_ARG_SRC)));
    choose_segments(b, pd);
    const size_t nchannels = (size_t)b->nchannels, nsegments = (size_t)b->nsegments;
    const size_t nsums = SIMD_BNORM_SUMS * nsegments * (b->is_last ? nchannels : 1);
    b->values_at = prim__pd_book_scratchpad(pd, SIMD_BNORM_TABLES * nchannels * sizeof(float));
    b->tables_at = b->values_at;
    if (b->is_last)
        b->tables_at =
                prim__pd_book_scratchpad(pd, SIMD_BNORM_TABLES * (size_t)b->period * sizeof(float));
    b->partial_at = prim__pd_book_scratchpad(pd, nsums * sizeof(double));
    b->totals_at = prim__pd_book_scratchpad(pd, SIMD_BNORM_SUMS * nchannels * sizeof(double));
    return PRIM_SUCCESS;
}

static void *at(const exec_ctx_t *ctx, size_t offset)
{
    return (char *)prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD) + offset;
}

float *prim__simd_bnorm_values(const simd_bnorm_t *b, const exec_ctx_t *ctx, int table)
{
    return (float *)at(ctx, b->values_at) + table * b->nchannels;
}

/// One walk.
typedef struct {
    const simd_bnorm_t *b;
    const float *values, *tables; ///< [SIMD_BNORM_TABLES][channels or period]
    double *partial;              ///< [segment][SIMD_BNORM_SUMS][channels, or 1]; NULL: apply
    double *totals;
    simd_bnorm_body_t *body;
    const void *arg;
} walk_t;

/// Adds the sums of a plane's columns to that of its channel.
static void fold_plane(const walk_t *walk, prim_dim_t segment, prim_dim_t n,
        float sums[SIMD_BNORM_SUMS][SIMD_BNORM_ROW])
{
    for (int k = 0; k < SIMD_BNORM_SUMS; ++k) {
        double *const to = walk->partial + segment * SIMD_BNORM_SUMS + k;
        *to += (double)SIMD_CHOOSE(prim__simd_rows_code)->sum(sums[k], n);
        memset(sums[k], 0, (size_t)n * sizeof *sums[k]);
    }
}

/// Adds the sums of columns first..first+n of the period to those of their channels.
static void fold(const walk_t *walk, prim_dim_t segment, prim_dim_t first, prim_dim_t n,
        float sums[SIMD_BNORM_SUMS][SIMD_BNORM_ROW])
{
    const prim_dim_t nchannels = walk->b->nchannels;
    if (!walk->b->is_last) {
        fold_plane(walk, segment, n, sums);
        return;
    }
    for (int k = 0; k < SIMD_BNORM_SUMS; ++k) {
        double *const to = walk->partial + (segment * SIMD_BNORM_SUMS + k) * nchannels;
        for (prim_dim_t i = 0, c = first % nchannels; i < n; ++i) {
            to[c] += (double)sums[k][i];
            sums[k][i] = 0.0F;
            if (++c == nchannels) c = 0;
        }
    }
}

/// Columns first..first+width of the period, from row->at on to the end of the segment, `past`.
static void walk_columns(const walk_t *walk, prim_dim_t segment, simd_bnorm_row_t *row,
        prim_dim_t first, prim_dim_t width, prim_dim_t past)
{
    float sums[SIMD_BNORM_SUMS][SIMD_BNORM_ROW];
    const bool reduces = walk->partial != NULL;
    for (int k = 0; k < SIMD_BNORM_SUMS && reduces; ++k) {
        row->sums[k] = sums[k];
        for (prim_dim_t i = 0; i < width; ++i) sums[k][i] = 0.0F;
    }
    int nrows = 0;
    for (; row->at < past; row->at += walk->b->period) {
        row->n = prim__min(past - row->at, width);
        walk->body(row, walk->arg);
        if (reduces && ++nrows % BLOCK_ROWS == 0) fold(walk, segment, first, width, sums);
    }
    if (reduces) fold(walk, segment, first, width, sums);
}

static void walk_segment(prim_dim_t segment, void *arg)
{
    const walk_t *const walk = arg;
    const simd_bnorm_t *const b = walk->b;
    const prim_dim_t begin = segment * b->segment_elems;
    const prim_dim_t past = prim__min(begin + b->segment_elems, b->nelems);
    float constants[SIMD_BNORM_TABLES][SIMD_BNORM_ROW];
    if (!b->is_last) {
        for (int t = 0; t < SIMD_BNORM_TABLES; ++t) {
            const float value = walk->values[t * b->nchannels + segment % b->nchannels];
            for (prim_dim_t i = 0; i < b->period; ++i) constants[t][i] = value;
        }
    }
    for (prim_dim_t first = 0; first < b->period; first += SIMD_BNORM_ROW) {
        simd_bnorm_row_t row = {.at = begin + first};
        for (int t = 0; t < SIMD_BNORM_TABLES; ++t)
            row.tables[t] = b->is_last ? walk->tables + t * b->period + first : constants[t];
        walk_columns(
                walk, segment, &row, first, prim__min(b->period - first, SIMD_BNORM_ROW), past);
    }
}

static void init_walk(walk_t *walk, const simd_bnorm_t *b, const exec_ctx_t *ctx)
{
    float *const tables = at(ctx, b->tables_at);
    *walk = (walk_t){.b = b, .values = at(ctx, b->values_at), .tables = tables};
    for (int t = 0; t < SIMD_BNORM_TABLES && b->is_last; ++t)
        for (prim_dim_t i = 0; i < b->period; ++i)
            tables[t * b->period + i] = walk->values[t * b->nchannels + i % b->nchannels];
}

void prim__simd_bnorm_apply(
        const simd_bnorm_t *b, const exec_ctx_t *ctx, simd_bnorm_body_t *body, const void *arg)
{
    walk_t walk;
    init_walk(&walk, b, ctx);
    walk.body = body;
    walk.arg = arg;
    prim__parallel_for(b->nsegments, walk_segment, &walk);
}

/// The sums of a channel over the segments, in their order.
static void add_segments(prim_dim_t channel, void *arg)
{
    const walk_t *const walk = arg;
    const simd_bnorm_t *const b = walk->b;
    const prim_dim_t first = b->is_last ? 0 : channel, step = b->is_last ? 1 : b->nchannels;
    const prim_dim_t width = b->is_last ? b->nchannels : 1, column = b->is_last ? channel : 0;
    for (int k = 0; k < SIMD_BNORM_SUMS; ++k) {
        double sum = 0;
        for (prim_dim_t s = first; s < b->nsegments; s += step)
            sum += walk->partial[(s * SIMD_BNORM_SUMS + k) * width + column];
        walk->totals[k * b->nchannels + channel] = sum;
    }
}

const double *prim__simd_bnorm_reduce(
        const simd_bnorm_t *b, const exec_ctx_t *ctx, simd_bnorm_body_t *body, const void *arg)
{
    walk_t walk;
    init_walk(&walk, b, ctx);
    walk.partial = at(ctx, b->partial_at);
    walk.totals = at(ctx, b->totals_at);
    walk.body = body;
    walk.arg = arg;
    const prim_dim_t nsums = b->nsegments * SIMD_BNORM_SUMS * (b->is_last ? b->nchannels : 1);
    for (prim_dim_t i = 0; i < nsums; ++i) walk.partial[i] = 0;
    prim__parallel_for(b->nsegments, walk_segment, &walk);
    prim__parallel_for(b->nchannels, add_segments, &walk);
    return walk.totals;
}
