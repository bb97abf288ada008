// SPDX-License-Identifier: Apache-2.0
// The gradient of inner product by src on OpenCL devices as a
// matmul, where an implementation other than ocl:matmul:any takes it.
#include "common/ip_gradient_as_matmul.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_ip_backward_data_matmul;

typedef struct {
    prim_desc_t base;
    ip_gradient_t gradient;
} ip_backward_data_pd_t;

_Static_assert(offsetof(ip_backward_data_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ip_gradient_as_matmul_init_pd(&((ip_backward_data_pd_t *)pd)->gradient, pd, false);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ip_backward_data_pd_t *const pd = (const ip_backward_data_pd_t *)primitive->pd;
    return prim__ip_gradient_as_matmul_execute(&pd->gradient, primitive, ctx);
}

const impl_t prim__ocl_ip_backward_data_matmul = {
        .name = "ocl:ip:backward_data_matmul",
        .pd_size = sizeof(ip_backward_data_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__matmul_schema,
};
