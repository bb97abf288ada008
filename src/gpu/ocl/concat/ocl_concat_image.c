// SPDX-License-Identifier: Apache-2.0
// Concat of images.
#include "gpu/ocl/kit/ocl_image_pd.h"

extern const ocl_source_t prim__ocl_concat_image_cl;
extern const impl_t prim__ocl_concat_image;

enum { MAX_SOURCES = 8 };

static int nsources(const prim_desc_t *pd)
{
    int n = 0;
    while (prim__pd_has(pd, PRIM_ARG_MULTIPLE_SRC + n)) ++n;
    return n;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    ocl_image_param_t params[MAX_SOURCES + 2] = {{PRIM_ARG_DST, OCL_IMAGE_SHAPED}};
    const int n = nsources(pd);
    REQUIRE(pd, n <= MAX_SOURCES, "%d sources; this variant takes at most 8", n);
    for (int i = 0; i < n; ++i)
        params[1 + i] = (ocl_image_param_t){PRIM_ARG_MULTIPLE_SRC + i, OCL_IMAGE_SHAPED};
    return prim__ocl_image_require(pd, params);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const int ndims = prim__pd_md(pd, PRIM_ARG_DST)->ndims;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "NSRCS", nsources(pd));
    prim__ocl_options_int(&options, "AXIS", prim__ocl_image_axis(ndims, pd->op.u.axis.axis));
    return prim__ocl_image_init(primitive, &options, &prim__ocl_concat_image_cl, "concat_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const int n = nsources(pd), axis = pd->op.u.axis.axis;
    prim_dim_t start = 0;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    for (int i = 0; i < n; ++i) {
        const int arg = PRIM_ARG_MULTIPLE_SRC + i;
        prim__ocl_args_image(&args, ctx, arg);
        prim__ocl_args_image_shape(&args, pd, arg);
        prim__ocl_args_i32(&args, (int32_t)start);
        start += prim__pd_md(pd, arg)->dims[axis];
    }
    prim__ocl_args_image(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_DST);
    return prim__ocl_image_run(ctx, p, &args);
}

const impl_t prim__ocl_concat_image = {
        .name = "ocl:concat:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
