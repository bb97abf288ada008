// SPDX-License-Identifier: Apache-2.0
// Reorder to, from and between images; the side that is a buffer has any type and layout, and may
// be in host memory.
#include "gpu/ocl/clh/shared/reorder_image_data.h"
#include "gpu/ocl/kit/ocl_image_pd.h"
#include "ocl_reorder_sides.h"

extern const ocl_source_t prim__ocl_reorder_image_cl;
extern const impl_t prim__ocl_reorder_image;

static bool is_image(const prim_desc_t *pd, int arg)
{
    return prim__md_is_image(prim__pd_md(pd, arg));
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    ocl_image_param_t params[3] = {{0}};
    int n = 0;
    TRY(prim__ocl_require_types(pd));
    if (is_image(pd, PRIM_ARG_FROM))
        params[n++] = (ocl_image_param_t){PRIM_ARG_FROM, OCL_IMAGE_SHAPED};
    if (is_image(pd, PRIM_ARG_TO)) params[n++] = (ocl_image_param_t){PRIM_ARG_TO, OCL_IMAGE_SHAPED};
    REQUIRE(pd, n > 0, "neither side is an image");
    REQUIRE(pd,
            !prim__md_has_runtime(prim__pd_md(pd, PRIM_ARG_FROM)) &&
                    !prim__md_has_runtime(prim__pd_md(pd, PRIM_ARG_TO)),
            "a dimension is known only at execution");
    TRY(prim__ocl_image_require(pd, params));
    REQUIRE(pd, pd->attr.post_ops.len == 0, "post-ops are set; this variant takes none");
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const bool from = is_image(pd, PRIM_ARG_FROM), to = is_image(pd, PRIM_ARG_TO);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_image_init(primitive, &options, &prim__ocl_reorder_image_cl,
            !from ? "reorder_to_image"
            : !to ? "reorder_from_image"
                  : "reorder_image"));
    if (from && to) return PRIM_SUCCESS;
    const ocl_reorder_image_data_t data = {
            .buffer = prim__ocl_md(prim__pd_md(pd, from ? PRIM_ARG_TO : PRIM_ARG_FROM))};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t to_image(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const bool from = is_image(pd, PRIM_ARG_FROM);
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (from) {
        prim__ocl_args_image(&args, ctx, PRIM_ARG_FROM);
    } else {
        prim__ocl_args_buffer(&args, p->data[0]);
        prim__ocl_reorder_args_side(&args, primitive, ctx, PRIM_ARG_FROM);
    }
    prim__ocl_args_image(&args, ctx, PRIM_ARG_TO);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_TO);
    return prim__ocl_image_run(ctx, p, &args);
}

static prim_status_t from_image(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_image(&args, ctx, PRIM_ARG_FROM);
    prim__ocl_args_image_shape(&args, pd, PRIM_ARG_FROM);
    prim__ocl_reorder_args_side(&args, primitive, ctx, PRIM_ARG_TO);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_TO));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_reorder_download(primitive, ctx);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const bool writes_image = is_image(primitive->pd, PRIM_ARG_TO);
    return writes_image ? to_image(primitive, ctx) : from_image(primitive, ctx);
}

const impl_t prim__ocl_reorder_image = {
        .name = "ocl:reorder:image",
        .pd_size = sizeof(reorder_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
