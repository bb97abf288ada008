// SPDX-License-Identifier: Apache-2.0
// Convolution between image2d objects: any window, groups of whole texels.
#include "common/int_math.h"
#include "ocl_conv_on_images.h"

extern const ocl_source_t prim__ocl_conv_image_cl;
extern const impl_t prim__ocl_conv_image;

enum { TEXEL = 4, TILE_PIXELS = 4 };

static const char *weights_tag(const conv_shape_t *s)
{
    if (s->nspatial == 1) return s->has_groups ? "aBdC4c4b" : "AcB4b4a";
    return s->has_groups ? "aBdeC4c4b" : "AcdB4b4a";
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_image_pd_t *const pd = (conv_image_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    TRY(prim__ocl_conv_image_check(pd));
    REQUIRE(base, s->g == 1 || (s->ic % TEXEL == 0 && s->oc % TEXEL == 0),
            "%lld input and %lld output channels per group: a texel of four would span groups",
            (long long)s->ic, (long long)s->oc);
    return prim__ocl_conv_image_require(pd, weights_tag(s));
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_conv_image_init(primitive, &prim__ocl_conv_image_cl, "conv_image");
}

static int64_t blocks(prim_dim_t channels)
{
    return prim__ceil_div(channels, TEXEL);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_shape_t *const s = &((const conv_image_pd_t *)primitive->pd)->shape;
    ocl_args_t args;
    prim__ocl_conv_image_args_tensors(&args, ctx, primitive->pd);
    prim__ocl_args_i32(&args, (int32_t)blocks(s->ic));
    prim__ocl_args_i32(&args, (int32_t)blocks(s->oc));
    prim__ocl_conv_image_args_window(&args, s);
    const int64_t ntiles = prim__ceil_div(s->out[CONV_W], TILE_PIXELS);
    return prim__ocl_image_run_over(
            ctx, p, &args, s->g * blocks(s->oc) * ntiles, s->mb * s->out[CONV_H]);
}

const impl_t prim__ocl_conv_image = {
        .name = "ocl:conv:image",
        .pd_size = sizeof(conv_image_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
