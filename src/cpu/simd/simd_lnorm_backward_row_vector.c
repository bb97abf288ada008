// SPDX-License-Identifier: Apache-2.0
// simd:lnorm:backward_row_vector: the gradients of layer normalisation in vectors along the last
// dimension. A row is read once for its sums and once for diff_src. Gradients of scale and shift
// are added up in f32 over a segment of rows, whose bounds depend on the shape alone, and over the
// segments in double.
#include <math.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"
#include "simd_gradients.h"
#include "simd_nest.h"
#include "simd_statistics.h"

extern const impl_t prim__simd_lnorm_backward_row_vector;

enum { DIFF_SRC, DIFF_DST, SRC, MEAN, VARIANCE, NTENSORS };
enum {
    KEPT_ELEMS = 2048, ///< of a row that is kept on the stack
    SEGMENTS = 32,     ///< that the rows are split into, about
    SEGMENT_LEAST = 8,
    SEGMENT_MOST = 64,    ///< rows of one
    SEGMENT_ELEMS = 8192, ///< of one without gradients of scale or shift
};

typedef struct {
    prim_desc_t base;
    prim_dim_t naxis, nrows, segment_rows;
    bool has_sums;                ///< diff_scale or diff_shift
    prim_dim_t strides[NTENSORS]; ///< along the last dimension
    simd_nest_t nest;             ///< of the others
} lnorm_pd_t;

_Static_assert(offsetof(lnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t require_types(prim_desc_t *base)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC, PRIM_ARG_SCALE,
            PRIM_ARG_DIFF_SCALE, PRIM_ARG_DIFF_SHIFT};
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i)
        REQUIRE(base,
                !prim__pd_has(base, args[i]) ||
                        prim__simd_takes_type(prim__pd_md(base, args[i])->data_type),
                "a tensor is not f32, f16 or bf16");
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    lnorm_pd_t *const pd = (lnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    TRY(require_types(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    prim_memory_desc_t statistics;
    prim__simd_expand_statistics(&statistics, src, prim__pd_md(base, PRIM_ARG_MEAN));
    const prim_memory_desc_t *const tensors[NTENSORS] = {
            [DIFF_SRC] = prim__pd_md(base, PRIM_ARG_DIFF_SRC),
            [DIFF_DST] = prim__pd_md(base, PRIM_ARG_DIFF_DST),
            [SRC] = src,
            [MEAN] = &statistics,
            [VARIANCE] = &statistics};
    pd->naxis = src->dims[src->ndims - 1];
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    TRY(prim__simd_nest_init_around(
            &pd->nest, pd->strides, base, tensors, NTENSORS, src->ndims - 1));
    pd->nrows = prim__simd_nest_nelems(&pd->nest);
    pd->has_sums =
            prim__pd_has(base, PRIM_ARG_DIFF_SCALE) || prim__pd_has(base, PRIM_ARG_DIFF_SHIFT);
    pd->segment_rows = prim__ceil_div(SEGMENT_ELEMS, pd->naxis);
    if (!pd->has_sums) return PRIM_SUCCESS;
    const prim_dim_t nrows = prim__ceil_div(pd->nrows, SEGMENTS);
    pd->segment_rows = prim__min(prim__max(nrows, SEGMENT_LEAST), SEGMENT_MOST);
    const size_t nsegments = (size_t)prim__ceil_div(pd->nrows, pd->segment_rows);
    (void)prim__pd_book_scratchpad(base, nsegments * 2 * (size_t)pd->naxis * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const lnorm_pd_t *pd;
    const simd_convert_code_t *convert;
    const simd_gradients_code_t *code;
    bool are_constants; ///< the statistics
    double epsilon;
    simd_array_t arrays[NTENSORS];
    simd_array_t scale, diff_scale, diff_shift; ///< base NULL: absent
    float *partial; ///< [segment][2][naxis]: Σ y, and Σ y times the normalised src
} run_t;

/// A row.
typedef struct {
    const run_t *run;
    prim_dim_t offsets[NTENSORS];
    simd_line_t diff, src;
    float mean, factor;
    float *gradients, *products; ///< of the segment; NULL: not wanted
} row_t;

/// A piece of the scale; NULL: absent.
static const float *read_scale(const run_t *run, float *room, prim_dim_t at, prim_dim_t n)
{
    return run->scale.base ? prim__simd_read(run->convert, room, &run->scale, at, 1, n) : NULL;
}

/// The row's share of Σ g and Σ g·(x − mean), and of the sums of its segment.
static void sum_row(const row_t *row, double *gradients, double *products)
{
    const run_t *const run = row->run;
    for (prim_dim_t at = 0; at < run->pd->naxis; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW], scale_room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->naxis - at, SIMD_ROW);
        const float *const y = prim__simd_line_piece(&row->diff, diff_room, at, n);
        const float *const x = prim__simd_line_piece(&row->src, src_room, at, n);
        if (row->gradients)
            run->code->sum_columns(
                    row->gradients + at, row->products + at, y, x, row->mean, row->factor, n);
        if (run->are_constants) continue;
        const simd_gradient_sums_t sums =
                run->code->sum(y, x, read_scale(run, scale_room, at, n), row->mean, n);
        *gradients += (double)sums.gradients;
        *products += (double)sums.products;
    }
}

/// diff_src = r·(g − mean(g) − (x − mean)·r²·mean(g·(x − mean))), with r = 1/√(variance + ε).
static void write_row(const row_t *row, double gradients, double products)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    const double factor = (double)row->factor, nelems = (double)pd->naxis;
    const simd_gradient_map_t map = {.mean = row->mean,
            .factor = row->factor,
            .shift = (float)(factor * gradients / nelems),
            .slope = (float)(factor * factor * factor * products / nelems)};
    const simd_array_t *const to = &run->arrays[DIFF_SRC];
    for (prim_dim_t at = 0; at < pd->naxis; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW], scale_room[SIMD_ROW];
        const prim_dim_t n = prim__min(pd->naxis - at, SIMD_ROW), stride = pd->strides[DIFF_SRC];
        const prim_dim_t offset = row->offsets[DIFF_SRC] + at * stride;
        const float *const y = prim__simd_line_piece(&row->diff, diff_room, at, n);
        const float *const x = prim__simd_line_piece(&row->src, src_room, at, n);
        float *const out = prim__simd_row(src_room, to, offset, stride);
        run->code->map(out, y, x, read_scale(run, scale_room, at, n), &map, n);
        prim__simd_write(run->convert, to, offset, stride, out, n);
    }
}

static float statistic(const row_t *row, int tensor)
{
    const simd_array_t *const array = &row->run->arrays[tensor];
    return *(const float *)prim__simd_at(array, row->offsets[tensor]);
}

static void differentiate_row(row_t *row)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    const prim_dim_t *const strides = pd->strides, *const offsets = row->offsets;
    float diff_kept[KEPT_ELEMS], src_kept[KEPT_ELEMS];
    row->diff = prim__simd_line(run->convert, diff_kept, KEPT_ELEMS, &run->arrays[DIFF_DST],
            offsets[DIFF_DST], strides[DIFF_DST], pd->naxis);
    row->src = prim__simd_line(run->convert, src_kept, KEPT_ELEMS, &run->arrays[SRC], offsets[SRC],
            strides[SRC], pd->naxis);
    row->mean = statistic(row, MEAN);
    row->factor = (float)(1 / sqrt((double)statistic(row, VARIANCE) + run->epsilon));
    double gradients = 0, products = 0;
    if (row->gradients || !run->are_constants) sum_row(row, &gradients, &products);
    write_row(row, gradients, products);
}

static void differentiate_segment(prim_dim_t segment, void *arg)
{
    const run_t *const run = arg;
    const lnorm_pd_t *const pd = run->pd;
    const prim_dim_t first = segment * pd->segment_rows;
    row_t row = {.run = run};
    if (run->partial) {
        row.gradients = run->partial + segment * 2 * pd->naxis;
        row.products = row.gradients + pd->naxis;
        for (prim_dim_t i = 0; i < 2 * pd->naxis; ++i) row.gradients[i] = 0.0F;
    }
    for (prim_dim_t i = first; i < prim__min(first + pd->segment_rows, pd->nrows); ++i) {
        prim__simd_nest_offsets(&pd->nest, i, row.offsets);
        differentiate_row(&row);
    }
}

/// Up to SIMD_ROW neighbouring elements of diff_shift (k = 0) or diff_scale (k = 1).
static void add_segments(const run_t *run, const simd_array_t *to, int k, prim_dim_t at)
{
    const lnorm_pd_t *const pd = run->pd;
    const prim_dim_t n = prim__min(pd->naxis - at, SIMD_ROW);
    const prim_dim_t nsegments = prim__ceil_div(pd->nrows, pd->segment_rows);
    double sums[SIMD_ROW] = {0};
    float row[SIMD_ROW];
    for (prim_dim_t s = 0; s < nsegments; ++s) {
        const float *const partial = run->partial + (s * 2 + k) * pd->naxis + at;
        for (prim_dim_t i = 0; i < n; ++i) sums[i] += (double)partial[i];
    }
    for (prim_dim_t i = 0; i < n; ++i) row[i] = (float)sums[i];
    prim__simd_write(run->convert, to, at, 1, row, n);
}

static void write_parameters(prim_dim_t piece, void *arg)
{
    const run_t *const run = arg;
    if (run->diff_shift.base) add_segments(run, &run->diff_shift, 0, piece * SIMD_ROW);
    if (run->diff_scale.base) add_segments(run, &run->diff_scale, 1, piece * SIMD_ROW);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int args[NTENSORS] = {
            PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE};
    const lnorm_pd_t *const pd = (const lnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_gradients_code),
            .are_constants = base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .epsilon = (double)base->op.u.norm.epsilon,
            .scale = prim__simd_array_if_any(base, ctx, PRIM_ARG_SCALE),
            .diff_scale = prim__simd_array_if_any(base, ctx, PRIM_ARG_DIFF_SCALE),
            .diff_shift = prim__simd_array_if_any(base, ctx, PRIM_ARG_DIFF_SHIFT)};
    for (int t = 0; t < NTENSORS; ++t) run.arrays[t] = prim__simd_array(base, ctx, args[t]);
    if (pd->has_sums) run.partial = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim__parallel_for(prim__ceil_div(pd->nrows, pd->segment_rows), differentiate_segment, &run);
    if (pd->has_sums)
        prim__parallel_for(prim__ceil_div(pd->naxis, SIMD_ROW), write_parameters, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_lnorm_backward_row_vector = {
        .name = "simd:lnorm:backward_row_vector",
        .pd_size = sizeof(lnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
