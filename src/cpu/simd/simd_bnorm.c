// SPDX-License-Identifier: Apache-2.0
// The walks of batch normalisation over contiguous tensors.
#include "simd_bnorm.h"

#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_float_rows.h"

enum {
    BLOCK_ROWS = 64, ///< whose sums are in f32
    NSEGMENTS = 32,
    LEAST_ROWS = 8,    ///< of a segment
    SHORT_PLANE = 128, ///< elements up to which planes go together
};

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
    const bool is_last = src->strides[1] == 1 && (b->nchannels > 1 || plane == 1);
    REQUIRE(pd,
            is_last || ((b->nchannels == 1 || src->strides[1] == plane) &&
                               (src->dims[0] == 1 || src->strides[0] == plane * b->nchannels)),
            "src is neither NHWC nor NCHW");
    b->run = is_last ? 1 : plane;
    b->is_plane = b->run > SHORT_PLANE;
    return PRIM_SUCCESS;
}

static void choose_segments(simd_bnorm_t *b)
{
    if (b->is_plane) {
        b->segment_elems = b->run;
        b->nsegments = b->nelems / b->run;
        b->period = b->width = prim__min(b->run, SIMD_BNORM_ROW);
        return;
    }
    const prim_dim_t image = b->nchannels * b->run;
    b->period = image * prim__max(SIMD_BNORM_ROW / image, 1);
    b->width = prim__min(b->period, SIMD_BNORM_ROW / b->run * b->run);
    const prim_dim_t nrows = prim__ceil_div(b->nelems, b->period);
    b->segment_elems = b->period * prim__max(prim__ceil_div(nrows, NSEGMENTS), LEAST_ROWS);
    b->nsegments = prim__ceil_div(b->nelems, b->segment_elems);
}

prim_status_t prim__simd_bnorm_init_pd(simd_bnorm_t *b, prim_desc_t *pd)
{
    TRY(find_layout(b, pd));
    TRY(require_tensors(pd, prim__pd_md(pd, PRIM_ARG_SRC)));
    choose_segments(b);
    const size_t nchannels = (size_t)b->nchannels, nsegments = (size_t)b->nsegments;
    const size_t nsums = SIMD_BNORM_SUMS * nsegments * (b->is_plane ? 1 : nchannels);
    b->values_at = prim__pd_book_scratchpad(pd, SIMD_BNORM_TABLES * nchannels * sizeof(float));
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
    const simd_bnorm_pass_t *pass;
    const void *arg;
    const float *values; ///< [SIMD_BNORM_TABLES][nchannels]
    double *partial;     ///< [segment][SIMD_BNORM_SUMS][nchannels, or 1]
    double *totals;
} walk_t;

typedef float sums_t[SIMD_BNORM_SUMS][SIMD_BNORM_ROW];

/// Adds the sums of the runs of row[0..n) to those of their channels: to[channel], to[channel + 1]…
static void add_runs(
        const simd_bnorm_t *b, double *to, prim_dim_t channel, const float *row, prim_dim_t n)
{
    if (b->run == 1 && channel + n <= b->nchannels) { // a loop that compilers vectorise
        for (prim_dim_t i = 0; i < n; ++i) to[channel + i] += (double)row[i];
        return;
    }
    for (const float *const past = row + n; row < past; row += b->run) {
        double sum = 0;
        for (prim_dim_t i = 0; i < b->run; ++i) sum += (double)row[i];
        to[channel] += sum;
        if (++channel == b->nchannels) channel = 0;
    }
}

/// The runs of row[0..n) become the values of their channels.
static void repeat(
        const simd_bnorm_t *b, float *row, const float *values, prim_dim_t channel, prim_dim_t n)
{
    if (b->run == 1 && channel + n <= b->nchannels) {
        memcpy(row, values + channel, (size_t)n * sizeof *row);
        return;
    }
    for (const float *const past = row + n; row < past; row += b->run) {
        for (prim_dim_t i = 0; i < b->run; ++i) row[i] = values[channel];
        if (++channel == b->nchannels) channel = 0;
    }
}

/// Adds the sums of columns first..first+n of the period to those of their channels, and clears
/// them.
static void fold(
        const walk_t *walk, prim_dim_t segment, prim_dim_t first, prim_dim_t n, sums_t sums)
{
    const simd_bnorm_t *const b = walk->b;
    for (int k = 0; k < walk->pass->nsums; ++k) {
        double *const to = walk->partial + (segment * SIMD_BNORM_SUMS + k) * b->nchannels;
        add_runs(b, to, first / b->run % b->nchannels, sums[k], n);
        memset(sums[k], 0, (size_t)n * sizeof *sums[k]);
    }
}

/// Some columns of the period in all rows of a segment.
static void walk_columns(prim_dim_t task, void *arg)
{
    const walk_t *const walk = arg;
    const simd_bnorm_t *const b = walk->b;
    const prim_dim_t npieces = prim__ceil_div(b->period, b->width);
    const prim_dim_t segment = task / npieces, first = task % npieces * b->width;
    const prim_dim_t width = prim__min(b->period - first, b->width);
    const prim_dim_t begin = segment * b->segment_elems;
    const prim_dim_t past = prim__min(begin + b->segment_elems, b->nelems);
    float tables[SIMD_BNORM_TABLES][SIMD_BNORM_ROW];
    sums_t sums;
    simd_bnorm_row_t row = {.at = begin + first};
    for (int t = 0; t < walk->pass->ntables; ++t) {
        row.tables[t] = tables[t];
        repeat(b, tables[t], walk->values + t * b->nchannels, first / b->run % b->nchannels, width);
    }
    for (int k = 0; k < walk->pass->nsums; ++k) {
        row.sums[k] = sums[k];
        memset(sums[k], 0, (size_t)width * sizeof *sums[k]);
    }
    int nrows = 0;
    for (; row.at < past; row.at += b->period) {
        row.n = prim__min(past - row.at, width);
        walk->pass->body(&row, walk->arg);
        if (++nrows % BLOCK_ROWS == 0) fold(walk, segment, first, width, sums);
    }
    if (nrows % BLOCK_ROWS != 0) fold(walk, segment, first, width, sums);
}

static void walk_plane(prim_dim_t plane, void *arg)
{
    const walk_t *const walk = arg;
    const simd_bnorm_t *const b = walk->b;
    const prim_dim_t past = (plane + 1) * b->run;
    simd_bnorm_row_t row = {.is_plane = true, .at = plane * b->run};
    for (int t = 0; t < walk->pass->ntables; ++t)
        row.tables[t] = walk->values + t * b->nchannels + plane % b->nchannels;
    for (; row.at < past; row.at += row.n) {
        float sums[SIMD_BNORM_SUMS] = {0};
        for (int k = 0; k < walk->pass->nsums; ++k) row.sums[k] = &sums[k];
        row.n = prim__min(past - row.at, SIMD_BNORM_ROW);
        walk->pass->body(&row, walk->arg);
        for (int k = 0; k < walk->pass->nsums; ++k)
            walk->partial[plane * SIMD_BNORM_SUMS + k] += (double)sums[k];
    }
}

static walk_t make_walk(const simd_bnorm_t *b, const exec_ctx_t *ctx, const simd_bnorm_pass_t *pass,
        const void *arg)
{
    return (walk_t){.b = b,
            .pass = pass,
            .arg = arg,
            .values = at(ctx, b->values_at),
            .partial = at(ctx, b->partial_at),
            .totals = at(ctx, b->totals_at)};
}

static void walk_all(walk_t *walk)
{
    const simd_bnorm_t *const b = walk->b;
    if (b->is_plane)
        prim__parallel_for(b->nsegments, walk_plane, walk);
    else
        prim__parallel_for(b->nsegments * prim__ceil_div(b->period, b->width), walk_columns, walk);
}

void prim__simd_bnorm_apply(const simd_bnorm_t *b, const exec_ctx_t *ctx,
        const simd_bnorm_pass_t *pass, const void *arg)
{
    walk_t walk = make_walk(b, ctx, pass, arg);
    walk_all(&walk);
}

/// The sums of a channel over the segments, in their order.
static void add_segments(prim_dim_t channel, void *arg)
{
    const walk_t *const walk = arg;
    const simd_bnorm_t *const b = walk->b;
    const prim_dim_t first = b->is_plane ? channel : 0, step = b->is_plane ? b->nchannels : 1;
    const prim_dim_t width = b->is_plane ? 1 : b->nchannels, column = b->is_plane ? 0 : channel;
    for (int k = 0; k < walk->pass->nsums; ++k) {
        double sum = 0;
        for (prim_dim_t s = first; s < b->nsegments; s += step)
            sum += walk->partial[(s * SIMD_BNORM_SUMS + k) * width + column];
        walk->totals[k * b->nchannels + channel] = sum;
    }
}

const double *prim__simd_bnorm_reduce(const simd_bnorm_t *b, const exec_ctx_t *ctx,
        const simd_bnorm_pass_t *pass, const void *arg)
{
    walk_t walk = make_walk(b, ctx, pass, arg);
    const prim_dim_t nsums = b->nsegments * SIMD_BNORM_SUMS * (b->is_plane ? 1 : b->nchannels);
    for (prim_dim_t i = 0; i < nsums; ++i) walk.partial[i] = 0;
    walk_all(&walk);
    prim__parallel_for(b->nchannels, add_segments, &walk);
    return walk.totals;
}
