// SPDX-License-Identifier: Apache-2.0
#include "ocl_gnorm.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"

static prim_status_t init_tensor(prim_desc_t *pd, ocl_channels_t *to, int arg, int32_t spatial)
{
    if (arg == 0) return PRIM_SUCCESS;
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    REQUIRE(pd, prim__ocl_channels_init(to, md), "argument %d is blocked, or spans 2^31 elements",
            arg);
    REQUIRE(pd,
            (to->run == 1 || to->channels == 1) && to->padded_channels == to->channels &&
                    (spatial == 1 || prim__ocl_channels_flat_stride(md) == 1),
            "argument %d is not NCHW with contiguous planes", arg);
    return PRIM_SUCCESS;
}

int prim__ocl_gnorm_vec(const prim_desc_t *pd, int dst, int diff_src)
{
    const int args[] = {PRIM_ARG_SRC, dst, diff_src};
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    size_t bytes = 2;
    for (int i = 0; i < 3 && args[i] != 0; ++i) {
        const size_t of_type = prim__dt_bytes(prim__pd_md(pd, args[i])->data_type);
        if (of_type > bytes) bytes = of_type;
    }
    if (device->is_cpu) return device->vector_width_f32 >= 8 ? 16 : 4;
    return (int)(16 / bytes);
}

int prim__ocl_gnorm_least_items(const ocl_device_t *device)
{
    return prim__ocl_measured_int(device, MEASURED_GNORM_ROW_LEAST_ITEMS, device->is_cpu ? 8 : 64);
}

static int most_items(const ocl_device_t *device)
{
    return prim__ocl_measured_int(device, MEASURED_GNORM_ROW_MOST_ITEMS, device->is_cpu ? 8 : 1024);
}

/// Enough work-items to take a row in a few steps, in rows of them for as many channels as there
/// are.
static void choose_items(gnorm_rows_pd_t *pd, int64_t elems)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int most = most_items(device);
    const int vectors = prim__ocl_measured_int(device, MEASURED_GNORM_ROW_ITEM_VECTORS, 4);
    pd->group_items = prim__ocl_gnorm_least_items(device);
    while (pd->group_items < most && (int64_t)pd->group_items * pd->vec * vectors < elems)
        pd->group_items *= 2;
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    pd->slots = 1;
    while (2 * pd->slots <= pd->data.group_channels && 2 * pd->slots <= pd->group_items)
        pd->slots *= 2;
}

prim_status_t prim__ocl_gnorm_init_rows(prim_desc_t *base, int dst, int diff_src)
{
    gnorm_rows_pd_t *const pd = (gnorm_rows_pd_t *)base;
    ocl_gnorm_data_t *const data = &pd->data;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    const prim_dim_t spatial = prim__md_nelems(src) / src->dims[0] / src->dims[1];
    REQUIRE(base, spatial <= OCL_I32_ELEMS, "a plane has %lld elements", (long long)spatial);
    data->spatial = (int32_t)spatial;
    TRY(init_tensor(base, &data->src, PRIM_ARG_SRC, data->spatial));
    TRY(init_tensor(base, &data->dst, dst, data->spatial));
    TRY(init_tensor(base, &data->diff_src, diff_src, data->spatial));
    data->groups = (int32_t)base->op.u.norm.groups;
    data->group_channels = data->src.channels / data->groups;
    data->has_outputs =
            !(base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) && prim__pd_has(base, PRIM_ARG_MEAN);
    data->epsilon = base->op.u.norm.epsilon;
    pd->vec = prim__ocl_gnorm_vec(base, dst, diff_src);
    const int64_t elems = (int64_t)data->group_channels * data->spatial;
    data->elems = (int32_t)elems;
    data->by_spatial = prim__ocl_divisor(data->spatial);
    choose_items(pd, elems);
    REQUIRE(base, elems / pd->group_items <= OCL_LONGEST_SUM,
            "groups of %lld elements: f32 loses precision in their partial sums", (long long)elems);
    return PRIM_SUCCESS;
}

static bool has_whole_rows(const ocl_gnorm_data_t *data, const ocl_channels_t *tensor, int vec)
{
    return data->spatial % vec == 0 &&
           (tensor->block == data->spatial || data->group_channels == 1);
}

void prim__ocl_gnorm_keep_rows(gnorm_rows_pd_t *pd, int most)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const ocl_gnorm_data_t *const data = &pd->data;
    const int64_t nvectors = data->elems / pd->vec;
    if (!has_whole_rows(data, &data->src, pd->vec) || !has_whole_rows(data, &data->dst, pd->vec))
        return;
    int items = prim__ocl_gnorm_least_items(device);
    while (items < most_items(device) && (int64_t)items * most < nvectors) items *= 2;
    if ((int64_t)items * most < nvectors || (size_t)items > device->max_group_items) return;
    pd->group_items = items;
    pd->slots = 1;
    pd->per_item = (int)prim__ceil_div(nvectors, items);
}

void prim__ocl_gnorm_options(ocl_options_t *options, const gnorm_rows_pd_t *pd)
{
    prim__ocl_options_init(options);
    prim__ocl_options_type(options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(options, "SLOTS", pd->slots);
    prim__ocl_options_lane_shuffle(options, pd->base.engine);
    prim__ocl_options_cache_hints(options, pd->base.engine);
    prim__ocl_options_int(options, "PER_ITEM", pd->per_item);
    prim__ocl_options_int(options, "PER_LOCAL", pd->local_vectors);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "WITH_SCALE", prim__pd_has(&pd->base, PRIM_ARG_SCALE));
}

void prim__ocl_gnorm_limit_registers(ocl_options_t *options, const gnorm_rows_pd_t *pd, int most)
{
    const bool takes_limit = prim__ocl_device_limits_registers(prim__ocl_device(pd->base.engine));
    const bool is_short = pd->per_item > 0 && pd->vec == 8;
    const int limit = takes_limit && is_short ? most : 0;
    prim__ocl_options_registers(options, pd->registers > 0 ? pd->registers : limit);
}

ocl_range_t prim__ocl_gnorm_range(const gnorm_rows_pd_t *pd)
{
    const int64_t nsets = prim__pd_md(&pd->base, PRIM_ARG_SRC)->dims[0] * pd->data.groups;
    return prim__ocl_range_groups(nsets, (size_t)pd->group_items);
}
