// SPDX-License-Identifier: Apache-2.0
// Concat, generic: one program for every problem; types and layouts are run-time arguments.
#include "gpu/ocl/clh/shared/concat_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_multi_launch.h"
#include "gpu/ocl/kit/ocl_quant.h"

extern const ocl_source_t prim__ocl_concat_any_cl;
extern const impl_t prim__ocl_concat_any;

enum { KERNEL_COPY, KERNEL_CLEAR };

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    return prim__ocl_require_layouts(pd, false);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_multi_launch_t *const many = (ocl_multi_launch_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const ocl_source_t *const source = &prim__ocl_concat_any_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(&many->base, source, &options, "concat_any"));
    TRY(prim__ocl_primitive_add_kernel(&many->base, source, &options, "concat_clear"));
    TRY(prim__ocl_multi_launch_reserve(many, pd->ntensors - 1));
    const int axis = pd->op.u.axis.axis;
    ocl_concat_any_data_t data = {.dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)), .axis = axis};
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        data.src = prim__ocl_md(&pd->tensors[i].md);
        TRY(prim__ocl_multi_launch_add(many, &data, sizeof data));
        data.start += pd->tensors[i].md.dims[axis];
    }
    return PRIM_SUCCESS;
}

static prim_status_t copy_source(const prim_t *primitive, const exec_ctx_t *ctx, int i)
{
    const ocl_multi_launch_t *const many = (const ocl_multi_launch_t *)primitive;
    const ocl_kernel_t *const kernel = many->base.kernels[KERNEL_COPY];
    const tensor_t *const src = &primitive->pd->tensors[i];
    const quant_t *const scale = prim__attr_scale(&primitive->pd->attr, src->arg);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, many->launches[i]);
    prim__ocl_args_tensor(&args, ctx, src->arg);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(&args, ctx, src->arg);
    prim__ocl_args_i32(&args, scale ? (int32_t)scale->data_type : PRIM_DATA_TYPE_UNDEF);
    const ocl_range_t range = prim__ocl_range_1d(kernel, prim__md_nelems(&src->md));
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_multi_launch_t *const many = (const ocl_multi_launch_t *)primitive;
    const ocl_kernel_t *const clear = many->base.kernels[KERNEL_CLEAR];
    const prim_memory_desc_t *const dst = prim__pd_md(primitive->pd, PRIM_ARG_DST);
    for (int i = 0; i < many->nlaunches; ++i) TRY(copy_source(primitive, ctx, i));
    if (!prim__md_is_padded(dst)) return PRIM_SUCCESS;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, many->launches[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    const ocl_range_t range = prim__ocl_range_1d(clear, prim__md_nelems_padded(dst));
    return prim__ocl_launch(ctx, clear, &range, &args);
}

const impl_t prim__ocl_concat_any = {
        .name = "ocl:concat:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_multi_launch_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_multi_launch_fini,
};
