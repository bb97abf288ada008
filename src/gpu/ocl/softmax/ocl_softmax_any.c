// SPDX-License-Identifier: Apache-2.0
// Softmax, generic: one program for every problem; types, layouts, axis and post-ops are run-time
// arguments.
#include "gpu/ocl/clh/shared/softmax_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_any_cl;
extern const impl_t prim__ocl_softmax_any;

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const ocl_softmax_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST))};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_softmax_any_cl, "softmax_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
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
    return prim__ocl_single_run(primitive, ctx, &args, nrows);
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
