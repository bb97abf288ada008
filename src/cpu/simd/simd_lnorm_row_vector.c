// SPDX-License-Identifier: Apache-2.0
// simd:lnorm:row_vector: layer normalisation in vectors along the last dimension: the mean, the
// squares around it, the results. Rows that are not f32 are converted once, if the stack has room.
// Rows that fill no vectors go along together, a row for each element of a vector.
#include <math.h>

#include "common/int_math.h"
#include "simd_chain.h"
#include "simd_norm.h"
#include "simd_statistics.h"

extern const impl_t prim__simd_lnorm_row_vector;

enum { DST, SRC, MEAN, VARIANCE, OPERANDS };
enum {
    KEPT_ELEMS = 4096,  ///< of a row that is kept on the stack
    CHUNK_ELEMS = 8192, ///< that pay for a thread, at least
    SHORT = 16,         ///< elements of a row up to which rows go together
    NCOLUMNS = 256,     ///< rows that do
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
    simd_norm_t norm;
    simd_array_t scale, shift; ///< base NULL: absent
    simd_chain_t chain;
} run_t;

/// A row.
typedef struct {
    const run_t *run;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    simd_line_t x;
    float mean, factor;
} row_t;

/// A piece of scale or shift; NULL: absent.
static const float *read_parameter(
        const run_t *run, float *room, const simd_array_t *parameter, prim_dim_t at, prim_dim_t n)
{
    return parameter->base ? prim__simd_read(run->norm.convert, room, parameter, at, 1, n) : NULL;
}

static void write_piece(const row_t *row, prim_dim_t at, prim_dim_t n)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->nest.ntensors; ++t) offsets[t] = row->offsets[t] + at * pd->strides[t];
    float room[SIMD_ROW], out_room[SIMD_ROW], scale_room[SIMD_ROW], shift_room[SIMD_ROW];
    float *const out = prim__simd_row(out_room, &run->norm.dst, offsets[DST], pd->strides[DST]);
    run->norm.rows->normalize(out, prim__simd_line_piece(&row->x, room, at, n), row->mean,
            row->factor, read_parameter(run, scale_room, &run->scale, at, n),
            read_parameter(run, shift_room, &run->shift, at, n), n);
    if (run->norm.src_scale != 1.0F) run->norm.rows->scale(out, out, run->norm.src_scale, n);
    prim__simd_chain_row(&run->chain, out, offsets, pd->strides, n);
    prim__simd_write(run->norm.convert, &run->norm.dst, offsets[DST], pd->strides[DST], out, n);
}

static void normalize_row(row_t *row)
{
    const run_t *const run = row->run;
    const lnorm_pd_t *const pd = run->pd;
    float x_room[KEPT_ELEMS];
    row->x = prim__simd_line(run->norm.convert, x_room, KEPT_ELEMS, &run->norm.src,
            row->offsets[SRC], pd->strides[SRC], pd->naxis);
    const simd_moments_t moments = prim__simd_norm_moments(
            &run->norm, &row->x, pd->naxis, row->offsets[MEAN], row->offsets[VARIANCE]);
    row->mean = moments.mean;
    row->factor = (float)(1 / sqrt(moments.variance + run->norm.epsilon));
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

/// n rows that go together: element i of row k is x[i][k].
typedef struct {
    const run_t *run;
    const prim_dim_t *offsets, *steps; ///< of the first row; to the next
    prim_dim_t n;
    float rooms[SHORT][NCOLUMNS];
    const float *x[SHORT];
    float mean[NCOLUMNS], factor[NCOLUMNS];
} columns_t;

/// The statistics, which are computed in two passes unless they are given.
static void find_moments(columns_t *c)
{
    const run_t *const run = c->run;
    const prim_dim_t naxis = run->pd->naxis;
    double means[NCOLUMNS] = {0}, variances[NCOLUMNS] = {0};
    for (prim_dim_t i = 0; i < naxis; ++i)
        for (prim_dim_t k = 0; k < c->n; ++k) means[k] += (double)c->x[i][k];
    for (prim_dim_t k = 0; k < c->n; ++k) c->mean[k] = (float)(means[k] / (double)naxis);
    for (prim_dim_t i = 0; i < naxis; ++i) {
        for (prim_dim_t k = 0; k < c->n; ++k) {
            const double difference = (double)(c->x[i][k] - c->mean[k]);
            variances[k] += difference * difference;
        }
    }
    for (prim_dim_t k = 0; k < c->n; ++k) variances[k] /= (double)naxis;
    for (prim_dim_t k = 0; k < c->n; ++k)
        c->factor[k] = (float)(1 / sqrt(variances[k] + run->norm.epsilon));
    for (prim_dim_t k = 0; run->norm.mean && k < c->n; ++k) {
        run->norm.mean[c->offsets[MEAN] + k * c->steps[MEAN]] = c->mean[k];
        run->norm.variance[c->offsets[VARIANCE] + k * c->steps[VARIANCE]] = (float)variances[k];
    }
}

static void read_moments(columns_t *c)
{
    const simd_norm_t *const norm = &c->run->norm;
    for (prim_dim_t k = 0; k < c->n; ++k) {
        const float variance = norm->variance[c->offsets[VARIANCE] + k * c->steps[VARIANCE]];
        c->mean[k] = norm->mean[c->offsets[MEAN] + k * c->steps[MEAN]];
        c->factor[k] = (float)(1 / sqrt((double)variance + norm->epsilon));
    }
}

/// Element i of all rows; scale and shift: those of that element.
static void write_columns(const columns_t *c, prim_dim_t i, float scale, float shift)
{
    const run_t *const run = c->run;
    const lnorm_pd_t *const pd = run->pd;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->nest.ntensors; ++t) offsets[t] = c->offsets[t] + i * pd->strides[t];
    float out_room[NCOLUMNS];
    float *const out = prim__simd_row(out_room, &run->norm.dst, offsets[DST], c->steps[DST]);
    for (prim_dim_t k = 0; k < c->n; ++k)
        out[k] = (c->x[i][k] - c->mean[k]) * c->factor[k] * scale + shift;
    if (run->norm.src_scale != 1.0F) run->norm.rows->scale(out, out, run->norm.src_scale, c->n);
    prim__simd_chain_row(&run->chain, out, offsets, c->steps, c->n);
    prim__simd_write(run->norm.convert, &run->norm.dst, offsets[DST], c->steps[DST], out, c->n);
}

static void normalize_columns(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const lnorm_pd_t *const pd = run->pd;
    columns_t c = {.run = run, .offsets = offsets, .n = n};
    c.steps = prim__simd_nest_strides(&pd->nest);
    float scale_room[SHORT], shift_room[SHORT];
    const float *const scale = read_parameter(run, scale_room, &run->scale, 0, pd->naxis);
    const float *const shift = read_parameter(run, shift_room, &run->shift, 0, pd->naxis);
    for (prim_dim_t i = 0; i < pd->naxis; ++i)
        c.x[i] = prim__simd_read(run->norm.convert, c.rooms[i], &run->norm.src,
                offsets[SRC] + i * pd->strides[SRC], c.steps[SRC], n);
    if (run->norm.are_given)
        read_moments(&c);
    else
        find_moments(&c);
    for (prim_dim_t i = 0; i < pd->naxis; ++i)
        write_columns(&c, i, scale ? scale[i] : 1, shift ? shift[i] : 0);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const lnorm_pd_t *const pd = (const lnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .norm = prim__simd_norm(base, ctx),
            .scale = prim__simd_array_if_any(base, ctx, PRIM_ARG_SCALE),
            .shift = prim__simd_array_if_any(base, ctx, PRIM_ARG_SHIFT)};
    prim__simd_chain_init(&run.chain, base, ctx, OPERANDS);
    if (pd->naxis <= SHORT && pd->nest.loops[pd->nest.nloops - 1].n >= SHORT)
        prim__simd_nest_walk_by(&pd->nest, NCOLUMNS, 1, normalize_columns, &run);
    else
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
