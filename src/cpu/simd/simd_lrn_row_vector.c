// SPDX-License-Identifier: Apache-2.0
// simd:lrn:row_vector: local response normalisation in vectors, along channels where they are
// contiguous, else along their neighbours.
#include "simd_lrn.h"

extern const impl_t prim__simd_lrn_row_vector;

enum { DST, SRC, WORKSPACE };

static prim_status_t init_pd(prim_desc_t *base)
{
    const bool is_training = base->op.prop_kind == PRIM_FORWARD_TRAINING;
    const int args[] = {PRIM_ARG_DST, PRIM_ARG_SRC, is_training ? PRIM_ARG_WORKSPACE : 0, 0};
    TRY(prim__lrn_resolve(base));
    return prim__simd_lrn_init_pd((simd_lrn_pd_t *)base, args);
}

static void square(const simd_lrn_run_t *run, float *row, const prim_dim_t *offsets, prim_dim_t n)
{
    float room[SIMD_LRN_ROW];
    const simd_operand_t x = {prim__simd_lrn_read(run, room, SRC, offsets, n), false};
    run->binary->compute(PRIM_BINARY_MUL, row, &x, &x, n);
}

static void normalize(
        const simd_lrn_run_t *run, float *sums, const prim_dim_t *offsets, prim_dim_t n)
{
    float room[SIMD_LRN_ROW], out[SIMD_LRN_ROW];
    const float *const x = prim__simd_lrn_read(run, room, SRC, offsets, n);
    run->code->scale(out, sums, x, sums, run->k, run->factor, run->pd->power, n);
    prim__simd_lrn_write(run, out, DST, offsets, n);
    if (run->pd->ntensors > WORKSPACE) prim__simd_lrn_write(run, sums, WORKSPACE, offsets, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    simd_lrn_run_t run = {.term = square, .finish = normalize};
    prim__simd_lrn_run(&run, (const simd_lrn_pd_t *)primitive->pd, ctx);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_lrn_row_vector = {
        .name = "simd:lrn:row_vector",
        .pd_size = sizeof(simd_lrn_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
