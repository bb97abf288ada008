// SPDX-License-Identifier: Apache-2.0
// The gradients of group normalisation on the CPU: any type, layout and flags.
#include "ref_norm_backward.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ref_norm_backward_init(pd, pd->op.u.norm.groups);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    prim__ref_norm_backward(primitive->pd, ctx, primitive->pd->op.u.norm.groups);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_gnorm_backward_any = {
        .name = "ref:gnorm:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
