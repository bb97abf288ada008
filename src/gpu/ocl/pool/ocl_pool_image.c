// SPDX-License-Identifier: Apache-2.0
// Pooling between images.
#include "common/pool_shape.h"
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_pool_image_cl;
extern const impl_t prim__ocl_pool_image;

static const ocl_image_param_t params[] = {
        {PRIM_ARG_SRC, OCL_IMAGE_SHAPED}, {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

static bool fits(const pool_axis_t *axis)
{
    return axis->pad + axis->out * axis->stride + axis->kernel * axis->step < INT32_MAX;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    pool_axis_t axes[3];
    REQUIRE(pd, !prim__pooling_has_workspace(pd),
            "training writes a workspace, which this variant does not");
    TRY(prim__ocl_image_require(pd, params));
    REQUIRE(pd, !prim__pooling_has_hollow_window(pd), "a window lies entirely in the padding");
    prim__pooling_axes(axes, pd);
    REQUIRE(pd, fits(&axes[1]) && fits(&axes[2]), "positions inside the windows exceed 32 bits");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_pool_image_cl, "pool_image");
}

static void args_pair(ocl_args_t *args, prim_dim_t h, prim_dim_t w)
{
    prim__ocl_args_i32(args, (int32_t)h);
    prim__ocl_args_i32(args, (int32_t)w);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    pool_axis_t axes[3];
    prim__pooling_axes(axes, pd);
    const pool_axis_t *const h = &axes[1], *const w = &axes[2];
    ocl_args_t args;
    prim__ocl_image_args(&args, ctx, pd, params);
    args_pair(&args, h->kernel, w->kernel);
    args_pair(&args, h->stride, w->stride);
    args_pair(&args, h->step, w->step);
    args_pair(&args, h->pad, w->pad);
    return prim__ocl_image_run(ctx, p, &args);
}

const impl_t prim__ocl_pool_image = {
        .name = "ocl:pool:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
