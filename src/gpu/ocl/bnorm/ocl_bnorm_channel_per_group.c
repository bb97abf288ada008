// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, of few elements a channel in any layout: a work-group per channel,
// one launch.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_channel_per_group_cl;
extern const impl_t prim__ocl_bnorm_channel_per_group;

typedef struct {
    prim_desc_t base;
    int group_items, kept; ///< work-items, and elements that each of them keeps in registers
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

/// The sizes of work-groups, and what a work-item keeps: few, as each is a program.
enum { LEAST_ITEMS = 64, MORE_ITEMS = 4, MOST_ITEMS = 1024, KEPT = 8, MOST_KEPT = 24 };

/// Neighbours of a channel lie in different sectors, so that most of what is read is of no use; but
/// the launches of other variants cost more than that for small tensors.
static prim_status_t prefer_others(prim_desc_t *base, int64_t count)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)base;
    const ocl_device_t *device = prim__ocl_device(base->engine);
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: a work-item per channel or position is faster");
    const int64_t most_kept = (int64_t)KEPT * MOST_ITEMS;
    const int most = prim__ocl_measured_int(device, MEASURED_BNORM_GROUP_ELEMS, 48 * 1024);
    const int most_all =
            prim__ocl_measured_int(device, MEASURED_BNORM_GROUP_ALL_ELEMS, 1024 * 1024);
    PREFER_OTHER_UNLESS(base, count <= (pd->data.src_step > 1 ? most : most_kept),
            "%lld elements a channel: several work-groups, or vectors, are faster",
            (long long)count);
    PREFER_OTHER_UNLESS(base, count * pd->data.src.channels <= most_all,
            "%lld elements: vectors are faster", (long long)(count * pd->data.src.channels));
    return PRIM_SUCCESS;
}

static void choose_items(bnorm_pd_t *pd, int64_t count)
{
    const size_t most = prim__ocl_device(pd->base.engine)->max_group_items;
    pd->group_items = LEAST_ITEMS;
    while (pd->group_items < MOST_ITEMS && (int64_t)pd->group_items * KEPT < count &&
            (size_t)(pd->group_items * MORE_ITEMS) <= most)
        pd->group_items *= MORE_ITEMS;
    pd->kept = (int64_t)pd->group_items * KEPT < count ? MOST_KEPT : KEPT;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *data = &pd->data;
    const ocl_device_t *device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_require_statistics(base, data));
    REQUIRE(base, data->dst.padded_channels == data->dst.channels, "dst has padded channels");
    REQUIRE(base, device->max_group_items >= LEAST_ITEMS,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, LEAST_ITEMS);
    REQUIRE(base, device->local_bytes >= 2 * MOST_ITEMS * sizeof(float),
            "the device has less than %zu bytes of local memory", 2 * MOST_ITEMS * sizeof(float));
    const int64_t count = (int64_t)data->batch * data->spatial;
    data->plane_vecs = prim__ocl_divisor(data->spatial);
    choose_items(pd, count);
    return prefer_others(base, count);
}

static prim_status_t init(prim_t *primitive)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", 4);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(&options, "KEPT", pd->kept);
    prim__ocl_options_lane_shuffle(&options, pd->base.engine);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_channel_per_group_cl, &options, "bnorm_channel_per_group"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_bnorm_args(&args, ctx);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_groups(pd->data.src.channels, (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_bnorm_channel_per_group = {
        .name = "ocl:bnorm:channel_per_group",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
