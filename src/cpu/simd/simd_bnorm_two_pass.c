// SPDX-License-Identifier: Apache-2.0
// simd:bnorm:two_pass: batch normalisation of contiguous tensors of floats, NHWC or NCHW. The
// variance takes a pass of its own, so that it does not suffer from a large mean.
#include <math.h>

#include "common/bnorm_shape.h"
#include "cpu/ref/ref_finish.h"
#include "simd_bnorm.h"
#include "simd_columns.h"
#include "simd_float_rows.h"
#include "simd_rows.h"

extern const impl_t prim__simd_bnorm_two_pass;

typedef struct {
    prim_desc_t base;
    simd_bnorm_t bnorm;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, pd->attr.post_ops.len == 0, "there are post-ops");
    TRY(prim__bnorm_resolve(pd));
    return prim__simd_bnorm_init_pd(&((bnorm_pd_t *)pd)->bnorm, pd);
}

/// One execution. Data have offset0 added.
typedef struct {
    const simd_columns_code_t *code;
    const simd_rows_code_t *rows; ///< of planes
    const void *src, *addend;     ///< addend: or NULL
    void *dst;
    uint8_t *workspace; ///< or NULL
    prim_data_type_t src_dt, dst_dt;
    bool has_relu;
} run_t;

static void add_row(const simd_bnorm_row_t *row, const void *arg)
{
    const run_t *const run = arg;
    float room[SIMD_BNORM_ROW];
    const float *const x = prim__simd_read_row(room, run->src, run->src_dt, row->at, row->n);
    if (row->is_plane)
        *row->sums[0] += run->rows->sum(x, row->n);
    else
        run->code->add(row->sums[0], x, row->n);
}

static void add_squares_row(const simd_bnorm_row_t *row, const void *arg)
{
    const run_t *const run = arg;
    float room[SIMD_BNORM_ROW];
    const float *const x = prim__simd_read_row(room, run->src, run->src_dt, row->at, row->n);
    const float *const mean = row->tables[SIMD_COLUMNS_MEAN];
    if (row->is_plane)
        *row->sums[0] += run->rows->sum_squares(x, *mean, row->n);
    else
        run->code->add_squares(row->sums[0], x, mean, row->n);
}

static void normalize(const run_t *run, float *out, const simd_bnorm_row_t *row)
{
    float room[SIMD_BNORM_ROW];
    const float *const x = prim__simd_read_row(room, run->src, run->src_dt, row->at, row->n);
    const float *const mean = row->tables[SIMD_COLUMNS_MEAN];
    const float *const factor = row->tables[SIMD_COLUMNS_FACTOR];
    const float *const shift = row->tables[SIMD_COLUMNS_SHIFT];
    if (row->is_plane)
        run->rows->affine(out, x, *mean, *factor, *shift, row->n);
    else
        run->code->normalize(out, x, mean, factor, shift, row->n);
}

static void normalize_row(const simd_bnorm_row_t *row, const void *arg)
{
    const run_t *const run = arg;
    float room[SIMD_BNORM_ROW], out_room[SIMD_BNORM_ROW];
    // dst may be the addend, which is read later.
    const bool is_direct = run->dst_dt == PRIM_F32 && !run->addend;
    float *const out = is_direct ? (float *)run->dst + row->at : out_room;
    normalize(run, out, row);
    if (run->addend) {
        const float *const y = prim__simd_read_row(room, run->addend, run->src_dt, row->at, row->n);
        run->code->add(out, y, row->n);
    }
    for (prim_dim_t i = 0; i < row->n && run->workspace; ++i)
        run->workspace[row->at + i] = out[i] > 0;
    if (run->has_relu) run->code->clamp(out, row->n);
    if (!is_direct) prim__simd_store_row(out, run->dst, run->dst_dt, row->at, row->n);
}

static const simd_bnorm_pass_t sums_pass = {.body = add_row, .nsums = 1};
static const simd_bnorm_pass_t squares_pass = {
        .body = add_squares_row, .ntables = SIMD_COLUMNS_MEAN + 1, .nsums = 1};
static const simd_bnorm_pass_t normalize_pass = {
        .body = normalize_row, .ntables = SIMD_COLUMNS_SHIFT + 1};

/// Mean and variance of src, as values [nchannels]: the variance in the table of factors.
static void compute_statistics(const bnorm_pd_t *pd, const exec_ctx_t *ctx, const run_t *run)
{
    const simd_bnorm_t *const b = &pd->bnorm;
    const double nelems = (double)(b->nelems / b->nchannels);
    float *const mean = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_MEAN);
    float *const variance = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_FACTOR);
    const double *sums = prim__simd_bnorm_reduce(b, ctx, &sums_pass, run);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) mean[c] = (float)(sums[c] / nelems);
    sums = prim__simd_bnorm_reduce(b, ctx, &squares_pass, run);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) variance[c] = (float)(sums[c] / nelems);
    if (pd->base.op.prop_kind != PRIM_FORWARD_TRAINING) return;
    float *const mean_out = prim__ref_pointer(ctx, PRIM_ARG_MEAN);
    float *const variance_out = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) {
        mean_out[c] = mean[c];
        variance_out[c] = variance[c];
    }
}

/// From statistics to the tables of normalize().
static void fill_tables(const bnorm_pd_t *pd, const exec_ctx_t *ctx)
{
    const simd_bnorm_t *const b = &pd->bnorm;
    const unsigned flags = pd->base.op.u.norm.flags;
    const float *const scale = prim__ref_pointer(ctx, PRIM_ARG_SCALE);
    const float *const shift = prim__ref_pointer(ctx, PRIM_ARG_SHIFT);
    float *const mean = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_MEAN);
    float *const factor = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_FACTOR);
    float *const shifts = prim__simd_bnorm_values(b, ctx, SIMD_COLUMNS_SHIFT);
    const bool is_given = flags & PRIM_USE_GLOBAL_STATS;
    const float *const given_mean = prim__ref_pointer(ctx, PRIM_ARG_MEAN);
    const float *const given_variance = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    for (prim_dim_t c = 0; c < b->nchannels; ++c) {
        const double variance = (double)(is_given ? given_variance[c] : factor[c]);
        const double by = flags & PRIM_USE_SCALE ? (double)scale[c] : 1;
        if (is_given) mean[c] = given_mean[c];
        factor[c] = (float)(by / sqrt(variance + (double)pd->base.op.u.norm.epsilon));
        shifts[c] = flags & PRIM_USE_SHIFT ? shift[c] : 0.0F;
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.code = SIMD_CHOOSE(prim__simd_columns_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .src = prim__simd_tensor(base, ctx, PRIM_ARG_SRC),
            .dst = prim__simd_tensor(base, ctx, PRIM_ARG_DST),
            .src_dt = prim__pd_md(base, PRIM_ARG_SRC)->data_type,
            .dst_dt = prim__pd_md(base, PRIM_ARG_DST)->data_type,
            .has_relu = prim__bnorm_has_relu(base)};
    if (base->op.u.norm.flags & PRIM_FUSE_NORM_ADD_RELU)
        run.addend = prim__simd_tensor(base, ctx, PRIM_ARG_SRC_1);
    if (prim__bnorm_has_workspace(base))
        run.workspace = prim__simd_tensor(base, ctx, PRIM_ARG_WORKSPACE);
    if (prim__bnorm_has_statistics(base)) compute_statistics(pd, ctx, &run);
    fill_tables(pd, ctx);
    prim__simd_bnorm_apply(&pd->bnorm, ctx, &normalize_pass, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_bnorm_two_pass = {
        .name = "simd:bnorm:two_pass",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
