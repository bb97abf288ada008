// SPDX-License-Identifier: Apache-2.0
// simd:lnorm:row_vector: layer normalisation in vectors along the last dimension: the mean, the
// squares around it, the results. Rows that are not f32 are converted once, if the stack has room.
#include <math.h>

#include "common/int_math.h"
#include "simd_chain.h"
#include "simd_rows.h"
#include "simd_statistics.h"

extern const impl_t prim__simd_lnorm_row_vector;

enum { DST, SRC, MEAN, VARIANCE, OPERANDS };
enum {
    KEPT_ELEMS = 4096,  ///< of a row that is kept on the stack
    CHUNK_ELEMS = 8192, ///< that pay for a thread, at least
};

typedef struct {
    prim_desc_t base;
    prim_dim_t naxis;
    prim_dim_t strides[SIMD_NEST_TENSORS]; ///< along the last dimension
    simd_nest_t nest;                      ///< of the others
} lnorm_pd_t;

_Static_assert(offsetof(lnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    static const int parameters[] = {PRIM_ARG_SCALE, PRIM_ARG_SHIFT};
    lnorm_pd_t *const pd = (lnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    prim_memory_desc_t statistics;
    prim__simd_expand_statistics(&statistics, dst, prim__pd_md(base, PRIM_ARG_MEAN));
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {[DST] = dst,
            [SRC] = prim__pd_md(base, PRIM_ARG_SRC),
            [MEAN] = &statistics,
            [VARIANCE] = &statistics};
    for (int t = DST; t <= SRC; ++t)
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "src or dst is not f32, f16, bf16, s8 or u8");
    for (int i = 0; i < 2; ++i)
        REQUIRE(base,
                !prim__pd_has(base, parameters[i]) ||
                        prim__simd_takes_type(prim__pd_md(base, parameters[i])->data_type),
                "scale or shift is not f32, f16 or bf16");
    int ntensors = OPERANDS;
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    pd->naxis = dst->dims[dst->ndims - 1];
    REQUIRE(base, pd->naxis > 0, "rows have no elements");
    return prim__simd_nest_init_around(
            &pd->nest, pd->strides, base, tensors, ntensors, dst->ndims - 1);
}

/// One execution.
typedef struct {
    const lnorm_pd_t *pd;
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    bool are_given; ///< the statistics
    double epsilon;
    float src_scale;
    simd_array_t dst, src;
    simd_array_t scale, shift; ///< base NULL: absent
    float *mean, *variance;    ///< or NULL
    simd_chain_t chain;
} run_t;

/// A row.
typedef struct {
    const run_t *run;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    const float *x; ///< NULL: converted piece by piece
    float mean, factor;
} row_t;

/// Elements at..at+n−1 of src as f32.
static const float *read_piece(const row_t *row, float *room, prim_dim_t at, prim_dim_t n)
{
    if (row->x) return row->x + at;
    const run_t *const run = row->run;
    const prim_dim_t stride = run->pd->strides[SRC];
    return prim__simd_read(
            run->convert, room, &run->src, row->offsets[SRC] + at * stride, stride, n);
}

static double sum_row(const row_t *row, bool are_squares)
{
    const run_t *const run = row->run;
    double sum = 0;
    for (prim_dim_t at = 0; at < run->pd->naxis; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->naxis - at, SIMD_ROW);
        const float *const x = read_piece(row, room, at, n);
        sum += (double)(are_squares ? run->rows->sum_squares(x, row->mean, n)
                                    : run->rows->sum(x, n));
    }
    return sum / (double)run->pd->naxis;
}

static void find_statistics(row_t *row)
{
    const run_t *const run = row->run;
    double variance;
    if (run->are_given) {
        row->mean = run->mean[row->offsets[MEAN]];
        variance = (double)run->variance[row->offsets[VARIANCE]];
    } else {
        row->mean = (float)sum_row(row, false);
        variance = sum_row(row, true);
        if (run->mean) {
            run->mean[row->offsets[MEAN]] = row->mean;
            run->variance[row->offsets[VARIANCE]] = (float)variance;
        }
    }
    row->factor = (float)(1 / sqrt(variance + run->epsilon));
}

/// A piece of scale or shift; NULL: absent.
static const float *read_parameter(
        const run_t *run, float *room, const simd_array_t *parameter, prim_dim_t at, prim_dim_t n)
{
    return parameter->base ? prim__simd_read(run->convert, room, parameter, at, 1, n) : NULL;
}

static void write_piece(const row_t *row, prim_dim_t at, prim_dim_t n)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->nest.ntensors; ++t) offsets[t] = row->offsets[t] + at * pd->strides[t];
    float room[SIMD_ROW], out_room[SIMD_ROW], scale_room[SIMD_ROW], shift_room[SIMD_ROW];
    float *const out = prim__simd_row(out_room, &run->dst, offsets[DST], pd->strides[DST]);
    run->rows->normalize(out, read_piece(row, room, at, n), row->mean, row->factor,
            read_parameter(run, scale_room, &run->scale, at, n),
            read_parameter(run, shift_room, &run->shift, at, n), n);
    if (run->src_scale != 1.0F) run->rows->scale(out, out, run->src_scale, n);
    prim__simd_chain_row(&run->chain, out, offsets, pd->strides, n);
    prim__simd_write(run->convert, &run->dst, offsets[DST], pd->strides[DST], out, n);
}

static void normalize_row(row_t *row)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    float x_room[KEPT_ELEMS];
    row->x = NULL;
    if (pd->naxis <= KEPT_ELEMS || (run->src.dt == PRIM_F32 && pd->strides[SRC] == 1))
        row->x = prim__simd_read(
                run->convert, x_room, &run->src, row->offsets[SRC], pd->strides[SRC], pd->naxis);
    find_statistics(row);
    for (prim_dim_t at = 0; at < pd->naxis; at += SIMD_ROW)
        write_piece(row, at, prim__min(pd->naxis - at, SIMD_ROW));
}

static void normalize_rows(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    row_t row = {.run = arg};
    const simd_nest_t *const nest = &row.run->pd->nest;
    const prim_dim_t *const strides = prim__simd_nest_strides(nest);
    for (prim_dim_t i = 0; i < n; ++i) {
        for (int t = 0; t < nest->ntensors; ++t) row.offsets[t] = offsets[t] + i * strides[t];
        normalize_row(&row);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const lnorm_pd_t *const pd = (const lnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .are_given = base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .epsilon = (double)base->op.u.norm.epsilon,
            .src_scale = prim__simd_scale(base, ctx, PRIM_ARG_SRC),
            .dst = prim__simd_array(base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC),
            .scale = prim__simd_array_if_any(base, ctx, PRIM_ARG_SCALE),
            .shift = prim__simd_array_if_any(base, ctx, PRIM_ARG_SHIFT),
            .mean = prim__simd_values(base, ctx, PRIM_ARG_MEAN),
            .variance = prim__simd_values(base, ctx, PRIM_ARG_VARIANCE)};
    prim__simd_chain_init(&run.chain, base, ctx, OPERANDS);
    prim__simd_nest_walk_by(
            &pd->nest, prim__ceil_div(CHUNK_ELEMS, pd->naxis), 1, normalize_rows, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_lnorm_row_vector = {
        .name = "simd:lnorm:row_vector",
        .pd_size = sizeof(lnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
