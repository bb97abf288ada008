// SPDX-License-Identifier: Apache-2.0
// Gradients of layer normalisation, generic: one program for every problem; types and layouts are
// run-time arguments.
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "ocl_lnorm.h"

extern const ocl_source_t prim__ocl_lnorm_backward_any_cl;
extern const impl_t prim__ocl_lnorm_backward_any;

enum { DATA, PARAMETERS };

static int32_t type_of(const prim_desc_t *pd, int arg)
{
    return (int32_t)prim__pd_md(pd, arg)->data_type;
}

static bool has_parameters(const prim_desc_t *pd)
{
    return prim__pd_has(pd, PRIM_ARG_DIFF_SCALE) || prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const ocl_source_t *const source = &prim__ocl_lnorm_backward_any_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "lnorm_backward_any"));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "lnorm_backward_any_parameters"));
    const ocl_lnorm_backward_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .diff_src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_SRC)),
            .stat = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_MEAN)),
            .are_constants = (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0,
            .scale_dt = type_of(pd, PRIM_ARG_SCALE),
            .diff_scale_dt = type_of(pd, PRIM_ARG_DIFF_SCALE),
            .diff_shift_dt = type_of(pd, PRIM_ARG_DIFF_SHIFT),
            .epsilon = pd->op.u.norm.epsilon};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static void add_inputs(ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    const int last = diff_src->ndims - 1;
    ocl_args_t args;
    if (has_parameters(pd)) { // before diff_src, which may have the memory of diff_dst
        add_inputs(&args, p, ctx);
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SCALE);
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SHIFT);
        const ocl_range_t range = prim__ocl_range_1d(p->kernels[PARAMETERS], diff_src->dims[last]);
        TRY(prim__ocl_launch(ctx, p->kernels[PARAMETERS], &range, &args));
    }
    int64_t nrows = 1;
    for (int d = 0; d < last; ++d) nrows *= diff_src->padded_dims[d];
    add_inputs(&args, p, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i64(&args, nrows);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[DATA], nrows);
    return prim__ocl_launch(ctx, p->kernels[DATA], &range, &args);
}

const impl_t prim__ocl_lnorm_backward_any = {
        .name = "ocl:lnorm:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_lnorm_init,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
