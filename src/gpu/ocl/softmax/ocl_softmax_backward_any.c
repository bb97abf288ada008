// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax, generic: one program for every problem; types, layouts and axis are
// run-time arguments.
#include "gpu/ocl/clh/shared/softmax_backward_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

extern const ocl_source_t prim__ocl_softmax_backward_any_cl;
extern const impl_t prim__ocl_softmax_backward_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_softmax_backward_any_cl, &options, "softmax_backward_any"));
    const ocl_softmax_backward_any_data_t data = {
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .diff_src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_SRC))};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DST, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, 0};
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    const int axis = pd->op.u.axis.axis;
    int64_t nrows = 1;
    for (int d = 0; d < diff_src->ndims; ++d) nrows *= d == axis ? 1 : diff_src->padded_dims[d];
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_i32(&args, axis);
    prim__ocl_args_i32(&args, pd->op.alg_kind == PRIM_SOFTMAX_LOG);
    prim__ocl_args_i64(&args, nrows);
    return prim__ocl_single_run(primitive, ctx, &args, nrows);
}

const impl_t prim__ocl_softmax_backward_any = {
        .name = "ocl:softmax:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
