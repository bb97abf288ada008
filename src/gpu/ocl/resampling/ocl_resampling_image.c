// SPDX-License-Identifier: Apache-2.0
// Resampling between images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_resampling_image_cl;
extern const impl_t prim__ocl_resampling_image;

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int images[] = {PRIM_ARG_SRC, PRIM_ARG_DST};
    return prim__ocl_image_require(pd, images, 2);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "LINEAR", pd->op.alg_kind == PRIM_RESAMPLING_LINEAR);
    prim__ocl_image_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_resampling_image_cl, &options, "resampling_image"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_SRC);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_image_range(p->kernels[0], pd, PRIM_ARG_DST);
    return prim__ocl_image_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_resampling_image = {
        .name = "ocl:resampling:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
