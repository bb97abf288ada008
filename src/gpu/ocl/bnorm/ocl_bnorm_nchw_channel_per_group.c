// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of NCHW: one work-group per channel computes statistics and result; where
// there are few channels, several work-groups sum a channel first.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_nchw_channel_per_group_cl;
extern const impl_t prim__ocl_bnorm_nchw_channel_per_group;

typedef struct {
    prim_desc_t base;
    int vec;
    size_t group_items; ///< for each channel of the statistics; 0: a work-item does it
    bool is_split;      ///< statistics by kernels of their own
    ocl_bnorm_scratch_t scratch;
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { APPLY, SUMS, FINISH };

// AT_ONCE is that of the kernels.
enum { AT_ONCE = 4, MAX_LANES = 32 };

// Where every compute unit has enough work, adjacent work-items share a piece, in which each of
// them has several vectors.
static void choose_lanes(bnorm_pd_t *pd, int64_t nplanes, const ocl_device_t *device)
{
    ocl_bnorm_data_t *const data = &pd->data;
    const int per_item = AT_ONCE * pd->vec;
    // As many as a unit holds at a time: 16 for each lane.
    const int64_t busy = prim__ocl_measured_int(
            device, MEASURED_BNORM_CHANNEL_BUSY_ITEMS, 16 * prim__ocl_estimate_lanes(device));
    if (nplanes * data->spatial < busy * per_item * device->compute_units) return;
    while (data->piece_items < MAX_LANES && data->piece_items * 2 * per_item <= data->spatial)
        data->piece_items *= 2;
    data->piece_elems = data->piece_items * per_item;
    data->is_reversed = prim__bnorm_has_statistics(&pd->base);
}

/// Work-items for the statistics of a channel: at least 32, with AT_ONCE vectors each.
static size_t channel_items(const bnorm_pd_t *pd, int64_t elems, size_t most)
{
    size_t items = 32;
    while (items < most && (int64_t)items * AT_ONCE * pd->vec < elems) items *= 2;
    return items;
}

/// Planes count in vectors where they consist of them, else in elements.
static ocl_divisor_t plane_units(const bnorm_pd_t *pd)
{
    const ocl_bnorm_data_t *const data = &pd->data;
    const bool are_vectors = data->spatial % pd->vec == 0 && data->src.n % pd->vec == 0 &&
                             data->src.block % pd->vec == 0;
    return prim__ocl_divisor(are_vectors ? data->spatial / pd->vec : data->spatial);
}

// Work-items normalise a plane on CPU-type devices, unless there are too few planes, and a vector
// on GPUs.
static void choose_shape(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *const data = &pd->data;
    pd->vec = device->is_cpu ? 16 : 4;
    const int64_t nplanes = (int64_t)data->batch * data->src.channels;
    const int64_t wanted = (int64_t)device->compute_units *
                           prim__ocl_measured_int(device, MEASURED_BNORM_CHANNEL_CORE_ITEMS, 8);
    const int64_t pieces = nplanes < wanted ? prim__ceil_div(wanted, nplanes) : 1;
    const int64_t piece = prim__round_up(data->spatial / pieces, pd->vec);
    data->piece_elems = device->is_cpu && piece > pd->vec ? (int32_t)piece : pd->vec;
    data->piece_items = 1;
    if (!device->is_cpu) choose_lanes(pd, nplanes, device);
    data->npieces = prim__ocl_bnorm_parts(data->spatial, data->piece_elems);
    pd->group_items = 0;
    if (device->is_cpu) return;
    pd->group_items = channel_items(pd, (int64_t)data->batch * data->spatial, 1024);
    data->plane_vecs = plane_units(pd);
}

// Several groups for each channel where there are too few channels for a GPU.
static void split_channels(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *const data = &pd->data;
    const int64_t channels = data->src.channels;
    const int64_t wanted = (int64_t)device->compute_units *
                           prim__ocl_measured_int(device, MEASURED_BNORM_CHANNEL_UNIT_GROUPS, 8);
    const prim_data_type_t src = prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type;
    const int64_t channel_bytes =
            (int64_t)data->batch * data->spatial * (int64_t)prim__dt_bytes(src);
    // What one group reads twice, and writes, in the time that two more launches take.
    const int alone_bytes =
            prim__ocl_measured_int(device, MEASURED_BNORM_CHANNEL_ALONE_BYTES, 384 * 1024);
    pd->is_split = pd->group_items > 0 && channels < wanted / 4 && data->batch > 1 &&
                   channel_bytes > alone_bytes;
    if (!pd->is_split) return;
    const int64_t nchunks = prim__ceil_div(wanted, channels);
    data->chunk_elems = (int32_t)prim__ceil_div(data->batch, nchunks);
    data->nchunks = prim__ocl_bnorm_parts(data->batch, data->chunk_elems);
    pd->group_items = channel_items(pd, (int64_t)data->chunk_elems * data->spatial, 256);
    prim__ocl_bnorm_book(&pd->scratch, &pd->base, data);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *const pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *const data = &pd->data;
    TRY(prim__ocl_bnorm_require(base, data));
    REQUIRE(base, prim__ocl_bnorm_has_planes(base, data),
            "src, dst or workspace is not NCHW with contiguous planes");
    PREFER_OTHER_UNLESS(base, data->spatial >= 4, "a plane has %d elements, fewer than a vector",
            (int)data->spatial);
    choose_shape(pd, prim__ocl_device(base->engine));
    if (prim__bnorm_has_statistics(base)) split_channels(pd, prim__ocl_device(base->engine));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "GROUPED", pd->group_items > 0);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.spatial);
    const ocl_source_t *const source = &prim__ocl_bnorm_nchw_channel_per_group_cl;
    const bool trains = prim__bnorm_has_statistics(&pd->base) && !pd->is_split;
    TRY(prim__ocl_primitive_add_kernel(p, source, &options,
            trains ? "bnorm_nchw_channel_per_group_train" : "bnorm_nchw_channel_per_group_apply"));
    if (pd->is_split) {
        TRY(prim__ocl_primitive_add_kernel(
                p, source, &options, "bnorm_nchw_channel_per_group_sums"));
        TRY(prim__ocl_primitive_add_kernel(
                p, source, &options, "bnorm_nchw_channel_per_group_finish"));
    }
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)p->base.pd;
    const ocl_bnorm_data_t *const data = &pd->data;
    const size_t local = prim__ocl_group_items(p->kernels[SUMS], pd->group_items);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->scratch.partials_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_local(&args, local * sizeof(float));
    const ocl_range_t range =
            prim__ocl_range_groups((int64_t)data->nchunks * data->src.channels, local);
    TRY(prim__ocl_launch(ctx, p->kernels[SUMS], &range, &args));
    return prim__ocl_bnorm_finish(ctx, p->kernels[FINISH], p->data[0], data, &pd->scratch);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *const pd = (const bnorm_pd_t *)primitive->pd;
    const int64_t nchannels = pd->data.src.channels;
    if (pd->is_split) {
        TRY(add_up(p, ctx));
    }
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    if (pd->is_split) {
        prim__ocl_bnorm_args_mean(&args, ctx, &pd->scratch);
        prim__ocl_bnorm_args_variance(&args, ctx, &pd->scratch);
    } else {
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    }
    prim__ocl_bnorm_args(&args, ctx);
    ocl_range_t range;
    if (!prim__bnorm_has_statistics(&pd->base) || pd->is_split) {
        range = prim__ocl_range_1d(p->kernels[0],
                pd->data.batch * nchannels * pd->data.npieces * pd->data.piece_items);
    } else if (pd->group_items) {
        const size_t local = prim__ocl_group_items(p->kernels[0], pd->group_items);
        prim__ocl_args_local(&args, local * sizeof(float));
        range = prim__ocl_range_groups(nchannels, local);
    } else {
        // Work-groups take several channels only where there are many.
        const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
        const int64_t many = (int64_t)device->compute_units *
                             prim__ocl_measured_int(device, MEASURED_BNORM_CHANNEL_MANY, 256);
        const size_t local = prim__ocl_group_items(p->kernels[0], nchannels >= many ? 16 : 1);
        range = prim__ocl_range_groups(prim__ceil_div(nchannels, (int64_t)local), local);
    }
    prim__ocl_args_post_ops(&args, ctx, p);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_bnorm_nchw_channel_per_group = {
        .name = "ocl:bnorm:nchw_channel_per_group",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
