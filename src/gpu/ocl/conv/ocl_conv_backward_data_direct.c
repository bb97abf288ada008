// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src with few channels of src as direct convolutions of diff_dst,
// one for each phase of the strides, in one launch.
#include "common/data_type.h"
#include "ocl_conv.h"
#include "ocl_conv_direct.h"
#include "ocl_conv_direct_choice.h"

extern const impl_t prim__ocl_conv_backward_data_direct;

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->nspatial < 3, "three spatial dimensions; this variant takes one or two");
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d)
        REQUIRE(pd, s->stride[d] <= CONV_DIRECT_PHASES, "stride %lld is above 4",
                (long long)s->stride[d]);
    REQUIRE(pd, s->oc * prim__conv_taps(s) <= OCL_LONGEST_SUM,
            "OC·KH·KW is more products than one sum of f32 holds without loss");
    return PRIM_SUCCESS;
}

static prim_status_t set_layouts(prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    if (type == PRIM_F16 || type == PRIM_BF16) TRY(prim__conv_set_channels_last(pd));
    return prim__conv_set_row_major(pd);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_direct_pd_t *const pd = (ocl_conv_direct_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_shape(base, s));
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, s));
    TRY(set_layouts(base));
    TRY(prim__ocl_conv_require_plain_gradient(base));
    pd->problem = (ocl_conv_direct_problem_t){.mb = s->mb,
            .g = s->g,
            .ic = s->oc,
            .oc = s->ic,
            .h = prim__ocl_conv_direct_gradient(s, CONV_H),
            .w = prim__ocl_conv_direct_gradient(s, CONV_W)};
    pd->is_gradient = true;
    TRY(prim__ocl_conv_direct_book(pd, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC));
    return prim__ocl_conv_direct_prefer_cheaper(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_weights(&options, pd);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(&options, "HAS_QUANT", 0);
    return prim__ocl_conv_direct_init(primitive, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_conv_direct_execute(primitive, ctx, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC);
}

const impl_t prim__ocl_conv_backward_data_direct = {
        .name = "ocl:conv:backward_data_direct",
        .pd_size = sizeof(ocl_conv_direct_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
