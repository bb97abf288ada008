// SPDX-License-Identifier: Apache-2.0
// Binary between images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_binary_image_cl;
extern const impl_t prim__ocl_binary_image;

static const int images[] = {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_DST};
enum { NIMAGES = sizeof images / sizeof *images };

static prim_status_t init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, pd->op.alg_kind != PRIM_BINARY_SELECT,
            "select reads a condition of s8, which no image holds");
    return prim__ocl_image_require(pd, images, NIMAGES);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_image_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_binary_image_cl, &options, "binary_image"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    for (int i = 0; i < NIMAGES; ++i) {
        prim__ocl_args_image(&args, ctx, images[i]);
        prim__ocl_args_image_shape(&args, pd, images[i]);
    }
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_image_range(p->kernels[0], pd, PRIM_ARG_DST);
    return prim__ocl_image_launch(ctx, p->kernels[0], &range, &args);
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
