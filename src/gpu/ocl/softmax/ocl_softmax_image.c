// SPDX-License-Identifier: Apache-2.0
// Softmax between images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_softmax_image_cl;
extern const impl_t prim__ocl_softmax_image;

static const ocl_image_param_t params[] = {
        {PRIM_ARG_SRC, OCL_IMAGE_ALONE}, {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_image_require(pd, params);
}

static int axis_of(const prim_desc_t *pd)
{
    return prim__ocl_image_axis(prim__pd_md(pd, PRIM_ARG_DST)->ndims, pd->op.u.axis.axis);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "AXIS", axis_of(pd));
    prim__ocl_options_int(&options, "IS_LOG", pd->op.alg_kind == PRIM_SOFTMAX_LOG);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_softmax_image_cl, "softmax_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const ocl_image_t shape = prim__ocl_image_shape(dst);
    // The first channel block of every pixel stands at the left.
    const int32_t npixels = axis_of(pd) == 1 ? shape.w : shape.width;
    ocl_args_t args;
    prim__ocl_image_args(&args, ctx, pd, params);
    prim__ocl_args_i32(&args, npixels);
    prim__ocl_args_i32(&args, (int32_t)dst->dims[pd->op.u.axis.axis]);
    return prim__ocl_image_run_over(ctx, p, &args, npixels, shape.height);
}

const impl_t prim__ocl_softmax_image = {
        .name = "ocl:softmax:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
