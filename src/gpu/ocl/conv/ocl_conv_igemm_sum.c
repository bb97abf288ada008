// SPDX-License-Identifier: Apache-2.0
// The reduction of split-K after an implicit matrix product.
#include "ocl_conv_igemm_sum.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv_igemm.h"

void prim__ocl_conv_igemm_args_sizes(ocl_args_t *args, const ocl_primitive_t *p)
{
    const ocl_conv_igemm_pd_t *const pd = (const ocl_conv_igemm_pd_t *)p->base.pd;
    if (pd->code.sizes_by_value)
        prim__ocl_args_struct(args, &pd->data, sizeof pd->data);
    else
        prim__ocl_args_buffer(args, p->data[OCL_CONV_IGEMM_SIZES]);
}

void prim__ocl_conv_igemm_args_partial(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_igemm_pd_t *pd)
{
    if (pd->plan.nsplits > 1)
        prim__ocl_args_scratchpad(args, ctx, pd->partial_offset, sizeof(float));
    else
        prim__ocl_args_nothing(args);
}

prim_status_t prim__ocl_conv_igemm_sum(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const ocl_conv_igemm_pd_t *const pd = (const ocl_conv_igemm_pd_t *)p->base.pd;
    const conv_shape_t *const s = &pd->shape;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_conv_igemm_args_sizes(&args, p);
    prim__ocl_conv_igemm_args_partial(&args, ctx, pd);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_BIAS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_conv_args_quant(&args, ctx, p->base.pd);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_1d(p->kernels[1], s->g * s->oc * s->mb * prim__conv_out_elems(s));
    return prim__ocl_launch(ctx, p->kernels[1], &range, &args);
}
