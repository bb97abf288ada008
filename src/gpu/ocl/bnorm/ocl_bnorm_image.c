// SPDX-License-Identifier: Apache-2.0
// Batch normalisation between images, with given statistics.
#include "common/bnorm_shape.h"
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_bnorm_image_cl;
extern const impl_t prim__ocl_bnorm_image;

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int images[] = {PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_SRC_1};
    REQUIRE(pd, !prim__bnorm_has_statistics(pd),
            "mean and variance are to be computed; this variant takes them as inputs");
    REQUIRE(pd, !prim__bnorm_has_workspace(pd),
            "training with ReLU writes a workspace, which this variant does not");
    return prim__ocl_image_require(pd, images, 3);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    const unsigned flags = pd->op.u.norm.flags;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "WITH_ADDEND", (flags & PRIM_FUSE_NORM_ADD_RELU) != 0);
    prim__ocl_options_int(&options, "WITH_RELU", prim__bnorm_has_relu(pd));
    prim__ocl_options_int(&options, "WITH_SCALE", (flags & PRIM_USE_SCALE) != 0);
    prim__ocl_options_int(&options, "WITH_SHIFT", (flags & PRIM_USE_SHIFT) != 0);
    prim__ocl_image_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_bnorm_image_cl, &options, "bnorm_image"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_SRC);
    if (prim__pd_has(pd, PRIM_ARG_SRC_1)) prim__ocl_args_image(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_f32(&args, pd->op.u.norm.epsilon);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_image_range(p->kernels[0], pd, PRIM_ARG_DST);
    return prim__ocl_image_launch(ctx, p->kernels[0], &range, &args);
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
