// SPDX-License-Identifier: Apache-2.0
// simd:prelu:backward_row_vector: both gradients of PReLU in one pass over src, in vectors along
// rows. Along a row the weights are one value, whose sum is the row's, or change with every
// element: then there is a sum for each column.
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"
#include "simd_gradients.h"
#include "simd_nest.h"

extern const impl_t prim__simd_prelu_backward_row_vector;

enum { DIFF_SRC, DIFF_DST, SRC, WEIGHTS, DIFF_WEIGHTS, NTENSORS };

enum {
    UNITS = 64,         ///< of work, at least, where the sums can be split
    UNIT_ELEMS = 16384, ///< that pay for one
    FLUSH_ROWS = 64,    ///< whose columns are added in f32
};

static const int args[NTENSORS] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC,
        PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_WEIGHTS};

/// Some of the loops of src. Where they hold the innermost one, it is cut into rows.
typedef struct {
    simd_nest_t nest;
    prim_dim_t row_elems; ///< of the innermost loop; 1: it is not cut
    prim_dim_t npieces;   ///< of the innermost loop
    prim_dim_t n;         ///< pieces in all
} side_t;

typedef struct {
    prim_desc_t base;
    side_t kept, summed; ///< loops along which weights change, and the others
    bool has_columns;    ///< rows go along weights
    prim_dim_t nsplits;  ///< of a sum
    prim_dim_t nsums;    ///< of a unit of work
} prelu_pd_t;

_Static_assert(offsetof(prelu_pd_t, base) == 0, "the base comes first");

static void side_init(side_t *side, const simd_nest_t *nest, bool is_kept)
{
    side->nest = (simd_nest_t){.ntensors = NTENSORS};
    side->row_elems = 1;
    for (int i = 0; i < nest->nloops; ++i) {
        // Weights may be a broadcast along a dimension that they have, their gradient never is.
        if ((nest->loops[i].strides[DIFF_WEIGHTS] != 0) != is_kept) continue;
        side->nest.loops[side->nest.nloops++] = nest->loops[i];
        if (i == nest->nloops - 1) side->row_elems = SIMD_ROW;
    }
    if (side->nest.nloops == 0) side->nest.loops[side->nest.nloops++] = (simd_loop_t){.n = 1};
    const prim_dim_t inner = side->nest.loops[side->nest.nloops - 1].n;
    side->npieces = prim__ceil_div(inner, side->row_elems);
    side->n = prim__simd_nest_nelems(&side->nest) / inner * side->npieces;
}

/// Where piece `index` starts; its number of elements.
static prim_dim_t find_piece(const side_t *side, prim_dim_t index, prim_dim_t *offsets)
{
    const prim_dim_t inner = side->nest.loops[side->nest.nloops - 1].n;
    const prim_dim_t first = index % side->npieces * side->row_elems;
    prim__simd_nest_offsets(&side->nest, index / side->npieces * inner + first, offsets);
    return prim__min(inner - first, side->row_elems);
}

/// The number of splits does not depend on that of threads, so that the bits of a sum do not.
static void choose_splits(prelu_pd_t *pd, prim_dim_t nelems)
{
    const prim_dim_t most = prim__min(pd->summed.n, nelems / pd->kept.n / UNIT_ELEMS);
    pd->nsplits = prim__max(prim__min(prim__ceil_div(UNITS, pd->kept.n), most), 1);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    prelu_pd_t *const pd = (prelu_pd_t *)base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *tensors[NTENSORS];
    for (int t = 0; t < NTENSORS; ++t) {
        tensors[t] = prim__pd_md(base, args[t]);
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "a tensor is not f32, f16 or bf16");
    }
    simd_nest_t nest;
    TRY(prim__simd_nest_init(&nest, base, tensors, NTENSORS));
    REQUIRE(base, !prim__md_is_empty(tensors[SRC]), "src has no elements");
    side_init(&pd->kept, &nest, true);
    side_init(&pd->summed, &nest, false);
    pd->has_columns = pd->kept.row_elems > 1;
    pd->nsums = pd->has_columns ? prim__min(prim__simd_nest_nelems(&pd->kept.nest), SIMD_ROW) : 1;
    choose_splits(pd, prim__simd_nest_nelems(&nest));
    if (pd->nsplits > 1)
        (void)prim__pd_book_scratchpad(
                base, (size_t)(pd->kept.n * pd->nsplits * pd->nsums) * sizeof(double));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const prelu_pd_t *pd;
    const prim_dim_t *strides; ///< along rows
    const simd_convert_code_t *convert;
    const simd_gradients_code_t *code;
    simd_array_t arrays[NTENSORS];
    double *partial; ///< [piece of weights][split][nsums]; NULL: sums are whole
} run_t;

/// A row of src: its gradient, and its share of the sums, one or a row of them.
static void differentiate_row(
        const run_t *run, const prim_dim_t *offsets, const float *slopes, float *sums, prim_dim_t n)
{
    const simd_array_t *const arrays = run->arrays;
    const prim_dim_t *const strides = run->strides;
    float src_room[SIMD_ROW], diff_room[SIMD_ROW];
    const float *const x =
            prim__simd_read(run->convert, src_room, &arrays[SRC], offsets[SRC], strides[SRC], n);
    const float *const y = prim__simd_read(
            run->convert, diff_room, &arrays[DIFF_DST], offsets[DIFF_DST], strides[DIFF_DST], n);
    float *const row =
            prim__simd_row(diff_room, &arrays[DIFF_SRC], offsets[DIFF_SRC], strides[DIFF_SRC]);
    if (run->pd->has_columns)
        run->code->prelu_columns(sums, row, y, x, slopes, n);
    else
        *sums += run->code->prelu(row, y, x, *slopes, n);
    prim__simd_write(run->convert, &arrays[DIFF_SRC], offsets[DIFF_SRC], strides[DIFF_SRC], row, n);
}

/// sums += row, which starts again from 0.
static void flush(double *sums, float *row, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        sums[i] += (double)row[i];
        row[i] = 0;
    }
}

/// Pieces first ≤ i < past of the summed loops, for the weights at `kept`.
static void sum_pieces(const run_t *run, const prim_dim_t *kept, prim_dim_t nweights, double *sums,
        prim_dim_t first, prim_dim_t past)
{
    const prelu_pd_t *const pd = run->pd;
    float slope_room[SIMD_ROW], row[SIMD_ROW] = {0};
    const prim_dim_t stride = pd->has_columns ? run->strides[WEIGHTS] : 1;
    const float *const slopes = prim__simd_read(
            run->convert, slope_room, &run->arrays[WEIGHTS], kept[WEIGHTS], stride, nweights);
    const prim_dim_t nflush = pd->has_columns ? FLUSH_ROWS : 1;
    for (prim_dim_t i = first; i < past; ++i) {
        prim_dim_t offsets[SIMD_NEST_TENSORS];
        const prim_dim_t n = find_piece(&pd->summed, i, offsets);
        for (int t = 0; t < NTENSORS; ++t) offsets[t] += kept[t];
        differentiate_row(run, offsets, slopes, row, pd->has_columns ? nweights : n);
        if ((i - first) % nflush == nflush - 1 || i == past - 1) flush(sums, row, nweights);
    }
}

static void write_sums(const run_t *run, const prim_dim_t *kept, const double *sums, prim_dim_t n)
{
    float row[SIMD_ROW];
    for (prim_dim_t i = 0; i < n; ++i) row[i] = (float)sums[i];
    const prim_dim_t stride = run->pd->has_columns ? run->strides[DIFF_WEIGHTS] : 1;
    prim__simd_write(run->convert, &run->arrays[DIFF_WEIGHTS], kept[DIFF_WEIGHTS], stride, row, n);
}

static void differentiate_unit(prim_dim_t unit, void *arg)
{
    const run_t *const run = arg;
    const prelu_pd_t *const pd = run->pd;
    prim_dim_t kept[SIMD_NEST_TENSORS], first, past;
    double sums[SIMD_ROW] = {0};
    const prim_dim_t n = find_piece(&pd->kept, unit / pd->nsplits, kept);
    prim__balance211(pd->summed.n, (int)pd->nsplits, (int)(unit % pd->nsplits), &first, &past);
    sum_pieces(run, kept, n, sums, first, past);
    if (run->partial)
        memcpy(run->partial + unit * pd->nsums, sums, (size_t)n * sizeof *sums);
    else
        write_sums(run, kept, sums, n);
}

static void add_splits(prim_dim_t piece, void *arg)
{
    const run_t *const run = arg;
    const prelu_pd_t *const pd = run->pd;
    prim_dim_t kept[SIMD_NEST_TENSORS];
    double sums[SIMD_ROW] = {0};
    const prim_dim_t n = find_piece(&pd->kept, piece, kept);
    for (prim_dim_t s = 0; s < pd->nsplits; ++s) {
        const double *const partial = run->partial + (piece * pd->nsplits + s) * pd->nsums;
        for (prim_dim_t i = 0; i < n; ++i) sums[i] += partial[i];
    }
    write_sums(run, kept, sums, n);
}

static void clear_padding(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    prim__ref_clear_padding(prim__ref_pointer(ctx, arg), prim__pd_md(pd, arg));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prelu_pd_t *const pd = (const prelu_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .strides = prim__simd_nest_strides(pd->has_columns ? &pd->kept.nest : &pd->summed.nest),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_gradients_code)};
    for (int t = 0; t < NTENSORS; ++t) run.arrays[t] = prim__simd_array(base, ctx, args[t]);
    if (pd->nsplits > 1) run.partial = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim__parallel_for(pd->kept.n * pd->nsplits, differentiate_unit, &run);
    if (run.partial) prim__parallel_for(pd->kept.n, add_splits, &run);
    clear_padding(base, ctx, PRIM_ARG_DIFF_SRC);
    clear_padding(base, ctx, PRIM_ARG_DIFF_WEIGHTS);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_prelu_backward_row_vector = {
        .name = "simd:prelu:backward_row_vector",
        .pd_size = sizeof(prelu_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
