// SPDX-License-Identifier: Apache-2.0
// Convolution of f32 on GPUs with asynchronous copies (`cp.async`): the implicit matrix product
// of ocl_conv_igemm.c in several pipeline stages.
#include "ocl_conv_pipeline.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_conv_igemm.h"

extern const impl_t prim__ocl_conv_pipeline;

static bool is_f32(const prim_desc_t *pd, int arg)
{
    return prim__pd_md(pd, arg)->data_type == PRIM_F32;
}

bool prim__ocl_conv_pipeline_has_quads(const conv_shape_t *s, const prim_dim_t data[5])
{
    prim_dim_t inner = 1;
    bool is_row = true;
    for (int d = CONV_NSPATIAL - 1; d >= 0; --d) {
        is_row = is_row && s->kernel[d] == 1 && s->stride[d] == 1 && s->pad[d] == 0 &&
                 s->in[d] == s->out[d] && (s->in[d] == 1 || data[2 + d] == inner);
        inner *= s->in[d];
    }
    return is_row && inner % 4 == 0 && data[1] % 4 == 0 && (s->mb == 1 || data[0] % 4 == 0);
}

size_t prim__ocl_conv_pipeline_bytes(const prim_engine_t *engine)
{
    const size_t told = prim__ocl_device(engine)->local_bytes, small = 48 * 1024;
    if (!prim__ocl_device_trusts(engine, OCL_FEATURE_ASYNC_COPY))
        return told < small ? told : small;
    return prim__ocl_feature_local_bytes(engine);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_igemm_pd_t *const pd = (ocl_conv_igemm_pd_t *)base;
    REQUIRE(base, is_f32(base, PRIM_ARG_SRC) && is_f32(base, PRIM_ARG_WEIGHTS),
            "src or weights are not f32");
    TRY(prim__ocl_conv_igemm_check(pd));
    REQUIRE(base, !pd->code.src_depth_runs, "src is NHWC; this variant copies rows of NCHW");
    prim_dim_t data[5];
    prim__conv_data_strides(data, prim__pd_md(base, PRIM_ARG_SRC));
    pd->code.pixel_quads = !pd->code.is_flat && prim__ocl_conv_pipeline_has_quads(&pd->shape, data);
    pd->code.copies_async = prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY);
    TRY(prim__ocl_conv_igemm_book(pd, prim__ocl_conv_pipeline_bytes(base->engine)));
    PREFER_OTHER_UNLESS(base, pd->code.copies_async,
            "the device has no asynchronous copies (`cp.async`, compute capability 8.0)");
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_pipeline = {
        .name = "ocl:conv:pipeline",
        .pd_size = sizeof(ocl_conv_igemm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_conv_igemm_init,
        .execute = prim__ocl_conv_igemm_execute,
        .fini = prim__ocl_primitive_fini,
};
