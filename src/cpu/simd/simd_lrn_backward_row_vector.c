// SPDX-License-Identifier: Apache-2.0
// simd:lrn:backward_row_vector: the gradient of local response normalisation,
// diff_src = y·w^(−β) − 2·α·β/n·src·Σ y·src·w^(−β − 1), with w of the workspace.
#include "simd_lrn.h"

extern const impl_t prim__simd_lrn_backward_row_vector;

enum { DIFF_SRC, DIFF_DST, SRC, WORKSPACE };

static prim_status_t init_pd(prim_desc_t *base)
{
    static const int args[] = {
            PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC, PRIM_ARG_WORKSPACE, 0};
    TRY(prim__pd_follow(base));
    return prim__simd_lrn_init_pd((simd_lrn_pd_t *)base, args);
}

static void share(const simd_lrn_run_t *run, float *row, const prim_dim_t *offsets, prim_dim_t n)
{
    float diff_room[SIMD_LRN_ROW], src_room[SIMD_LRN_ROW], w_room[SIMD_LRN_ROW];
    const float *const y = prim__simd_lrn_read(run, diff_room, DIFF_DST, offsets, n);
    const float *const x = prim__simd_lrn_read(run, src_room, SRC, offsets, n);
    const float *const w = prim__simd_lrn_read(run, w_room, WORKSPACE, offsets, n);
    run->code->term(row, y, x, w, run->pd->power, n);
}

static void differentiate(
        const simd_lrn_run_t *run, float *sums, const prim_dim_t *offsets, prim_dim_t n)
{
    const double beta = (double)run->pd->base.op.u.lrn.beta;
    const float factor = (float)(2 * prim__lrn_window(&run->pd->base).factor * beta);
    float diff_room[SIMD_LRN_ROW], src_room[SIMD_LRN_ROW], w_room[SIMD_LRN_ROW];
    const float *const y = prim__simd_lrn_read(run, diff_room, DIFF_DST, offsets, n);
    const float *const x = prim__simd_lrn_read(run, src_room, SRC, offsets, n);
    const float *const w = prim__simd_lrn_read(run, w_room, WORKSPACE, offsets, n);
    run->code->differentiate(sums, y, x, w, sums, factor, run->pd->power, n);
    prim__simd_lrn_write(run, sums, DIFF_SRC, offsets, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    simd_lrn_run_t run = {.term = share, .finish = differentiate};
    prim__simd_lrn_run(&run, (const simd_lrn_pd_t *)primitive->pd, ctx);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_lrn_backward_row_vector = {
        .name = "simd:lrn:backward_row_vector",
        .pd_size = sizeof(simd_lrn_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
