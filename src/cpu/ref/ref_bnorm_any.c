// SPDX-License-Identifier: Apache-2.0
// Batch normalisation on the CPU, forward: in double for any type and layout. Statistics take two
// passes, so that the variance does not suffer from a large mean.
#include <math.h>

#include "common/bnorm_shape.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_row.h"

/// Channels whose statistics one thread gathers at once: neighbours share cache lines when channels
/// lie innermost.
enum { CHANNEL_BLOCK = 8 };

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    TRY(prim__bnorm_resolve(pd));
    const prim_dim_t nchannels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[1];
    if (prim__bnorm_has_statistics(pd))
        (void)prim__pd_book_scratchpad(pd, 2 * (size_t)nchannels * sizeof(double));
    return PRIM_SUCCESS;
}

typedef struct {
    const norm_params_t *norm;
    bool has_relu;
    int stat_dim, dim; ///< of the rows: of the statistics, of the normalisation
    const void *src, *addend;
    const float *scale, *shift, *given_mean, *given_variance; ///< inputs or NULL
    double *mean, *variance;                                  ///< computed ones or NULL
    float *mean_out, *variance_out;                           ///< outputs or NULL
    void *workspace;
    const prim_memory_desc_t *src_md, *workspace_md;
    ref_finish_t finish;
} bnorm_t;

/// One pass over a block of channels.
typedef struct {
    prim_dim_t first, n;         ///< channels
    double shift[CHANNEL_BLOCK]; ///< subtracted from every element
    int power;                   ///< 1: sums of differences, 2: of their squares
    double sums[CHANNEL_BLOCK];
} pass_t;

static void add_row(const bnorm_t *b, pass_t *pass, const prim_dim_t *position, prim_dim_t n)
{
    const prim_dim_t stride = prim__ref_row_stride(b->src_md, b->stat_dim);
    prim_dims_t at;
    for (int d = 0; d < b->src_md->ndims; ++d) at[d] = position[d];
    for (prim_dim_t c = 0; c < pass->n; ++c) {
        double row[REF_ROW_ELEMS];
        at[1] = pass->first + c;
        prim__ref_load_row(
                row, b->src, b->src_md->data_type, prim__md_offset(b->src_md, at), stride, n);
        double sum = 0;
        for (prim_dim_t i = 0; i < n; ++i) {
            const double x = row[i] - pass->shift[c];
            sum += pass->power == 1 ? x : x * x;
        }
        pass->sums[c] += sum;
    }
}

// Walks over everything but the channels, in rows.
static void run_pass(const bnorm_t *b, pass_t *pass)
{
    prim_dims_t shape, position = {0};
    prim_dim_t nrows = 1, extent = 1;
    const int ndims = b->src_md->ndims;
    for (int d = 0; d < ndims; ++d) {
        shape[d] = d == 1 || d == b->stat_dim ? 1 : b->src_md->dims[d];
        nrows *= shape[d];
    }
    if (b->stat_dim >= 0) extent = b->src_md->dims[b->stat_dim];
    for (prim_dim_t r = 0; r < nrows; ++r) {
        for (prim_dim_t begin = 0; begin < extent; begin += REF_ROW_ELEMS) {
            const prim_dim_t left = extent - begin;
            if (b->stat_dim >= 0) position[b->stat_dim] = begin;
            add_row(b, pass, position, left < REF_ROW_ELEMS ? left : REF_ROW_ELEMS);
        }
        if (b->stat_dim >= 0) position[b->stat_dim] = 0;
        for (int d = ndims - 1; d >= 0 && ++position[d] == shape[d]; --d) position[d] = 0;
    }
}

static void compute_statistics(prim_dim_t block, void *arg)
{
    const bnorm_t *b = arg;
    const prim_dim_t nchannels = b->src_md->dims[1];
    const prim_dim_t nelems = prim__md_nelems(b->src_md) / nchannels;
    pass_t mean = {.first = block * CHANNEL_BLOCK, .power = 1};
    mean.n = nchannels - mean.first < CHANNEL_BLOCK ? nchannels - mean.first : CHANNEL_BLOCK;
    pass_t variance = {.first = mean.first, .n = mean.n, .power = 2};
    run_pass(b, &mean);
    for (prim_dim_t c = 0; c < mean.n; ++c)
        variance.shift[c] = nelems > 0 ? mean.sums[c] / (double)nelems : 0;
    run_pass(b, &variance);
    for (prim_dim_t c = 0; c < mean.n; ++c) {
        const prim_dim_t channel = mean.first + c;
        b->mean[channel] = variance.shift[c];
        b->variance[channel] = nelems > 0 ? variance.sums[c] / (double)nelems : 0;
        if (!b->mean_out) continue;
        b->mean_out[channel] = (float)b->mean[channel];
        b->variance_out[channel] = (float)b->variance[channel];
    }
}

/// dst = (src − mean)·factor + shift for a channel.
typedef struct {
    double mean, factor, shift;
} channel_t;

static channel_t load_channel(const bnorm_t *b, prim_dim_t c)
{
    const double mean = b->mean ? b->mean[c] : (double)b->given_mean[c];
    const double variance = b->variance ? b->variance[c] : (double)b->given_variance[c];
    const double scale = b->scale ? (double)b->scale[c] : 1;
    return (channel_t){.mean = mean,
            .factor = scale / sqrt(variance + (double)b->norm->epsilon),
            .shift = b->shift ? (double)b->shift[c] : 0};
}

static void clamp_row(const bnorm_t *b, double *row, const prim_dim_t *position, prim_dim_t n)
{
    double mask[REF_ROW_ELEMS];
    for (prim_dim_t i = 0; i < n; ++i) {
        mask[i] = row[i] > 0;
        if (!(row[i] > 0)) row[i] = 0;
    }
    if (!b->workspace) return;
    prim__ref_store_at(mask, b->workspace, b->workspace_md, position, b->dim, n);
}

static void normalize_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const bnorm_t *b = arg;
    const prim_memory_desc_t *src_md = b->src_md;
    const prim_dim_t src_offset = prim__md_offset(src_md, position);
    const prim_dim_t src_stride = prim__ref_row_stride(src_md, b->dim);
    double row[REF_ROW_ELEMS], addend[REF_ROW_ELEMS];
    prim__ref_load_row(row, b->src, src_md->data_type, src_offset, src_stride, n);
    channel_t channel = load_channel(b, position[1]);
    for (prim_dim_t i = 0; i < n; ++i) {
        if (b->dim == 1) channel = load_channel(b, position[1] + i);
        row[i] = (row[i] - channel.mean) * channel.factor + channel.shift;
    }
    if (b->addend) {
        prim__ref_load_row(addend, b->addend, src_md->data_type, src_offset, src_stride, n);
        for (prim_dim_t i = 0; i < n; ++i) row[i] += addend[i];
    }
    if (b->has_relu) clamp_row(b, row, position, n);
    prim__ref_finish_store_row(&b->finish, row, position, b->dim, n);
}

static void take_arguments(bnorm_t *b, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const unsigned flags = pd->op.u.norm.flags;
    b->src = prim__ref_pointer(ctx, PRIM_ARG_SRC);
    if (flags & PRIM_FUSE_NORM_ADD_RELU) b->addend = prim__ref_pointer(ctx, PRIM_ARG_SRC_1);
    if (flags & PRIM_USE_SCALE) b->scale = prim__ref_pointer(ctx, PRIM_ARG_SCALE);
    if (flags & PRIM_USE_SHIFT) b->shift = prim__ref_pointer(ctx, PRIM_ARG_SHIFT);
    if (prim__bnorm_has_workspace(pd)) b->workspace = prim__ref_pointer(ctx, PRIM_ARG_WORKSPACE);
    float *const mean = prim__ref_pointer(ctx, PRIM_ARG_MEAN);
    float *const variance = prim__ref_pointer(ctx, PRIM_ARG_VARIANCE);
    if (!prim__bnorm_has_statistics(pd)) {
        b->given_mean = mean;
        b->given_variance = variance;
        return;
    }
    b->mean = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    b->variance = b->mean + b->src_md->dims[1];
    if (pd->op.prop_kind != PRIM_FORWARD_TRAINING) return;
    b->mean_out = mean;
    b->variance_out = variance;
}

// The dimension of the rows inside one channel.
static int choose_stat_dim(const prim_memory_desc_t *src_md)
{
    prim_memory_desc_t one_channel = *src_md;
    one_channel.dims[1] = 1;
    return prim__ref_row_dim((const prim_memory_desc_t *const[]){&one_channel}, 1);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    bnorm_t b = {.norm = &pd->op.u.norm,
            .has_relu = prim__bnorm_has_relu(pd),
            .src_md = prim__pd_md(pd, PRIM_ARG_SRC),
            .workspace_md = prim__pd_md(pd, PRIM_ARG_WORKSPACE)};
    prim__ref_finish_init(&b.finish, pd, ctx);
    take_arguments(&b, pd, ctx);
    b.stat_dim = choose_stat_dim(b.src_md);
    const prim_memory_desc_t *const mds[] = {b.src_md, b.finish.dst_md, b.workspace_md};
    b.dim = prim__ref_row_dim(mds, b.workspace ? 3 : 2);

    if (b.mean) {
        const prim_dim_t nblocks = prim__ceil_div(b.src_md->dims[1], CHANNEL_BLOCK);
        prim__parallel_for(nblocks, compute_statistics, &b);
    }
    prim__ref_for_each_row(b.finish.dst_md, b.dim, normalize_row, &b);
    prim__ref_clear_padding(b.finish.dst, b.finish.dst_md);
    if (b.workspace) prim__ref_clear_padding(b.workspace, b.workspace_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_bnorm_any = {
        .name = "ref:bnorm:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
