// SPDX-License-Identifier: Apache-2.0
// Softmax, generic: one program for every problem; types, layouts, axis and post-ops are run-time
// arguments.
#include "gpu/ocl/clh/shared/softmax_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_any_cl;
extern const impl_t prim__ocl_softmax_any;

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_softmax_any_cl, &options, "softmax_any"));
    const ocl_softmax_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST))};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    const prim_memory_desc_t *dst = prim__pd_md(pd, PRIM_ARG_DST);
    const int axis = pd->op.u.axis.axis;
    int64_t nrows = 1;
    for (int d = 0; d < dst->ndims; ++d) nrows *= d == axis ? 1 : dst->padded_dims[d];
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_softmax_args(&args, pd, ctx);
    prim__ocl_args_i32(&args, axis);
    prim__ocl_args_i32(&args, pd->op.alg_kind == PRIM_SOFTMAX_LOG);
    prim__ocl_args_i64(&args, nrows);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nrows);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_any = {
        .name = "ocl:softmax:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_softmax_init,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
