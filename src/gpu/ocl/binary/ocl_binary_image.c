// SPDX-License-Identifier: Apache-2.0
// Binary between images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_binary_image_cl;
extern const impl_t prim__ocl_binary_image;

static const ocl_image_param_t params[] = {{PRIM_ARG_SRC_0, OCL_IMAGE_SHAPED},
        {PRIM_ARG_SRC_1, OCL_IMAGE_SHAPED}, {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

static prim_status_t init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, pd->op.alg_kind != PRIM_BINARY_SELECT,
            "select reads a condition of s8, which no image holds");
    return prim__ocl_image_require(pd, params);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_binary_image_cl, "binary_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_image_execute(primitive, ctx, params);
}

const impl_t prim__ocl_binary_image = {
        .name = "ocl:binary:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
