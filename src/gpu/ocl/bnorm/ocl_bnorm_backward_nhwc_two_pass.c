// SPDX-License-Identifier: Apache-2.0
// Gradients of batch normalisation of contiguous NHWC: sums of channels, a vector of them per
// work-item, then diff_src in the opposite order.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm_backward.h"

extern const ocl_source_t prim__ocl_bnorm_backward_nhwc_two_pass_cl;
extern const impl_t prim__ocl_bnorm_backward_nhwc_two_pass;

enum { GROUP_ITEMS = 256, CPU_GROUP_ITEMS = 16 };

typedef struct {
    bnorm_backward_pd_t backward;
    int group_items;
} nhwc_pd_t;

_Static_assert(offsetof(nhwc_pd_t, backward) == 0, "the base comes first");

/// At least the vectors of one position.
static void choose_items(nhwc_pd_t *pd, const ocl_device_t *device)
{
    pd->group_items = device->is_cpu ? CPU_GROUP_ITEMS : GROUP_ITEMS;
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    while (pd->group_items < pd->backward.data.nvecs) pd->group_items *= 2;
}

static int64_t count_tiles(const nhwc_pd_t *pd)
{
    const ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const int64_t nvectors = (int64_t)data->batch * data->spatial * data->nvecs;
    return prim__ceil_div(nvectors, (int64_t)data->block * pd->backward.at_once);
}

static prim_status_t require_layouts(prim_desc_t *base)
{
    const bnorm_backward_pd_t *const b = (const bnorm_backward_pd_t *)base;
    const ocl_bnorm_backward_data_t *const data = &b->data;
    const int32_t spatial = data->spatial, batch = data->batch;
    REQUIRE(base,
            prim__ocl_channels_are_nhwc(&data->src, b->src_step, batch, spatial) &&
                    prim__ocl_channels_are_nhwc(
                            &data->diff_dst, b->diff_dst_step, batch, spatial) &&
                    prim__ocl_channels_are_nhwc(&data->diff_src, b->diff_src_step, batch, spatial),
            "src, diff_dst or diff_src is not contiguous NHWC");
    REQUIRE(base,
            !prim__pd_has(base, PRIM_ARG_WORKSPACE) ||
                    prim__ocl_channels_are_nhwc(&data->ws, b->ws_step, batch, spatial),
            "the workspace is not contiguous NHWC");
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    nhwc_pd_t *const pd = (nhwc_pd_t *)base;
    ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_backward_require(base));
    TRY(require_layouts(base));
    while (pd->backward.vec > 2 && data->src.channels % pd->backward.vec != 0)
        pd->backward.vec /= 2;
    REQUIRE(base, data->src.channels % pd->backward.vec == 0, "C = %d is odd",
            (int)data->src.channels);
    data->nvecs = data->src.channels / pd->backward.vec;
    choose_items(pd, device);
    const size_t local_bytes = 2 * (size_t)(pd->group_items * pd->backward.vec) * sizeof(float);
    REQUIRE(base,
            (size_t)pd->group_items <= device->max_group_items &&
                    local_bytes <= device->local_bytes,
            "C = %d: the vectors of one position exceed a work-group or its local memory",
            (int)data->src.channels);
    data->block = pd->group_items / data->nvecs * data->nvecs;
    const int64_t ntiles = count_tiles(pd);
    const int64_t unit_groups = // that sum
            prim__ocl_measured_int(device, MEASURED_BNORM_BACKWARD_NHWC_UNIT_GROUPS, 2);
    const int64_t wanted = unit_groups * prim__ocl_estimate_units(device);
    data->nchunks = (int32_t)(ntiles < wanted ? ntiles : wanted);
    REQUIRE(base, ntiles / data->nchunks * pd->backward.at_once <= OCL_LONGEST_SUM,
            "%lld positions: f32 loses precision in sums over them",
            (long long)data->batch * data->spatial);
    prim__ocl_bnorm_backward_book(&pd->backward);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const nhwc_pd_t *const pd = (const nhwc_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_backward_options(&options, &pd->backward);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_cache_hints(&options, primitive->pd->engine);
    return prim__ocl_bnorm_backward_init(primitive, &prim__ocl_bnorm_backward_nhwc_two_pass_cl,
            &options, "bnorm_backward_nhwc_sums", "bnorm_backward_nhwc_apply");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const nhwc_pd_t *const pd = (const nhwc_pd_t *)primitive->pd;
    const size_t items = (size_t)pd->group_items;
    const ocl_range_t sums = prim__ocl_range_groups(pd->backward.data.nchunks, items);
    const ocl_range_t apply = prim__ocl_range_groups(count_tiles(pd), items);
    return prim__ocl_bnorm_backward_execute(primitive, ctx, &sums, &apply);
}

const impl_t prim__ocl_bnorm_backward_nhwc_two_pass = {
        .name = "ocl:bnorm:backward_nhwc_two_pass",
        .pd_size = sizeof(nhwc_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
