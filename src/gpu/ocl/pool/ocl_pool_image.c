// SPDX-License-Identifier: Apache-2.0
// Pooling between images.
#include "common/pool_shape.h"
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_pool_image_cl;
extern const impl_t prim__ocl_pool_image;

static bool fits(const pool_axis_t *axis)
{
    return axis->pad + axis->out * axis->stride + axis->kernel * axis->step < INT32_MAX;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int images[] = {PRIM_ARG_SRC, PRIM_ARG_DST};
    pool_axis_t axes[3];
    REQUIRE(pd, !prim__pooling_has_workspace(pd),
            "training writes a workspace, which this variant does not");
    TRY(prim__ocl_image_require(pd, images, 2));
    REQUIRE(pd, !prim__pooling_has_hollow_window(pd), "a window lies entirely in the padding");
    prim__pooling_axes(axes, pd);
    REQUIRE(pd, fits(&axes[1]) && fits(&axes[2]), "positions inside the windows exceed 32 bits");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_image_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_pool_image_cl, &options, "pool_image"));
    return prim__ocl_primitive_add_post_ops(p);
}

static void args_pair(ocl_args_t *args, prim_dim_t h, prim_dim_t w)
{
    prim__ocl_args_i32(args, (int32_t)h);
    prim__ocl_args_i32(args, (int32_t)w);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    pool_axis_t axes[3];
    prim__pooling_axes(axes, pd);
    const pool_axis_t *const h = &axes[1], *const w = &axes[2];
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_SRC);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_DST);
    args_pair(&args, h->kernel, w->kernel);
    args_pair(&args, h->stride, w->stride);
    args_pair(&args, h->step, w->step);
    args_pair(&args, h->pad, w->pad);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_image_range(p->kernels[0], pd, PRIM_ARG_DST);
    return prim__ocl_image_launch(ctx, p->kernels[0], &range, &args);
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
