// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution between image2d objects.
#include "ocl_conv_on_images.h"

extern const ocl_source_t prim__ocl_conv_image_depthwise_cl;
extern const impl_t prim__ocl_conv_image_depthwise;

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_image_pd_t *const pd = (conv_image_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    TRY(prim__ocl_conv_image_check(pd));
    REQUIRE(base, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    return prim__ocl_conv_image_require(pd, s->nspatial == 1 ? "Abcd4a" : "Abcde4a");
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_conv_image_init(
            primitive, &prim__ocl_conv_image_depthwise_cl, "conv_image_depthwise");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_conv_image_args_tensors(&args, ctx, primitive->pd);
    prim__ocl_conv_image_args_window(&args, &((const conv_image_pd_t *)primitive->pd)->shape);
    return prim__ocl_image_run(ctx, p, &args);
}

const impl_t prim__ocl_conv_image_depthwise = {
        .name = "ocl:conv:image_depthwise",
        .pd_size = sizeof(conv_image_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
