// SPDX-License-Identifier: Apache-2.0
// Binary, generic: one program for every problem; types, layouts, algorithm and post-ops are
// run-time arguments.
#include "gpu/ocl/clh/shared/binary_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_binary.h"

extern const ocl_source_t prim__ocl_binary_any_cl;
extern const impl_t prim__ocl_binary_any;

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const ocl_binary_any_data_t data = {.src0 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_0)),
            .src1 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_1)),
            .src2 = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC_2)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .scale0_dt = prim__ocl_scale_type(pd, PRIM_ARG_SRC_0),
            .scale1_dt = prim__ocl_scale_type(pd, PRIM_ARG_SRC_1),
            .is_int = prim__ocl_binary_is_int(pd)};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_binary_any_cl, "binary_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_SRC_2, PRIM_ARG_DST, 0};
    const prim_desc_t *const pd = primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_i32(&args, (int32_t)pd->op.alg_kind);
    return prim__ocl_single_run_over_dst(primitive, ctx, &args);
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
