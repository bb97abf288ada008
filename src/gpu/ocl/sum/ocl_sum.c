// SPDX-License-Identifier: Apache-2.0
// Sum: what the OpenCL implementations share on the host.
#include "ocl_sum.h"

#include "common/int_math.h"

prim_status_t prim__ocl_sum_init(prim_desc_t *pd)
{
    sum_pd_t *const sum = (sum_pd_t *)pd;
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    sum->ninputs = pd->ntensors - 1;
    sum->nlaunches = (int)prim__ceil_div(sum->ninputs, SUM_INPUTS);
    const prim_dim_t nelems = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DST));
    if (sum->nlaunches > 1 && nelems > 0)
        sum->partial_offset_bytes = prim__pd_book_scratchpad(pd, (size_t)nelems * sizeof(float));
    return PRIM_SUCCESS;
}

int prim__ocl_sum_count(const sum_pd_t *pd, int launch)
{
    const int left = pd->ninputs - launch * SUM_INPUTS;
    return left < SUM_INPUTS ? left : SUM_INPUTS;
}

void prim__ocl_sum_args(
        ocl_args_t *args, const sum_pd_t *pd, const exec_ctx_t *ctx, int launch, bool with_types)
{
    const int count = prim__ocl_sum_count(pd, launch);
    const tensor_t *const inputs = &pd->base.tensors[launch * SUM_INPUTS];
    for (int k = 0; k < SUM_INPUTS; ++k) {
        if (k < count) {
            prim__ocl_args_tensor(args, ctx, inputs[k].arg);
        } else {
            prim__ocl_args_nothing(args);
        }
    }
    for (int k = 0; k < SUM_INPUTS; ++k) prim__ocl_args_f32(args, k < count ? inputs[k].scale : 0);
    for (int k = 0; with_types && k < SUM_INPUTS; ++k)
        prim__ocl_args_i32(args, k < count ? (int32_t)inputs[k].md.data_type : 0);
    prim__ocl_args_i32(args, count);
    if (ctx->scratchpad) {
        prim__ocl_args_scratchpad(args, ctx, pd->partial_offset_bytes, sizeof(float));
    } else {
        prim__ocl_args_nothing(args);
    }
    prim__ocl_args_i32(args, launch > 0);
    prim__ocl_args_i32(args, launch + 1 < pd->nlaunches);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
}
