// SPDX-License-Identifier: Apache-2.0
// Batch normalisation on OpenCL devices by vectors of channels, for NHWC and layouts blocked by
// channels: partial sums, squares, statistics, normalisation.
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_channels_cl;
extern const impl_t prim__ocl_bnorm_channels;

typedef struct {
    prim_desc_t base;
    int vec;
    size_t partials_bytes_at;                ///< in the scratchpad, with statistics from src
    size_t mean_bytes_at, variance_bytes_at; ///< in the scratchpad, if they are no outputs
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { APPLY, SUMS, FINISH };

/// Elements of src that a core of a CPU-type device keeps at hand beside those of dst.
enum { CACHED_ELEMS = 2048 };

// Partial sums are added up by whoever needs them, so there are few of them; but every core gets
// several items (on GPUs: a thousand) if the tensor is large.
static void choose_chunks(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *data = &pd->data;
    const int64_t nelems = (int64_t)data->batch * data->spatial;
    const int64_t wanted = (device->is_cpu ? 32 : 1024) * (int64_t)device->compute_units;
    int64_t nchunks = (wanted + data->nvecs - 1) / data->nvecs;
    if (nchunks > 64) nchunks = 64;
    if (nchunks > nelems / 16) nchunks = nelems / 16;
    if (nchunks < 1) nchunks = 1;
    data->chunk_elems = (int32_t)((nelems + nchunks - 1) / nchunks);
    data->nchunks = (int32_t)((nelems + data->chunk_elems - 1) / data->chunk_elems);
}

// Items of one core follow each other through the channels of a piece, which had better stay in its
// first cache.
static void choose_pieces(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *data = &pd->data;
    const int64_t nrows = (int64_t)data->batch * data->nvecs;
    const int64_t wanted = 16 * (int64_t)device->compute_units;
    const int64_t npieces = nrows < wanted ? (wanted + nrows - 1) / nrows : 1;
    const int64_t cached = CACHED_ELEMS / data->src_step;
    int64_t piece = device->is_cpu ? data->spatial / npieces : 4;
    if (device->is_cpu && piece > cached) piece = cached;
    data->piece_elems = piece > 1 ? (int32_t)piece : 1;
    data->npieces = (data->spatial + data->piece_elems - 1) / data->piece_elems;
}

static void book(bnorm_pd_t *pd)
{
    prim_desc_t *base = &pd->base;
    const ocl_bnorm_data_t *data = &pd->data;
    const size_t row_bytes = (size_t)data->src.padded_channels * sizeof(float);
    pd->partials_bytes_at = prim__pd_book_scratchpad(base, 2 * (size_t)data->nchunks * row_bytes);
    if (data->has_outputs) return;
    pd->mean_bytes_at = prim__pd_book_scratchpad(base, row_bytes);
    pd->variance_bytes_at = prim__pd_book_scratchpad(base, row_bytes);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *data = &pd->data;
    const ocl_device_t *device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_require(base, data));
    const ocl_channels_t tensors[] = {data->src, data->dst, data->ws};
    const bool has_ws = prim__bnorm_has_workspace(base);
    REQUIRE(base,
            data->src.padded_channels == data->dst.padded_channels &&
                    (!has_ws || data->ws.padded_channels == data->dst.padded_channels),
            "src and dst are padded differently");
    pd->vec = prim__ocl_channels_vec(tensors, has_ws ? 3 : 2, device->is_cpu ? 16 : 4);
    data->nvecs = data->dst.padded_channels / pd->vec;
    choose_chunks(pd, device);
    choose_pieces(pd, device);
    if (prim__bnorm_has_statistics(base)) book(pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    const ocl_source_t *source = &prim__ocl_bnorm_channels_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_channels_apply"));
    if (prim__bnorm_has_statistics(&pd->base)) {
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_channels_sums"));
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_channels_finish"));
    }
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static void add_statistics(ocl_args_t *args, const exec_ctx_t *ctx, const bnorm_pd_t *pd)
{
    if (prim__pd_has(&pd->base, PRIM_ARG_MEAN)) {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
        return;
    }
    prim__ocl_args_scratchpad(args, ctx, pd->mean_bytes_at, sizeof(float));
    prim__ocl_args_scratchpad(args, ctx, pd->variance_bytes_at, sizeof(float));
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx, int32_t pass)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_i32(&args, pass);
    const ocl_range_t range =
            prim__ocl_range_1d(p->kernels[SUMS], (int64_t)pd->data.nchunks * pd->data.nvecs);
    return prim__ocl_launch(ctx, p->kernels[SUMS], &range, &args);
}

static prim_status_t compute_statistics(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)p->base.pd;
    TRY(add_up(p, ctx, 0));
    TRY(add_up(p, ctx, 1));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, sizeof(float));
    add_statistics(&args, ctx, pd);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[FINISH], pd->data.src.channels);
    return prim__ocl_launch(ctx, p->kernels[FINISH], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    if (prim__bnorm_has_statistics(&pd->base)) TRY(compute_statistics(p, ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    add_statistics(&args, ctx, pd);
    prim__ocl_bnorm_args(&args, ctx);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(
            p->kernels[APPLY], (int64_t)pd->data.batch * pd->data.npieces * pd->data.nvecs);
    return prim__ocl_launch(ctx, p->kernels[APPLY], &range, &args);
}

const impl_t prim__ocl_bnorm_channels = {
        .name = "ocl:bnorm:channels",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
