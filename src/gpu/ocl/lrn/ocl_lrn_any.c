// SPDX-License-Identifier: Apache-2.0
// Local response normalisation, generic: one program for every problem.
#include "common/lrn_shape.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_lrn.h"

extern const ocl_source_t prim__ocl_lrn_any_cl;
extern const impl_t prim__ocl_lrn_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__lrn_resolve(pd);
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_lrn_init(primitive, &prim__ocl_lrn_any_cl, "lrn_any", PRIM_ARG_DST);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WORKSPACE, PRIM_ARG_DST, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run_over_dst(primitive, ctx, &args);
}

const impl_t prim__ocl_lrn_any = {
        .name = "ocl:lrn:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
