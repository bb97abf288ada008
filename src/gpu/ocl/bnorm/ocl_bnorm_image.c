// SPDX-License-Identifier: Apache-2.0
// Batch normalisation between images, with given statistics.
#include "common/bnorm_shape.h"
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_bnorm_image_cl;
extern const impl_t prim__ocl_bnorm_image;

static const ocl_image_param_t params[] = {{PRIM_ARG_SRC, OCL_IMAGE_ALONE},
        {PRIM_ARG_SRC_1, OCL_IMAGE_ALONE}, {PRIM_ARG_DST, OCL_IMAGE_SHAPED},
        {PRIM_ARG_MEAN, OCL_IMAGE_BUFFER}, {PRIM_ARG_VARIANCE, OCL_IMAGE_BUFFER},
        {PRIM_ARG_SCALE, OCL_IMAGE_BUFFER}, {PRIM_ARG_SHIFT, OCL_IMAGE_BUFFER}, {0}};

static prim_status_t init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, !prim__bnorm_has_statistics(pd),
            "mean and variance are to be computed; this variant takes them as inputs");
    REQUIRE(pd, !prim__bnorm_has_workspace(pd),
            "training with ReLU writes a workspace, which this variant does not");
    return prim__ocl_image_require(pd, params);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const unsigned flags = pd->op.u.norm.flags;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "WITH_ADDEND", (flags & PRIM_FUSE_NORM_ADD_RELU) != 0);
    prim__ocl_options_int(&options, "WITH_RELU", prim__bnorm_has_relu(pd));
    prim__ocl_options_int(&options, "WITH_SCALE", (flags & PRIM_USE_SCALE) != 0);
    prim__ocl_options_int(&options, "WITH_SHIFT", (flags & PRIM_USE_SHIFT) != 0);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_bnorm_image_cl, "bnorm_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_image_args(&args, ctx, pd, params);
    prim__ocl_args_f32(&args, pd->op.u.norm.epsilon);
    return prim__ocl_image_run(ctx, p, &args);
}

const impl_t prim__ocl_bnorm_image = {
        .name = "ocl:bnorm:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
