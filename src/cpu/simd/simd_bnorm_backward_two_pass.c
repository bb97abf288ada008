// SPDX-License-Identifier: Apache-2.0
// simd:bnorm:backward_two_pass: the gradients of batch normalisation of contiguous tensors of
// floats, NHWC or NCHW: sums of the gradient and of its products with src, then diff_src.
#include <math.h>

#include "cpu/ref/ref_finish.h"
#include "simd_bnorm.h"
#include "simd_columns.h"
#include "simd_float_rows.h"
#include "simd_gradients.h"

extern const impl_t prim__simd_bnorm_backward_two_pass;

typedef struct {
    prim_desc_t base;
    simd_bnorm_t bnorm;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__pd_follow(pd));
    return prim__simd_bnorm_init_pd(&((bnorm_pd_t *)pd)->bnorm, pd);
}

/// One execution. Data have offset0 added.
typedef struct {
    const simd_columns_code_t *code;
    const simd_gradients_code_t *gradients; ///< of planes
    const void *src, *diff_dst;
    const uint8_t *workspace;   ///< or NULL
    void *diff_src, *diff_src1; ///< diff_src1: or NULL
    prim_data_type_t src_dt, diff_dst_dt, diff_src_dt, diff_src1_dt;
} run_t;

/// The gradient behind the fused relu.
static const float *read_gradient(const run_t *run, const simd_bnorm_row_t *row, float *masked)
{
    float room[SIMD_BNORM_ROW];
    const float *const y = prim__simd_read_row(
            run->workspace ? room : masked, run->diff_dst, run->diff_dst_dt, row->at, row->n);
    if (!run->workspace) return y;
    run->code->mask(masked, y, run->workspace + row->at, row->n);
    return masked;
}

static void sum_row(const simd_bnorm_row_t *row, const void *arg)
{
    const run_t *const run = arg;
    float room[SIMD_BNORM_ROW], gradients[SIMD_BNORM_ROW];
    const float *const x = prim__simd_read_row(room, run->src, run->src_dt, row->at, row->n);
    const float *const y = read_gradient(run, row, gradients);
    const float *const mean = row->tables[SIMD_COLUMNS_MEAN];
    if (!row->is_plane) {
        run->code->add_gradients(row->sums[0], row->sums[1], y, x, mean, row->n);
        return;
    }
    const simd_gradient_sums_t sums = run->gradients->sum(y, x, NULL, *mean, row->n);
    *row->sums[0] += sums.gradients;
    *row->sums[1] += sums.products;
}

static void differentiate(const run_t *run, float *out, const float *y, const simd_bnorm_row_t *row)
{
    float room[SIMD_BNORM_ROW];
    const float *const x = prim__simd_read_row(room, run->src, run->src_dt, row->at, row->n);
    if (!row->is_plane) {
        run->code->differentiate(out, y, x, row->tables, row->n);
        return;
    }
    const simd_gradient_map_t map = {.mean = *row->tables[SIMD_COLUMNS_MEAN],
            .factor = *row->tables[SIMD_COLUMNS_FACTOR],
            .shift = *row->tables[SIMD_COLUMNS_SHIFT],
            .slope = *row->tables[SIMD_COLUMNS_SLOPE]};
    run->gradients->map(out, y, x, NULL, &map, row->n);
}

static void differentiate_row(const simd_bnorm_row_t *row, const void *arg)
{
    const run_t *const run = arg;
    float gradients[SIMD_BNORM_ROW], out_room[SIMD_BNORM_ROW];
    const float *const y = read_gradient(run, row, gradients);
    // diff_src may have the memory of diff_dst, where y may be.
    const bool is_direct = run->diff_src_dt == PRIM_F32 && !run->diff_src1;
    float *const out = is_direct ? (float *)run->diff_src + row->at : out_room;
    differentiate(run, out, y, row);
    if (run->diff_src1) prim__simd_store_row(y, run->diff_src1, run->diff_src1_dt, row->at, row->n);
    if (!is_direct) prim__simd_store_row(out, run->diff_src, run->diff_src_dt, row->at, row->n);
}

static const simd_bnorm_pass_t sums_pass = {
        .body = sum_row, .ntables = SIMD_COLUMNS_MEAN + 1, .nsums = 2};
static const simd_bnorm_pass_t gradient_pass = {
        .body = differentiate_row, .ntables = SIMD_COLUMNS_SLOPE + 1};

/// diff_src = r·s·(y − Σy/m) − (src − mean)·r³·s·Σy(src − mean)/m, with r = 1/√(variance + ε), the
/// scale s, and the sums over the m elements of a channel; without them for given statistics.
static void fill_tables(const bnorm_pd_t *pd, const exec_ctx_t *ctx, const double *sums)
{
    const simd_bnorm_t *const b = &pd->bnorm;
    const prim_desc_t *const base = &pd->base;
    const double nelems = (double)(b->nelems / b->nchannels);
    const float *const variance = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    const float *const scale = prim__ref_pointer_if_any(ctx, base, PRIM_ARG_SCALE);
    const bool are_constants = base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS;
    float *const factors = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_FACTOR);
    float *const shifts = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_SHIFT);
    float *const slopes = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_SLOPE);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) {
        const double r = 1 / sqrt((double)variance[c] + (double)base->op.u.norm.epsilon);
        const double factor = r * (scale ? (double)scale[c] : 1);
        factors[c] = (float)factor;
        shifts[c] = are_constants ? 0.0F : (float)(factor * sums[c] / nelems);
        slopes[c] =
                are_constants ? 0.0F : (float)(factor * r * r * sums[b->nchannels + c] / nelems);
    }
}

/// diff_shift = Σy, diff_scale = r·Σy(src − mean).
static void store_sums(const bnorm_pd_t *pd, const exec_ctx_t *ctx, const double *sums)
{
    const prim_desc_t *const base = &pd->base;
    const prim_dim_t nchannels = pd->bnorm.nchannels;
    const float *const variance = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    if (prim__pd_has(base, PRIM_ARG_DIFF_SHIFT)) {
        float *const diff_shift = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SHIFT);
        for (prim_dim_t c = 0; c < nchannels; ++c) diff_shift[c] = (float)sums[c];
    }
    if (!prim__pd_has(base, PRIM_ARG_DIFF_SCALE)) return;
    float *const diff_scale = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SCALE);
    for (prim_dim_t c = 0; c < nchannels; ++c) {
        const double r = 1 / sqrt((double)variance[c] + (double)base->op.u.norm.epsilon);
        diff_scale[c] = (float)(r * sums[nchannels + c]);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const simd_bnorm_t *const b = &pd->bnorm;
    run_t run = {.code = SIMD_CHOOSE(prim__simd_columns_code),
            .gradients = SIMD_CHOOSE(prim__simd_gradients_code),
            .src = prim__simd_tensor(base, ctx, PRIM_ARG_SRC),
            .diff_dst = prim__simd_tensor(base, ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__simd_tensor(base, ctx, PRIM_ARG_DIFF_SRC),
            .src_dt = prim__pd_md(base, PRIM_ARG_SRC)->data_type,
            .diff_dst_dt = prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type,
            .diff_src_dt = prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type};
    if (prim__pd_has(base, PRIM_ARG_WORKSPACE))
        run.workspace = prim__simd_tensor(base, ctx, PRIM_ARG_WORKSPACE);
    if (prim__pd_has(base, PRIM_ARG_DIFF_SRC_1)) {
        run.diff_src1 = prim__simd_tensor(base, ctx, PRIM_ARG_DIFF_SRC_1);
        run.diff_src1_dt = prim__pd_md(base, PRIM_ARG_DIFF_SRC_1)->data_type;
    }
    const float *const given_mean = prim__ref_pointer(ctx, PRIM_ARG_MEAN);
    float *const mean = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_MEAN);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) mean[c] = given_mean[c];
    const double *const sums = prim__simd_bnorm_reduce(b, ctx, &sums_pass, &run);
    store_sums(pd, ctx, sums);
    fill_tables(pd, ctx, sums);
    prim__simd_bnorm_apply(b, ctx, &gradient_pass, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_bnorm_backward_two_pass = {
        .name = "simd:bnorm:backward_two_pass",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
