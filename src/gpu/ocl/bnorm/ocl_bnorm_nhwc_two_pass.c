// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, contiguous NHWC on GPUs: a pass for the statistics and one that
// normalises, in opposite directions, so that the second one begins with what the cache still
// holds.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_nhwc_two_pass_cl;
extern const impl_t prim__ocl_bnorm_nhwc_two_pass;

enum { CPU_ITEMS = 16, CPU_AT_ONCE = 2, CPU_APPLY = 2 };

typedef struct {
    prim_desc_t base;
    int vec, group_items, finish_items, at_once, apply, block;
    bool is_raw;
    size_t partials_bytes_at, affine_bytes_at; ///< of the scratchpad
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { SUMS, FINISH, APPLY };

static bool are_contiguous_nhwc(const prim_desc_t *pd, const ocl_bnorm_data_t *data)
{
    return prim__ocl_channels_are_nhwc(&data->src, data->src_step, data->batch, data->spatial) &&
           prim__ocl_channels_are_nhwc(&data->dst, data->dst_step, data->batch, data->spatial) &&
           (!prim__bnorm_has_workspace(pd) || prim__ocl_channels_are_nhwc(&data->ws, data->ws_step,
                                                      data->batch, data->spatial));
}

// Work-items of the groups that sum, and that finish a channel's sums; vectors that a work-item of
// the former loads together, and that one normalises: fewer of short elements, with more of which a
// unit has registers for one group; more of them, whose means, factors and summands are six
// vectors.
static void choose_items(bnorm_pd_t *pd, const ocl_device_t *device)
{
    const bool is_short = pd->vec > 4;
    pd->group_items = pd->finish_items = CPU_ITEMS;
    pd->at_once = CPU_AT_ONCE;
    pd->apply = CPU_APPLY;
    if (device->is_cpu) return;
    pd->group_items = prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_GROUP_ITEMS, 16 * 32);
    pd->finish_items = prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_FINISH_ITEMS, 4 * 32);
    pd->at_once = is_short
                          ? prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_AT_ONCE_SHORT, 4)
                          : prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_AT_ONCE, 8);
    pd->apply = is_short ? prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_APPLY_SHORT, 4)
                         : prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_APPLY, 1);
}

/// Whole vectors of src.
static int32_t count_vectors(const bnorm_pd_t *pd)
{
    return pd->data.batch * pd->data.spatial * pd->data.src.channels / pd->vec;
}

/// Positions that are whole vectors together.
static int32_t line_positions(const bnorm_pd_t *pd)
{
    int32_t positions = 1;
    while ((int64_t)positions * pd->data.src.channels % pd->vec != 0) positions *= 2;
    return positions;
}

// Groups for all units, two of each, if there is a tile for each.
static void choose_groups(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *data = &pd->data;
    choose_items(pd, device);
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    while ((size_t)pd->finish_items > device->max_group_items) pd->finish_items /= 2;
    pd->block = pd->group_items / data->nvecs * data->nvecs;
    const int32_t nvectors = count_vectors(pd);
    const int32_t tile = pd->block * pd->at_once;
    const int32_t ntiles = tile > 0 ? nvectors / tile + 1 : 1;
    const int32_t wanted = prim__ocl_measured_int(device, MEASURED_BNORM_TWO_PASS_UNIT_GROUPS, 2) *
                           (int32_t)device->compute_units;
    data->nchunks = ntiles < wanted ? ntiles : wanted;
    data->plane_vecs = prim__ocl_divisor(data->nvecs);
}

static size_t sums_local_bytes(const bnorm_pd_t *pd)
{
    return 2 * (size_t)(pd->group_items * pd->vec) * sizeof(float);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *data = &pd->data;
    const ocl_device_t *device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_require_statistics(base, data));
    REQUIRE(base, are_contiguous_nhwc(base, data), "src, dst or workspace is not contiguous NHWC");
    pd->vec = prim__ocl_raw_vec(base);
    const int32_t positions = line_positions(pd);
    data->nvecs = (int32_t)((int64_t)positions * data->src.channels / pd->vec);
    choose_groups(pd, device);
    REQUIRE(base, pd->block > 0,
            "C = %d: the vectors of %d positions, the fewest that are whole vectors, exceed a "
            "work-group",
            (int)data->src.channels, (int)positions);
    REQUIRE(base, device->local_bytes >= sums_local_bytes(pd),
            "the device has less than %zu bytes of local memory", sums_local_bytes(pd));
    pd->is_raw = prim__ocl_is_raw(base);
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: a few vectors per work-item are too little work");
    PREFER_OTHER_UNLESS(base, pd->is_raw, "src and dst differ in data type");
    const size_t row_bytes = (size_t)data->src.channels * sizeof(float);
    pd->partials_bytes_at = prim__pd_book_scratchpad(base, 2 * (size_t)data->nchunks * row_bytes);
    pd->affine_bytes_at = prim__pd_book_scratchpad(base, 3 * (size_t)positions * row_bytes);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    const ocl_source_t *source = &prim__ocl_bnorm_nhwc_two_pass_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "APPLY", pd->apply);
    prim__ocl_options_int(&options, "AT_ONCE", pd->at_once);
    prim__ocl_options_int(&options, "BLOCK", pd->block);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(&options, "FINISH_ITEMS", pd->finish_items);
    prim__ocl_raw_vec_options(&options, &pd->base, pd->is_raw);
    prim__ocl_options_lane_shuffle(&options, pd->base.engine);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_two_pass_sums"));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_two_pass_finish"));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "bnorm_nhwc_two_pass_apply"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_local(&args, sums_local_bytes(pd));
    const ocl_range_t range = prim__ocl_range_groups(pd->data.nchunks, (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[SUMS], &range, &args);
}

static prim_status_t finish(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, sizeof(float));
    prim__ocl_args_scratchpad(&args, ctx, pd->affine_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_local(&args, (size_t)pd->finish_items * sizeof(float));
    const ocl_range_t range =
            prim__ocl_range_groups(pd->data.src.channels, (size_t)pd->finish_items);
    return prim__ocl_launch(ctx, p->kernels[FINISH], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    TRY(add_up(p, ctx));
    TRY(finish(p, ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_scratchpad(&args, ctx, pd->affine_bytes_at, (size_t)pd->vec * sizeof(float));
    prim__ocl_bnorm_args(&args, ctx);
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t tile = (int64_t)pd->apply * pd->block;
    const int64_t nitems = prim__ceil_div(count_vectors(pd), tile) * pd->block;
    const ocl_range_t range = prim__ocl_range_short(p->kernels[APPLY], nitems > 0 ? nitems : 1);
    return prim__ocl_launch(ctx, p->kernels[APPLY], &range, &args);
}

const impl_t prim__ocl_bnorm_nhwc_two_pass = {
        .name = "ocl:bnorm:nhwc_two_pass",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
