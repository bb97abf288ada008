// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: what the OpenCL implementations share on the host.
#include "ocl_lnorm.h"

#include "common/ops/schema.h"
#include "gpu/ocl/kit/ocl_quant.h"

int32_t prim__ocl_lnorm_stats(const prim_desc_t *pd)
{
    if (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) return LNORM_STATS_GIVEN;
    return prim__pd_has(pd, PRIM_ARG_MEAN) ? LNORM_STATS_OUTPUT : LNORM_STATS_LOCAL;
}

prim_status_t prim__ocl_lnorm_init(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

void prim__ocl_lnorm_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_SRC));
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_DST));
}
