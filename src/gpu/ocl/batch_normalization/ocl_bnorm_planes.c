// SPDX-License-Identifier: Apache-2.0
// Batch normalisation on OpenCL devices by planes, for NCHW: one kernel either way.
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_planes_cl;
extern const impl_t prim__ocl_bnorm_planes;

typedef struct {
    prim_desc_t base;
    int vec;
    size_t group_items; ///< for each channel of the statistics; 0: an item does it
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

static bool has_planes(const ocl_channels_t *tensor, int32_t step, int32_t spatial)
{
    const bool is_by_channel = tensor->run == 1 || tensor->channels == 1;
    return is_by_channel && tensor->padded_channels == tensor->channels &&
           (step == 1 || spatial == 1);
}

// Items normalise a plane on CPU-type devices, unless there are too few planes, and a vector on
// GPUs. Groups that gather statistics have two vectors an item, as long as they are no fewer
// than 32.
static void choose_shape(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *data = &pd->data;
    pd->vec = device->is_cpu ? 16 : 4;
    const int64_t nplanes = (int64_t)data->batch * data->src.channels;
    const int64_t wanted = 8 * (int64_t)device->compute_units;
    const int64_t pieces = nplanes < wanted ? (wanted + nplanes - 1) / nplanes : 1;
    const int64_t piece = (data->spatial / pieces + pd->vec - 1) / pd->vec * pd->vec;
    data->piece_elems = device->is_cpu && piece > pd->vec ? (int32_t)piece : pd->vec;
    data->npieces = (data->spatial + data->piece_elems - 1) / data->piece_elems;
    pd->group_items = 0;
    if (device->is_cpu) return;
    pd->group_items = 32;
    while (pd->group_items < 1024 && pd->group_items * 8 < (size_t)data->spatial)
        pd->group_items *= 2;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *data = &pd->data;
    TRY(prim__ocl_bnorm_require(base, data));
    bool are_planes = has_planes(&data->src, data->src_step, data->spatial) &&
                      has_planes(&data->dst, data->dst_step, data->spatial);
    if (prim__bnorm_has_workspace(base))
        are_planes = are_planes && has_planes(&data->ws, data->ws_step, data->spatial);
    REQUIRE(base, are_planes, "planes are no arrays");
    PREFER_OTHER_UNLESS(base, data->spatial >= 4, "planes are shorter than vectors");
    choose_shape(pd, prim__ocl_device(base->engine));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "GROUPED", pd->group_items > 0);
    const bool trains = prim__bnorm_has_statistics(&pd->base);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_bnorm_planes_cl, &options,
            trains ? "bnorm_planes_train" : "bnorm_planes_apply"));
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    const int64_t nchannels = pd->data.src.channels;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_bnorm_args(&args, ctx);
    ocl_range_t range;
    if (!prim__bnorm_has_statistics(&pd->base)) {
        range = prim__ocl_range_1d(p->kernels[0], pd->data.batch * nchannels * pd->data.npieces);
    } else if (pd->group_items) {
        const size_t local = prim__ocl_group_items(p->kernels[0], pd->group_items);
        prim__ocl_args_local(&args, local * sizeof(float));
        range = prim__ocl_range_groups(nchannels, local);
    } else {
        // Groups of several channels only where there are plenty of them.
        const int64_t ncores = prim__ocl_device(pd->base.engine)->compute_units;
        const size_t local =
                prim__ocl_group_items(p->kernels[0], nchannels >= 256 * ncores ? 16 : 1);
        range = prim__ocl_range_groups((nchannels + (int64_t)local - 1) / (int64_t)local, local);
    }
    prim__ocl_args_post_ops(&args, ctx, p);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_bnorm_planes = {
        .name = "ocl:bnorm:planes",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
