// SPDX-License-Identifier: Apache-2.0
// Sum, generic: one program for every problem; types and layouts are run-time arguments.
#include "gpu/ocl/kit/ocl_md.h"
#include "ocl_sum.h"

extern const ocl_source_t prim__ocl_sum_any_cl;
extern const impl_t prim__ocl_sum_any;

static prim_status_t init(prim_t *primitive)
{
    ocl_multi_launch_t *const many = (ocl_multi_launch_t *)primitive;
    const sum_pd_t *const pd = (const sum_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(&many->base, &prim__ocl_sum_any_cl, &options, "sum_any"));
    TRY(prim__ocl_multi_launch_reserve(many, pd->nlaunches));
    for (int launch = 0; launch < pd->nlaunches; ++launch) {
        ocl_sum_any_data_t data = {.dst = prim__ocl_md(prim__pd_md(&pd->base, PRIM_ARG_DST))};
        for (int k = 0; k < prim__ocl_sum_count(pd, launch); ++k)
            data.src[k] = prim__ocl_md(&pd->base.tensors[launch * SUM_INPUTS + k].md);
        TRY(prim__ocl_multi_launch_add(many, &data, sizeof data));
    }
    return PRIM_SUCCESS;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_multi_launch_t *const many = (const ocl_multi_launch_t *)primitive;
    const sum_pd_t *const pd = (const sum_pd_t *)primitive->pd;
    const ocl_kernel_t *const kernel = many->base.kernels[0];
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_DST));
    const ocl_range_t range = prim__ocl_range_1d(kernel, nitems);
    for (int launch = 0; launch < pd->nlaunches && nitems > 0; ++launch) {
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_buffer(&args, many->launches[launch]);
        prim__ocl_sum_args(&args, pd, ctx, launch, false);
        TRY(prim__ocl_launch(ctx, kernel, &range, &args));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_sum_any = {
        .name = "ocl:sum:any",
        .pd_size = sizeof(sum_pd_t),
        .primitive_size = sizeof(ocl_multi_launch_t),
        .init_pd = prim__ocl_sum_init,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_multi_launch_fini,
};
