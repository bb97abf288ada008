// SPDX-License-Identifier: Apache-2.0
// Eltwise between images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_eltwise_image_cl;
extern const impl_t prim__ocl_eltwise_image;

static const ocl_image_param_t params[] = {
        {PRIM_ARG_SRC, OCL_IMAGE_ALONE}, {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_image_require(pd, params);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_eltwise_image_cl, "eltwise_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_image_args(&args, ctx, pd, params);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.alpha);
    prim__ocl_args_f32(&args, pd->op.u.eltwise.beta);
    return prim__ocl_image_run(ctx, p, &args);
}

const impl_t prim__ocl_eltwise_image = {
        .name = "ocl:eltwise:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
