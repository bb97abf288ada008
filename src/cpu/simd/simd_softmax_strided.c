// SPDX-License-Identifier: Apache-2.0
// simd:softmax:strided: an axis that is not the innermost, or so short that its rows fill no
// vectors. Vectors of neighbouring rows go along the axis together, in three passes: maxima, sums
// of exponentials, quotients.
#include <math.h>
#include <string.h>

#include "common/int_math.h"
#include "simd_softmax.h"

extern const impl_t prim__simd_softmax_strided;

enum {
    NCOLUMNS = 256,  ///< rows that go together: a page of the stack for each of their values
    NSHORT = 64,     ///< exponentials that are summed in f32
    SHORT_AXIS = 40, ///< up to which that is faster, however far rows are apart
};

static prim_status_t init_pd(prim_desc_t *base)
{
    simd_softmax_pd_t *const pd = (simd_softmax_pd_t *)base;
    TRY(prim__simd_softmax_init_pd(pd));
    const prim_dim_t *const strides = prim__simd_nest_strides(&pd->nest);
    const bool is_contiguous = strides[SIMD_SOFTMAX_DST] == 1 && strides[SIMD_SOFTMAX_SRC] == 1;
    PREFER_OTHER_UNLESS(base, is_contiguous || pd->naxis <= SHORT_AXIS,
            "neighbouring rows of src or dst are not contiguous, and have more than %d elements",
            SHORT_AXIS);
    PREFER_OTHER_UNLESS(base, pd->nest.loops[pd->nest.nloops - 1].n >= 8,
            "fewer than 8 neighbouring rows: vectors along the axis are faster");
    return PRIM_SUCCESS;
}

/// n neighbouring rows.
typedef struct {
    const simd_softmax_run_t *run;
    const prim_dim_t *offsets;
    prim_dim_t n;
    bool is_kept; ///< the axis is short: its elements are read once, and become exponentials
    float kept[SHORT_AXIS][NCOLUMNS];
    float max[NCOLUMNS];
    float last[NCOLUMNS]; ///< factors, or the logarithms of the sums
} columns_t;

/// Elements i of all rows.
static const float *read_columns(columns_t *c, float *room, prim_dim_t i)
{
    const simd_softmax_run_t *const run = c->run;
    const simd_softmax_pd_t *const pd = run->pd;
    return prim__simd_read(run->convert, room, &run->src,
            c->offsets[SIMD_SOFTMAX_SRC] + i * pd->strides[SIMD_SOFTMAX_SRC],
            prim__simd_nest_strides(&pd->nest)[SIMD_SOFTMAX_SRC], c->n);
}

static void keep_columns(columns_t *c)
{
    for (prim_dim_t i = 0; i < c->run->pd->naxis; ++i) {
        float *const room = c->kept[i];
        const float *const x = read_columns(c, room, i);
        if (x != room) memcpy(room, x, (size_t)c->n * sizeof *room);
    }
}

static const float *columns_of(columns_t *c, float *room, prim_dim_t i)
{
    return c->is_kept ? c->kept[i] : read_columns(c, room, i);
}

static void find_max(columns_t *c)
{
    for (prim_dim_t k = 0; k < c->n; ++k) c->max[k] = -INFINITY;
    for (prim_dim_t i = 0; i < c->run->pd->naxis; ++i) {
        float room[NCOLUMNS];
        c->run->rows->max_columns(c->max, columns_of(c, room, i), c->n);
    }
}

static void sum_exponentials(columns_t *c)
{
    const simd_softmax_run_t *const run = c->run;
    double totals[NCOLUMNS] = {0};
    for (prim_dim_t first = 0; first < run->pd->naxis; first += NSHORT) {
        const prim_dim_t past = prim__min(first + NSHORT, run->pd->naxis);
        float sums[NCOLUMNS] = {0};
        for (prim_dim_t i = first; i < past; ++i) {
            float room[NCOLUMNS], forgotten[NCOLUMNS];
            float *const out = c->is_kept && !run->pd->is_log ? c->kept[i] : forgotten;
            run->rows->exp_columns(sums, out, columns_of(c, room, i), c->max, c->n);
        }
        for (prim_dim_t k = 0; k < c->n; ++k) totals[k] += (double)sums[k];
    }
    for (prim_dim_t k = 0; k < c->n; ++k) totals[k] *= 0x1p-64;
    for (prim_dim_t k = 0; k < c->n; ++k)
        c->last[k] = run->pd->is_log ? (float)totals[k] : run->src_scale / (float)totals[k];
    if (run->pd->is_log) run->rows->log_columns(c->last, c->n);
}

static void write_columns(columns_t *c, prim_dim_t i)
{
    const simd_softmax_run_t *const run = c->run;
    const simd_softmax_pd_t *const pd = run->pd;
    const prim_dim_t *const strides = prim__simd_nest_strides(&pd->nest);
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->nest.ntensors; ++t) offsets[t] = c->offsets[t] + i * pd->strides[t];
    float room[NCOLUMNS], out_room[NCOLUMNS], sums[NCOLUMNS] = {0};
    const prim_dim_t step = strides[SIMD_SOFTMAX_DST];
    float *const out = prim__simd_row(out_room, &run->dst, offsets[SIMD_SOFTMAX_DST], step);
    const float *const x = columns_of(c, room, i);
    const simd_operand_t self = {out, false}, last = {c->last, false};
    const simd_binary_code_t *const binary = run->chain.binary;
    if (pd->is_log) {
        const simd_operand_t src = {x, false}, max = {c->max, false};
        binary->compute(PRIM_BINARY_SUB, out, &src, &max, c->n);
        binary->compute(PRIM_BINARY_SUB, out, &self, &last, c->n);
        if (run->src_scale != 1.0F) run->rows->scale(out, out, run->src_scale, c->n);
    } else if (c->is_kept) {
        run->rows->lower_columns(out, x, c->last, c->n);
    } else {
        run->rows->exp_columns(sums, out, x, c->max, c->n);
        run->rows->lower_columns(out, out, c->last, c->n);
    }
    prim__simd_chain_row(&run->chain, out, offsets, strides, c->n);
    prim__simd_write(run->convert, &run->dst, offsets[SIMD_SOFTMAX_DST], step, out, c->n);
}

static void compute_columns(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    columns_t c;
    c.run = arg;
    c.offsets = offsets;
    c.n = n;
    c.is_kept = c.run->pd->naxis <= SHORT_AXIS;
    if (c.is_kept) keep_columns(&c);
    find_max(&c);
    sum_exponentials(&c);
    for (prim_dim_t i = 0; i < c.run->pd->naxis; ++i) write_columns(&c, i);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const simd_softmax_pd_t *const pd = (const simd_softmax_pd_t *)primitive->pd;
    simd_softmax_run_t run;
    prim__simd_softmax_run_init(&run, pd, ctx);
    prim__simd_nest_walk_by(&pd->nest, NCOLUMNS, 1, compute_columns, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_softmax_strided = {
        .name = "simd:softmax:strided",
        .pd_size = sizeof(simd_softmax_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
