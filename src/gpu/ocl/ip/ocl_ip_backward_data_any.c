// SPDX-License-Identifier: Apache-2.0
// The gradient of inner product by src, generic: one program for every problem.
#include "ocl_ip_gradient.h"

extern const impl_t prim__ocl_ip_backward_data_any;

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_ip_gradient_init(
            (ocl_primitive_t *)primitive, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_ip_gradient_run(
            (const ocl_primitive_t *)primitive, ctx, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC);
}

const impl_t prim__ocl_ip_backward_data_any = {
        .name = "ocl:ip:backward_data_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_ip_gradient_init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
