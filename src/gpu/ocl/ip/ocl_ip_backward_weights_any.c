// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product by weights and bias, generic: one program for every problem.
#include "ocl_ip_gradient.h"

extern const impl_t prim__ocl_ip_backward_weights_any;

typedef struct {
    prim_desc_t base;
    ocl_ip_bias_t bias;
} ip_backward_weights_pd_t;

_Static_assert(offsetof(ip_backward_weights_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_ip_gradient_init_pd(pd));
    prim__ocl_ip_bias_plan(&((ip_backward_weights_pd_t *)pd)->bias, pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ip_backward_weights_pd_t *const pd = (const ip_backward_weights_pd_t *)primitive->pd;
    TRY(prim__ocl_ip_gradient_init(p, PRIM_ARG_SRC, PRIM_ARG_DIFF_WEIGHTS));
    return prim__ocl_ip_bias_init(p, &pd->bias);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ip_backward_weights_pd_t *const pd = (const ip_backward_weights_pd_t *)primitive->pd;
    TRY(prim__ocl_ip_gradient_run(p, ctx, PRIM_ARG_SRC, PRIM_ARG_DIFF_WEIGHTS));
    return prim__ocl_ip_bias_run(p, ctx, &pd->bias, 1, 1);
}

const impl_t prim__ocl_ip_backward_weights_any = {
        .name = "ocl:ip:backward_weights_any",
        .pd_size = sizeof(ip_backward_weights_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
