// SPDX-License-Identifier: Apache-2.0
// Inner product from an image to an image.
#include "common/data_type.h"
#include "gpu/ocl/kit/ocl_image_pd.h"
#include "gpu/ocl/kit/ocl_sums.h"

extern const ocl_source_t prim__ocl_ip_image_cl;
extern const impl_t prim__ocl_ip_image;

static const ocl_image_param_t params[] = {{PRIM_ARG_SRC, OCL_IMAGE_SHAPED},
        {PRIM_ARG_WEIGHTS, OCL_IMAGE_BUFFER}, {PRIM_ARG_BIAS, OCL_IMAGE_BUFFER},
        {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

static const char *weights_tag(int ndims)
{
    return ndims == 2 ? "AB4b4a" : ndims == 3 ? "AcB4b4a" : "AcdB4b4a";
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    prim_memory_desc_t *const bia = prim__pd_md_mutable(pd, PRIM_ARG_BIAS);
    REQUIRE(pd, wei->ndims <= 4, "three spatial dimensions; an image holds at most two");
    const char *const tag = weights_tag(wei->ndims);
    REQUIRE(pd, !prim__dt_is_integer(wei->data_type),
            "weights are integers; images hold f32 and f16");
    REQUIRE(pd, prim__md_is_any(wei) || prim__md_matches_tag(wei, tag),
            "weights are not in blocks of 4 channels, the layout that `any` chooses");
    TRY(prim__ocl_image_require(pd, params));
    // Images limit the sizes, so that the product of three fits 64 bits.
    int64_t nproducts = 1;
    for (int d = 1; d < wei->ndims; ++d) nproducts *= wei->dims[d];
    REQUIRE(pd, nproducts <= OCL_LONGEST_SUM,
            "K = %lld: f32 loses precision in sums of more than 65536 products",
            (long long)nproducts);
    TRY(prim__md_set_tag_if_any(wei, tag));
    if (!bia) return PRIM_SUCCESS;
    TRY(prim__md_set_row_major_if_any(bia));
    REQUIRE(pd, prim__md_is_row_major(bia), "bias is not contiguous");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_weights(&options, pd);
    return prim__ocl_image_init(primitive, &options, &prim__ocl_ip_image_cl, "ip_image");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_image_execute(primitive, ctx, params);
}

const impl_t prim__ocl_ip_image = {
        .name = "ocl:ip:image",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .takes_images = true,
};
