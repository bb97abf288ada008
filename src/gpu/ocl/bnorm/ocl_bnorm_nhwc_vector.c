// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of NHWC and channel-blocked layouts: vectors of channels, in three launches
// (partial sums, statistics, normalisation).
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_nhwc_vector_cl;
extern const impl_t prim__ocl_bnorm_nhwc_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    int vectors, group_items; ///< vectors of channels that a group adds up, its work-items
    ocl_bnorm_scratch_t scratch;
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { APPLY, SUMS, FINISH };

/// Vectors of channels of a work-item of a CPU-type device at most, neighbours: a work-item that
/// walked through one of them alone would leave out lines of the cache.
static int most_vecs(const ocl_device_t *device)
{
    return prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_ITEM_VECTORS, 32);
}

/// Vectors of neighbouring channels that a work-item of a CPU-type device takes; 1 on GPUs.
static int choose_vecs(const bnorm_pd_t *pd, const ocl_device_t *device)
{
    const int32_t src_vecs = pd->data.src.run / pd->vec, dst_vecs = pd->data.dst.run / pd->vec;
    const int32_t vecs = src_vecs < dst_vecs ? src_vecs : dst_vecs;
    return !device->is_cpu ? 1 : vecs < most_vecs(device) ? vecs : most_vecs(device);
}

// How many chunks of statistics are wanted: several of each core, and no larger than a first-level
// cache and a half if the tensor is large; of each unit of a GPU four, each by a group of which
// neighbours take neighbouring channels.
static int64_t wanted_chunks(const bnorm_pd_t *pd, const ocl_device_t *device, int64_t nelems)
{
    const int64_t columns = prim__ocl_bnorm_parts(pd->data.nvecs, pd->vectors);
    const int of_unit =
            device->is_cpu ? prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_CORE_CHUNKS, 32)
                           : prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_UNIT_CHUNKS, 4);
    const int64_t nchunks = prim__ceil_div((int64_t)of_unit * device->compute_units, columns);
    if (!device->is_cpu) return nchunks;
    const int elems = prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_CHUNK_ELEMS, 32768);
    const int most = prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_MOST_CHUNKS, 4096);
    const int64_t small = nelems * pd->data.src_step / elems;
    return small <= nchunks ? nchunks : small < most ? small : most;
}

static void choose_chunks(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *const data = &pd->data;
    const int64_t nelems = (int64_t)data->batch * data->spatial;
    pd->group_items = 1;
    pd->vectors = data->item_vecs;
    if (!device->is_cpu) {
        // A line of the cache, or four, and eight warps.
        const int vectors = prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_GROUP_VECTORS, 16);
        while (pd->vectors < vectors && pd->vectors < data->nvecs) pd->vectors *= 2;
        pd->group_items = prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_GROUP_ITEMS, 8 * 32);
        while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    }
    const int64_t most = nelems * (device->is_cpu ? 1 : pd->vectors) / pd->group_items / 16;
    int64_t nchunks = wanted_chunks(pd, device, nelems);
    if (nchunks > most) nchunks = most;
    if (nchunks < 1) nchunks = 1;
    data->chunk_elems = (int32_t)prim__ceil_div(nelems, nchunks);
    data->nchunks = (int32_t)prim__ceil_div(nelems, data->chunk_elems);
}

// On CPU-type devices every core gets several work-items.
static void choose_pieces(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *const data = &pd->data;
    const int64_t nrows = (int64_t)data->batch * data->nshares;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t npieces = nrows < wanted ? prim__ceil_div(wanted, nrows) : 1;
    const int64_t most = prim__ocl_measured_int(device, MEASURED_BNORM_VECTOR_ITEM_ELEMS, 8192) /
                         (data->item_vecs * pd->vec);
    // Eight times what a unit holds, which is 16 for each of its lanes.
    const int64_t unit_vectors = prim__ocl_measured_int(
            device, MEASURED_BNORM_VECTOR_UNIT_VECTORS, 8 * 16 * prim__ocl_estimate_lanes(device));
    const bool is_large = nrows * data->spatial >= unit_vectors * device->compute_units;
    int64_t piece = device->is_cpu ? data->spatial / npieces : is_large ? 8 : 4;
    if (device->is_cpu && piece > most) piece = most;
    data->piece_elems = piece > 1 ? (int32_t)piece : 1;
    data->npieces = prim__ocl_bnorm_parts(data->spatial, data->piece_elems);
    data->piece_items = 1;
    data->is_reversed = !device->is_cpu && prim__bnorm_has_statistics(&pd->base);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *const pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *const data = &pd->data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_require(base, data));
    const ocl_channels_t tensors[] = {data->src, data->dst, data->ws};
    const bool has_ws = prim__bnorm_has_workspace(base);
    REQUIRE(base,
            data->src.padded_channels == data->dst.padded_channels &&
                    (!has_ws || data->ws.padded_channels == data->dst.padded_channels),
            "src, dst and workspace have different numbers of padded channels");
    pd->vec = prim__ocl_channels_vec(tensors, has_ws ? 3 : 2, device->is_cpu ? 16 : 4);
    data->nvecs = data->dst.padded_channels / pd->vec;
    data->item_vecs = choose_vecs(pd, device);
    data->nshares = prim__ocl_bnorm_parts(data->nvecs, data->item_vecs);
    choose_chunks(pd, device);
    choose_pieces(pd, device);
    if (prim__bnorm_has_statistics(base)) prim__ocl_bnorm_book(&pd->scratch, base, data);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_bnorm_nhwc_vector_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    prim__ocl_options_int(&options, "MOST_VECS", device->is_cpu ? most_vecs(device) : 1);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->vec);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_vector_apply"));
    if (prim__bnorm_has_statistics(&pd->base)) {
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_vector_sums"));
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_vector_finish"));
    }
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)p->base.pd;
    const ocl_bnorm_data_t *const data = &pd->data;
    const size_t items = prim__ocl_group_items(p->kernels[SUMS], (size_t)pd->group_items);
    if (pd->group_items > 1 && items < (size_t)pd->vectors) {
        return prim__fail(PRIM_RUNTIME_ERROR, "%s needs groups of %d items, the device allows %zu",
                p->kernels[SUMS]->name, pd->vectors, items);
    }
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->scratch.partials_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_i32(&args, pd->vectors);
    prim__ocl_args_local(&args, 2 * items * (size_t)pd->vec * sizeof(float));
    const int64_t columns = prim__ocl_bnorm_parts(data->nvecs, pd->vectors);
    const ocl_range_t range = prim__ocl_range_groups(data->nchunks * columns, items);
    TRY(prim__ocl_launch(ctx, p->kernels[SUMS], &range, &args));
    return prim__ocl_bnorm_finish(ctx, p->kernels[FINISH], p->data[0], data, &pd->scratch);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    if (prim__bnorm_has_statistics(&pd->base)) {
        TRY(add_up(p, ctx));
    }
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_bnorm_args_mean(&args, ctx, &pd->scratch);
    prim__ocl_bnorm_args_variance(&args, ctx, &pd->scratch);
    prim__ocl_bnorm_args(&args, ctx);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(
            p->kernels[APPLY], (int64_t)pd->data.batch * pd->data.npieces * pd->data.nshares);
    return prim__ocl_launch(ctx, p->kernels[APPLY], &range, &args);
}

const impl_t prim__ocl_bnorm_nhwc_vector = {
        .name = "ocl:bnorm:nhwc_vector",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
