// SPDX-License-Identifier: Apache-2.0
// simd:softmax:backward_row_vector: the gradients of softmax and log-softmax in vectors along the
// axis: the sum of a row, then the gradient. Rows that are not f32 are converted once, if the stack
// has room.
#include "common/int_math.h"
#include "simd_rows.h"
#include "simd_softmax_backward.h"

extern const impl_t prim__simd_softmax_backward_row_vector;

enum {
    KEPT_ELEMS = 2048,  ///< of a row that is kept on the stack
    CHUNK_ELEMS = 8192, ///< that pay for a thread, at least
};

typedef simd_softmax_backward_run_t run_t;

static prim_status_t init_pd(prim_desc_t *base)
{
    return prim__simd_softmax_backward_init_pd((simd_softmax_backward_pd_t *)base);
}

/// Σ y·dst, or Σ y for the logarithm.
static float sum_row(const run_t *run, const simd_line_t *diff, const simd_line_t *dst)
{
    const simd_rows_code_t *const rows = SIMD_CHOOSE(prim__simd_rows_code);
    double sum = 0;
    for (prim_dim_t at = 0; at < run->pd->naxis; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], dst_room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->naxis - at, SIMD_ROW);
        const float *const y = prim__simd_line_piece(diff, diff_room, at, n);
        if (run->is_log)
            sum += (double)rows->sum(y, n);
        else
            sum += (double)run->code->dot(y, prim__simd_line_piece(dst, dst_room, at, n), n);
    }
    return (float)sum;
}

static void differentiate_row(const run_t *run, const prim_dim_t *offsets)
{
    const simd_softmax_backward_pd_t *const pd = run->pd;
    const simd_array_t *const diff_src = &run->arrays[SIMD_SOFTMAX_DIFF_SRC];
    float diff_kept[KEPT_ELEMS], dst_kept[KEPT_ELEMS];
    const simd_line_t diff = prim__simd_line(run->convert, diff_kept, KEPT_ELEMS,
            &run->arrays[SIMD_SOFTMAX_DIFF_DST], offsets[SIMD_SOFTMAX_DIFF_DST],
            pd->strides[SIMD_SOFTMAX_DIFF_DST], pd->naxis);
    const simd_line_t dst =
            prim__simd_line(run->convert, dst_kept, KEPT_ELEMS, &run->arrays[SIMD_SOFTMAX_RESULT],
                    offsets[SIMD_SOFTMAX_RESULT], pd->strides[SIMD_SOFTMAX_RESULT], pd->naxis);
    const float sum = sum_row(run, &diff, &dst);
    for (prim_dim_t at = 0; at < pd->naxis; at += SIMD_ROW) {
        float diff_room[SIMD_ROW], dst_room[SIMD_ROW];
        const prim_dim_t n = prim__min(pd->naxis - at, SIMD_ROW),
                         stride = pd->strides[SIMD_SOFTMAX_DIFF_SRC];
        const prim_dim_t to = offsets[SIMD_SOFTMAX_DIFF_SRC] + at * stride;
        const float *const y = prim__simd_line_piece(&diff, diff_room, at, n);
        const float *const x = prim__simd_line_piece(&dst, dst_room, at, n);
        float *const out = prim__simd_row(dst_room, diff_src, to, stride);
        (run->is_log ? run->code->log_softmax : run->code->softmax)(out, y, x, sum, n);
        prim__simd_write(run->convert, diff_src, to, stride, out, n);
    }
}

static void differentiate_rows(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t *const strides = prim__simd_nest_strides(&run->pd->nest);
    for (prim_dim_t i = 0; i < n; ++i) {
        prim_dim_t row_offsets[SIMD_SOFTMAX_GRADIENTS];
        for (int t = 0; t < SIMD_SOFTMAX_GRADIENTS; ++t)
            row_offsets[t] = offsets[t] + i * strides[t];
        differentiate_row(run, row_offsets);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const simd_softmax_backward_pd_t *const pd = (const simd_softmax_backward_pd_t *)primitive->pd;
    run_t run;
    prim__simd_softmax_backward_run_init(&run, pd, ctx);
    prim__simd_nest_walk_by(
            &pd->nest, prim__ceil_div(CHUNK_ELEMS, pd->naxis), 1, differentiate_rows, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_softmax_backward_row_vector = {
        .name = "simd:softmax:backward_row_vector",
        .pd_size = sizeof(simd_softmax_backward_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
