// SPDX-License-Identifier: Apache-2.0
// Group normalisation of contiguous NHWC with statistics from src: several work-groups share a
// block of an image's channels, hold it in registers and exchange their sums through a grid
// barrier, so that src is read once.
#include "common/data_type.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gnorm_slices.h"

extern const ocl_source_t prim__ocl_gnorm_nhwc_multi_group_cl;
extern const impl_t prim__ocl_gnorm_nhwc_multi_group;

enum { JOINT, START };
enum {
    ROUNDS = 2,
    CENTRES = 1,
    STATS = 4,  ///< floats of a group in local memory
    PARAMS = 2, ///< of a channel
    SUMS = 2    ///< of a work-item, for one channel or each of its vector
};

static int registers_of(const prim_desc_t *base)
{
    const bool is_short = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type) < 4;
    return prim__ocl_measured_int(prim__ocl_device(base->engine),
            is_short ? MEASURED_GNORM_MULTI_SHORT_REGISTERS : MEASURED_GNORM_MULTI_REGISTERS, 96);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    gnorm_slices_pd_t *const pd = (gnorm_slices_pd_t *)base;
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    TRY(prim__ocl_gnorm_nhwc_init_tensors(base, PRIM_ARG_DST, 0));
    REQUIRE(base, !prim__post_ops_have_operand(&base->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const gnorm_kept_t most = {
            prim__ocl_measured_int(device, MEASURED_GNORM_MULTI_ITEM_VECTORS, 16),
            prim__ocl_measured_int(device, MEASURED_GNORM_MULTI_LOCAL_VECTORS, 0), 1};
    TRY(prim__ocl_gnorm_slices_init(pd, most, 0));
    const int64_t parts =
            (int64_t)pd->nhwc.group_items * (pd->groups_are_vectors ? 1 : pd->nhwc.vec);
    TRY(prim__ocl_gnorm_slices_require_local(pd,
            SUMS * parts + pd->block_groups * (PARAMS * (int64_t)data->group_channels + STATS)));
    TRY(prim__ocl_gnorm_slices_prefer(pd, registers_of(base)));
    return prim__ocl_gnorm_slices_book(pd, ROUNDS, CENTRES);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const base = primitive->pd;
    ocl_options_t options;
    prim__ocl_gnorm_slices_options(&options, (const gnorm_slices_pd_t *)base, registers_of(base));
    prim__ocl_options_type(&options, "DST", prim__pd_md(base, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "WITH_SCALES", base->attr.nscales > 0);
    prim__ocl_post_ops_options(&options, base, true);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_nhwc_multi_group_cl, &options, "gnorm_nhwc_multi_group"));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_nhwc_multi_group_cl, &options, "gnorm_nhwc_multi_group_start"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t start(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const gnorm_slices_pd_t *pd)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->nhwc.data, sizeof pd->nhwc.data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_grid_barrier_slots(&args, ctx, &pd->barrier);
    const ocl_range_t range = prim__ocl_range_1d(kernel, pd->barrier.nslots);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const gnorm_slices_pd_t *const pd = (const gnorm_slices_pd_t *)primitive->pd;
    TRY(start(ctx, p->kernels[START], pd));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->nhwc.data, sizeof pd->nhwc.data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_gnorm_slices_args(&args, ctx, pd);
    prim__ocl_gnorm_nhwc_last_args(&args, ctx, p);
    const ocl_range_t range = prim__ocl_gnorm_slices_range(pd);
    return prim__ocl_launch(ctx, p->kernels[JOINT], &range, &args);
}

const impl_t prim__ocl_gnorm_nhwc_multi_group = {
        .name = "ocl:gnorm:nhwc_multi_group",
        .pd_size = sizeof(gnorm_slices_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
