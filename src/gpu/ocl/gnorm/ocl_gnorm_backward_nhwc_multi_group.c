// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation of contiguous NHWC: several work-groups share a block of an
// image's channels, hold src and diff_dst in registers and exchange their sums through a grid
// barrier, so that both are read once.
#include "common/data_type.h"
#include "gpu/ocl/kit/ocl_norm_backward.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gnorm_slices.h"

extern const ocl_source_t prim__ocl_gnorm_backward_nhwc_multi_group_cl;
extern const impl_t prim__ocl_gnorm_backward_nhwc_multi_group;

enum { JOINT, CLEAR, CHANNELS };
enum {
    STATS = 4,  ///< floats of a group in local memory
    PARAMS = 1, ///< of a channel
    SUMS = 2,   ///< of a channel of a work-item's vectors
    READ = 2,   ///< tensors
    VECTORS = 8 ///< of each in registers, where nothing is measured
};

typedef struct {
    gnorm_slices_pd_t slices;
    size_t planes_bytes_at; ///< in the scratchpad
} backward_pd_t;

_Static_assert(offsetof(backward_pd_t, slices) == 0, "the base comes first");

static bool has_planes(const prim_desc_t *pd)
{
    return prim__pd_has(pd, PRIM_ARG_DIFF_SCALE) || prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT);
}

static int registers_of(const prim_desc_t *base)
{
    const bool is_short = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type) < 4;
    return prim__ocl_measured_int(prim__ocl_device(base->engine),
            is_short ? MEASURED_GNORM_BACKWARD_MULTI_SHORT_REGISTERS
                     : MEASURED_GNORM_BACKWARD_MULTI_REGISTERS,
            96);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    backward_pd_t *const backward = (backward_pd_t *)base;
    gnorm_slices_pd_t *const pd = &backward->slices;
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    TRY(prim__ocl_gnorm_nhwc_init_tensors(base, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC));
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const int measured =
            prim__ocl_measured_int(device, MEASURED_GNORM_BACKWARD_MULTI_ITEM_VECTORS, 0);
    const gnorm_kept_t most = {measured > 0 ? measured : VECTORS,
            prim__ocl_measured_int(device, MEASURED_GNORM_BACKWARD_MULTI_LOCAL_VECTORS, 0), READ};
    TRY(prim__ocl_gnorm_slices_init(pd, most, PRIM_ARG_DIFF_DST));
    TRY(prim__ocl_gnorm_slices_require_local(
            pd, SUMS * (int64_t)pd->nhwc.group_items * pd->nhwc.vec +
                        pd->block_groups * (PARAMS * (int64_t)data->group_channels + STATS)));
    PREFER_OTHER_UNLESS(
            base, measured > 0, "not measured on this device: two passes may be as fast");
    TRY(prim__ocl_gnorm_slices_prefer(pd, registers_of(base)));
    TRY(prim__ocl_gnorm_slices_book(pd, 1, 0));
    const size_t npieces = (size_t)data->batch * (size_t)data->nslices;
    backward->planes_bytes_at = prim__pd_book_scratchpad(
            base, has_planes(base) ? npieces * (size_t)data->channels * 2 * sizeof(float) : 0);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const base = primitive->pd;
    const gnorm_slices_pd_t *const pd = (const gnorm_slices_pd_t *)base;
    ocl_options_t options;
    prim__ocl_gnorm_slices_options(&options, pd, registers_of(base));
    prim__ocl_options_type(&options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(&options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(&options, "WITH_PLANES", has_planes(base));
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_gnorm_backward_nhwc_multi_group_cl, &options,
            "gnorm_backward_nhwc_multi_group"));
    TRY(prim__ocl_grid_barrier_add_kernel(p));
    return prim__ocl_norm_backward_add_channels(p, pd->nhwc.data.groups, pd->nhwc.data.nslices);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const backward_pd_t *const backward = (const backward_pd_t *)primitive->pd;
    const gnorm_slices_pd_t *const pd = &backward->slices;
    TRY(prim__ocl_grid_barrier_clear(ctx, p->kernels[CLEAR], &pd->barrier));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->nhwc.data, sizeof pd->nhwc.data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_scratchpad(&args, ctx, backward->planes_bytes_at, 2 * sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_gnorm_slices_args(&args, ctx, pd);
    const ocl_range_t range = prim__ocl_gnorm_slices_range(pd);
    TRY(prim__ocl_launch(ctx, p->kernels[JOINT], &range, &args));
    return prim__ocl_norm_backward_channels(p, ctx, CHANNELS, backward->planes_bytes_at);
}

const impl_t prim__ocl_gnorm_backward_nhwc_multi_group = {
        .name = "ocl:gnorm:backward_nhwc_multi_group",
        .pd_size = sizeof(backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
