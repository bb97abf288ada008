// SPDX-License-Identifier: Apache-2.0
// Binary, generic: one program for every problem; types, layouts, algorithm and post-ops are
// run-time arguments.
#include "gpu/ocl/clh/shared/binary_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "ocl_binary.h"

extern const ocl_source_t prim__ocl_binary_any_cl;
extern const impl_t prim__ocl_binary_any;

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, pd, false);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_binary_any_cl, &options, "binary_any"));
    const ocl_binary_any_data_t data = {.src0 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_0)),
            .src1 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_1)),
            .src2 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_2)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .scale0_dt = prim__ocl_scale_type(pd, PRIM_ARG_SRC_0),
            .scale1_dt = prim__ocl_scale_type(pd, PRIM_ARG_SRC_1),
            .is_int = prim__ocl_binary_is_int(pd)};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_2);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_i32(&args, (int32_t)pd->op.alg_kind);
    prim__ocl_args_post_ops(&args, ctx, p);
    const prim_dim_t nitems = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DST));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_binary_any = {
        .name = "ocl:binary:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_binary_init,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
