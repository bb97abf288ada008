// SPDX-License-Identifier: Apache-2.0
// simd:softmax:backward_strided: the gradients along an axis that is not the innermost, or so short
// that its rows fill no vectors. Vectors of neighbouring rows go along the axis together, in two
// passes: sums, gradients.
#include "common/int_math.h"
#include "simd_softmax_backward.h"

extern const impl_t prim__simd_softmax_backward_strided;

enum {
    NCOLUMNS = 256, ///< rows that go together
    NSHORT = 64,    ///< terms that are summed in f32
    SHORT_AXIS = 8, ///< up to which that is faster, however far rows are apart
};

static prim_status_t init_pd(prim_desc_t *base)
{
    simd_softmax_backward_pd_t *const pd = (simd_softmax_backward_pd_t *)base;
    TRY(prim__simd_softmax_backward_init_pd(pd));
    const prim_dim_t *const strides = prim__simd_nest_strides(&pd->nest);
    bool is_contiguous = true;
    for (int t = 0; t < SIMD_SOFTMAX_GRADIENTS; ++t)
        is_contiguous = is_contiguous && strides[t] == 1;
    PREFER_OTHER_UNLESS(base, is_contiguous || pd->naxis <= SHORT_AXIS,
            "neighbouring rows of dst, diff_dst or diff_src are not contiguous, and have more than "
            "%d elements",
            SHORT_AXIS);
    PREFER_OTHER_UNLESS(base, pd->nest.loops[pd->nest.nloops - 1].n >= 8,
            "fewer than 8 neighbouring rows: vectors along the axis are faster");
    return PRIM_SUCCESS;
}

/// n neighbouring rows.
typedef struct {
    const simd_softmax_backward_run_t *run;
    const prim_dim_t *offsets;
    prim_dim_t n;
    float sums[NCOLUMNS];
} columns_t;

/// Elements i of all rows of a tensor.
static const float *read_columns(const columns_t *c, float *room, int tensor, prim_dim_t i)
{
    const simd_softmax_backward_run_t *const run = c->run;
    return prim__simd_read(run->convert, room, &run->arrays[tensor],
            c->offsets[tensor] + i * run->pd->strides[tensor],
            prim__simd_nest_strides(&run->pd->nest)[tensor], c->n);
}

static void sum_columns(columns_t *c)
{
    const simd_softmax_backward_run_t *const run = c->run;
    double totals[NCOLUMNS] = {0};
    for (prim_dim_t first = 0; first < run->pd->naxis; first += NSHORT) {
        const prim_dim_t past = prim__min(first + NSHORT, run->pd->naxis);
        float sums[NCOLUMNS] = {0};
        for (prim_dim_t i = first; i < past; ++i) {
            float diff_room[NCOLUMNS], dst_room[NCOLUMNS];
            const float *const y = read_columns(c, diff_room, SIMD_SOFTMAX_DIFF_DST, i);
            run->code->dot_columns(sums, y,
                    run->is_log ? NULL : read_columns(c, dst_room, SIMD_SOFTMAX_RESULT, i), c->n);
        }
        for (prim_dim_t k = 0; k < c->n; ++k) totals[k] += (double)sums[k];
    }
    for (prim_dim_t k = 0; k < c->n; ++k) c->sums[k] = (float)totals[k];
}

static void write_columns(const columns_t *c, prim_dim_t i)
{
    const simd_softmax_backward_run_t *const run = c->run;
    const simd_array_t *const diff_src = &run->arrays[SIMD_SOFTMAX_DIFF_SRC];
    const prim_dim_t at =
            c->offsets[SIMD_SOFTMAX_DIFF_SRC] + i * run->pd->strides[SIMD_SOFTMAX_DIFF_SRC];
    const prim_dim_t step = prim__simd_nest_strides(&run->pd->nest)[SIMD_SOFTMAX_DIFF_SRC];
    float diff_room[NCOLUMNS], dst_room[NCOLUMNS];
    const float *const y = read_columns(c, diff_room, SIMD_SOFTMAX_DIFF_DST, i);
    const float *const x = read_columns(c, dst_room, SIMD_SOFTMAX_RESULT, i);
    float *const out = prim__simd_row(dst_room, diff_src, at, step);
    if (run->is_log)
        run->code->log_softmax_columns(out, y, x, c->sums, c->n);
    else
        run->code->softmax_columns(out, y, x, c->sums, c->n);
    prim__simd_write(run->convert, diff_src, at, step, out, c->n);
}

static void differentiate_columns(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    columns_t c = {.run = arg, .offsets = offsets, .n = n};
    sum_columns(&c);
    for (prim_dim_t i = 0; i < c.run->pd->naxis; ++i) write_columns(&c, i);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const simd_softmax_backward_pd_t *const pd = (const simd_softmax_backward_pd_t *)primitive->pd;
    simd_softmax_backward_run_t run;
    prim__simd_softmax_backward_run_init(&run, pd, ctx);
    prim__simd_nest_walk_by(&pd->nest, NCOLUMNS, 1, differentiate_columns, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_softmax_backward_strided = {
        .name = "simd:softmax:backward_strided",
        .pd_size = sizeof(simd_softmax_backward_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
