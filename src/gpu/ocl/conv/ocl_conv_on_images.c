// SPDX-License-Identifier: Apache-2.0
// What the convolutions between images share.
#include "ocl_conv_on_images.h"

#include "common/data_type.h"

static const ocl_image_param_t params[] = {{PRIM_ARG_SRC, OCL_IMAGE_SHAPED},
        {PRIM_ARG_WEIGHTS, OCL_IMAGE_BUFFER}, {PRIM_ARG_BIAS, OCL_IMAGE_BUFFER},
        {PRIM_ARG_DST, OCL_IMAGE_SHAPED}, {0}};

prim_status_t prim__ocl_conv_image_check(conv_image_pd_t *pd)
{
    prim__conv_shape(&pd->shape, &pd->base);
    TRY(prim__conv_take_direct(&pd->base));
    REQUIRE(&pd->base, pd->shape.nspatial <= 2,
            "three spatial dimensions; an image holds at most two");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_image_require(conv_image_pd_t *pd, const char *wei_tag)
{
    prim_desc_t *const base = &pd->base;
    prim_memory_desc_t *const wei = prim__pd_md_mutable(base, PRIM_ARG_WEIGHTS);
    prim_memory_desc_t *const bia = prim__pd_md_mutable(base, PRIM_ARG_BIAS);
    REQUIRE(base, !prim__dt_is_integer(wei->data_type),
            "weights are integers; images hold f32 and f16");
    REQUIRE(base, prim__md_is_any(wei) || prim__md_matches_tag(wei, wei_tag),
            "weights are not in blocks of 4 channels, the layout that `any` chooses");
    TRY(prim__ocl_conv_require_sizes(base, &pd->shape));
    TRY(prim__ocl_conv_require_short_sums(base));
    TRY(prim__ocl_image_require(base, params));
    TRY(prim__md_set_tag_if_any(wei, wei_tag));
    REQUIRE(base, prim__md_span_elems(wei) <= INT32_MAX,
            "weights span 2^31 elements; this variant indexes with 32 bits");
    if (!bia) return PRIM_SUCCESS;
    TRY(prim__md_set_row_major_if_any(bia));
    REQUIRE(base, bia->strides[0] == 1 || bia->dims[0] == 1, "bias is not contiguous");
    REQUIRE(base, prim__md_is_plain(bia), "bias has a blocked layout");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_image_init(
        prim_t *primitive, const ocl_source_t *source, const char *name)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_weights(&options, pd);
    return prim__ocl_image_init(primitive, &options, source, name);
}

void prim__ocl_conv_image_args_tensors(
        ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd)
{
    prim__ocl_image_args(args, ctx, pd, params);
}

void prim__ocl_conv_image_args_window(ocl_args_t *args, const conv_shape_t *shape)
{
    const prim_dim_t *const pairs[] = {shape->kernel, shape->stride, shape->dilation, shape->pad};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        prim__ocl_args_i32(args, (int32_t)pairs[i][CONV_H]);
        prim__ocl_args_i32(args, (int32_t)pairs[i][CONV_W]);
    }
}
