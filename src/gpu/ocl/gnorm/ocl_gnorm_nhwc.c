// SPDX-License-Identifier: Apache-2.0
#include "ocl_gnorm_nhwc.h"

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gnorm.h"

static prim_status_t require_nhwc(prim_desc_t *pd, int arg)
{
    if (arg == 0) return PRIM_SUCCESS;
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    ocl_channels_t tensor;
    REQUIRE(pd, prim__ocl_channels_init(&tensor, md),
            "argument %d is blocked, or spans 2^31 elements", arg);
    const int32_t batch = (int32_t)md->dims[0];
    const int32_t spatial = (int32_t)(prim__md_nelems(md) / md->dims[0] / md->dims[1]);
    REQUIRE(pd,
            prim__ocl_channels_are_nhwc(
                    &tensor, prim__ocl_channels_flat_stride(md), batch, spatial),
            "argument %d is not contiguous NHWC", arg);
    return PRIM_SUCCESS;
}

/// Work-items of a work-group and what each of them loads. Gradients load two tensors.
static void choose_group(gnorm_nhwc_pd_t *pd, const ocl_device_t *device, bool is_backward)
{
    const bool is_cpu = device->is_cpu;
    pd->group_items =
            is_backward ? prim__ocl_measured_int(device,
                                  MEASURED_GNORM_BACKWARD_TWO_PASS_GROUP_ITEMS, is_cpu ? 16 : 128)
                        : prim__ocl_measured_int(
                                  device, MEASURED_GNORM_TWO_PASS_GROUP_ITEMS, is_cpu ? 16 : 256);
    pd->finish_items =
            prim__ocl_measured_int(device, MEASURED_GNORM_TWO_PASS_FINISH_ITEMS, is_cpu ? 16 : 64);
    pd->at_once = prim__ocl_measured_int(device, MEASURED_GNORM_TWO_PASS_AT_ONCE, is_cpu ? 1 : 4);
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    while ((size_t)pd->finish_items > device->max_group_items) pd->finish_items /= 2;
}

/// The columns and rows of a work-group, the slices that it sums and the tiles that it writes. The
/// more rows a work-group has, the fewer partial sums there are.
static void choose_sizes(gnorm_nhwc_pd_t *pd, const ocl_device_t *device)
{
    ocl_gnorm_nhwc_data_t *const data = &pd->data;
    const int most = prim__ocl_measured_int(device, MEASURED_GNORM_TWO_PASS_MOST_COLUMNS, 64);
    const int unit = prim__ocl_measured_int(device, MEASURED_GNORM_TWO_PASS_UNIT_GROUPS, 4);
    const int tile = prim__ocl_measured_int(device, MEASURED_GNORM_TWO_PASS_TILE_STEPS, 4);
    data->nvecs = data->channels / pd->vec;
    data->nblocks =
            (int32_t)prim__ceil_div(data->nvecs, pd->group_items < most ? pd->group_items : most);
    data->columns = (int32_t)prim__ceil_div(data->nvecs, data->nblocks);
    data->nrows = pd->group_items / data->columns;
    const int32_t step = data->nrows * pd->at_once;
    const int64_t nsteps = prim__ceil_div(data->spatial, step);
    const int64_t wanted = (int64_t)unit * prim__ocl_estimate_units(device);
    const int64_t nslices = prim__ceil_div(wanted, (int64_t)data->batch * data->nblocks);
    data->slice = (int32_t)(prim__ceil_div(nsteps, nslices < nsteps ? nslices : nsteps) * step);
    data->nslices = (int32_t)prim__ceil_div(data->spatial, data->slice);
    data->tile = (int32_t)(nsteps < tile ? nsteps : tile) * step;
    data->ntiles = (int32_t)prim__ceil_div(data->spatial, data->tile);
}

prim_status_t prim__ocl_gnorm_nhwc_init_tensors(prim_desc_t *base, int dst, int diff_src)
{
    gnorm_nhwc_pd_t *const pd = (gnorm_nhwc_pd_t *)base;
    ocl_gnorm_nhwc_data_t *const data = &pd->data;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    TRY(require_nhwc(base, PRIM_ARG_SRC));
    TRY(require_nhwc(base, dst));
    TRY(require_nhwc(base, diff_src));
    data->batch = (int32_t)src->dims[0];
    data->channels = (int32_t)src->dims[1];
    data->spatial = (int32_t)(prim__md_nelems(src) / src->dims[0] / src->dims[1]);
    data->groups = (int32_t)base->op.u.norm.groups;
    data->group_channels = data->channels / data->groups;
    data->are_given = (base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0;
    data->has_outputs = !data->are_given && prim__pd_has(base, PRIM_ARG_MEAN);
    data->has_scale = prim__pd_has(base, PRIM_ARG_SCALE);
    data->has_shift = prim__pd_has(base, PRIM_ARG_SHIFT);
    data->epsilon = base->op.u.norm.epsilon;
    for (pd->vec = prim__ocl_gnorm_vec(base, dst, diff_src); data->channels % pd->vec != 0;)
        pd->vec /= 2;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_gnorm_nhwc_init(prim_desc_t *base, int dst, int diff_src)
{
    gnorm_nhwc_pd_t *const pd = (gnorm_nhwc_pd_t *)base;
    const ocl_gnorm_nhwc_data_t *const data = &pd->data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_gnorm_nhwc_init_tensors(base, dst, diff_src));
    PREFER_OTHER_UNLESS(base, pd->vec > 1 || !device->is_cpu,
            "no vector divides %d channels, and PoCL 5.0 computes sums of single channels wrong",
            (int)data->channels);
    choose_group(pd, device, diff_src != 0);
    choose_sizes(pd, device);
    const size_t local_bytes = (size_t)(pd->group_items * pd->vec) * sizeof(float);
    REQUIRE(base, device->local_bytes >= local_bytes,
            "the device has less than %zu bytes of local memory", local_bytes);
    const int64_t nterms = (int64_t)data->nslices * data->group_channels / pd->finish_items;
    REQUIRE(base, data->slice <= OCL_LONGEST_SUM && nterms <= OCL_LONGEST_SUM,
            "%d positions of %d channels: f32 loses precision in their sums", (int)data->spatial,
            (int)data->group_channels);
    return PRIM_SUCCESS;
}

void prim__ocl_gnorm_nhwc_book(gnorm_nhwc_pd_t *pd, int rows)
{
    const size_t row_bytes = (size_t)pd->data.batch * (size_t)pd->data.channels * sizeof(float);
    pd->partials_bytes_at =
            prim__pd_book_scratchpad(&pd->base, 2 * (size_t)pd->data.nslices * row_bytes);
    pd->parts_bytes_at = prim__pd_book_scratchpad(&pd->base, (size_t)rows * row_bytes);
}

void prim__ocl_gnorm_nhwc_options(ocl_options_t *options, const gnorm_nhwc_pd_t *pd)
{
    prim__ocl_options_type(options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(options, "FINISH_ITEMS", pd->finish_items);
    prim__ocl_options_int(options, "AT_ONCE", pd->at_once);
    prim__ocl_options_cache_hints(options, pd->base.engine);
    prim__ocl_options_lane_shuffle(options, pd->base.engine);
}

void prim__ocl_gnorm_nhwc_last_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *primitive)
{
    const prim_desc_t *const pd = primitive->base.pd;
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_SRC));
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_DST));
    prim__ocl_args_post_ops(args, ctx, primitive);
}

static ocl_range_t range_of(const gnorm_nhwc_pd_t *pd, int32_t npieces)
{
    const int64_t nblocks = (int64_t)pd->data.batch * pd->data.nblocks;
    return prim__ocl_range_groups(nblocks * npieces, (size_t)pd->group_items);
}

ocl_range_t prim__ocl_gnorm_nhwc_sums(const gnorm_nhwc_pd_t *pd)
{
    return range_of(pd, pd->data.nslices);
}

ocl_range_t prim__ocl_gnorm_nhwc_finish(const gnorm_nhwc_pd_t *pd)
{
    const int64_t nsets = (int64_t)pd->data.batch * pd->data.groups;
    return prim__ocl_range_groups(nsets, (size_t)pd->finish_items);
}

ocl_range_t prim__ocl_gnorm_nhwc_apply(const gnorm_nhwc_pd_t *pd)
{
    return range_of(pd, pd->data.ntiles);
}
