// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling with one window that is the whole plane, NHWC and channel-blocked layouts, on
// GPUs.
#include "common/int_math.h"
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nhwc_global_cl;
extern const impl_t prim__ocl_pool_backward_nhwc_global;

/// Positions that a work-item stores.
enum { ITEM_POSITIONS = 8 };

typedef struct {
    pool_backward_pd_t common;
    ocl_pool_backward_nhwc_global_data_t data;
} pool_global_pd_t;

_Static_assert(offsetof(pool_global_pd_t, common) == 0, "the base comes first");

/// Work-items [n, block, piece, vector] of diff_src.
static prim_status_t split(pool_global_pd_t *pd, int32_t step)
{
    prim_desc_t *const base = &pd->common.base;
    const ocl_pool_backward_data_t *const shapes = &pd->common.data;
    const ocl_channels_t *const to = &shapes->diff_src;
    const int32_t positions = shapes->axes[0].in * shapes->axes[1].in * shapes->axes[2].in;
    const int32_t npieces = (int32_t)prim__ceil_div(positions, ITEM_POSITIONS);
    const int32_t nblocks = to->padded_channels / to->run, nvecs = to->run / pd->common.vec;
    const prim_dim_t nimages = prim__pd_md(base, PRIM_ARG_DIFF_SRC)->dims[0];
    pd->data = (ocl_pool_backward_nhwc_global_data_t){.diff_dst = shapes->diff_dst,
            .ws = shapes->ws,
            .diff_src = *to,
            .nitems = (int32_t)(nimages * nblocks * npieces * nvecs),
            .positions = positions,
            .step = step,
            .npieces = npieces,
            .volume = shapes->volume,
            .by_vecs = prim__ocl_divisor(nvecs),
            .by_pieces = prim__ocl_divisor(npieces),
            .by_blocks = prim__ocl_divisor(nblocks)};
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_global_pd_t *const pd = (pool_global_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_pool_backward_require(&pd->common));
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    REQUIRE(base, prim__ocl_pool_backward_is_global(pd->common.data.axes),
            "the window is not the whole plane, or has padding");
    const int32_t step = prim__ocl_channels_flat_stride(diff_src);
    REQUIRE(base, step > 0, "the spatial dimensions of diff_src cannot be merged into one");
    const int most = (int)(16 / prim_data_type_size(diff_src->data_type));
    pd->common.vec = prim__ocl_pool_backward_vec(&pd->common, most);
    PREFER_OTHER_UNLESS(
            base, pd->common.vec > 1, "C is odd or split into odd runs: no vectors of channels");
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    return split(pd, step);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_global_pd_t *const pd = (const pool_global_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_options(&options, primitive->pd, pd->common.vec);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_backward_nhwc_global_cl, &options, "pool_backward_nhwc_global"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pool_global_pd_t *const pd = (const pool_global_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_pool_backward_args(&args, ctx);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], pd->data.nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_pool_backward_nhwc_global = {
        .name = "ocl:pool:backward_nhwc_global",
        .pd_size = sizeof(pool_global_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
