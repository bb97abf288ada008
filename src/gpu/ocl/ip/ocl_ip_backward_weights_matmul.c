// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product by weights and bias on OpenCL devices as a
// matmul, where an implementation other than ocl:matmul:any takes it.
#include "common/ip_gradient_as_matmul.h"
#include "ocl_ip_gradient.h"

extern const impl_t prim__ocl_ip_backward_weights_matmul;

typedef struct {
    prim_desc_t base;
    ip_gradient_t gradient;
    ocl_ip_bias_t bias;
} ip_backward_weights_pd_t;

_Static_assert(offsetof(ip_backward_weights_pd_t, base) == 0, "the base comes first");

// Matrix units read 16-bit operands along the sums, which here are those over the images.
static bool needs_rows_along_k(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    return !prim__ocl_device(pd->engine)->is_cpu && (type == PRIM_F16 || type == PRIM_BF16);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    ip_backward_weights_pd_t *const p = (ip_backward_weights_pd_t *)pd;
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ip_gradient_as_matmul_init_pd(&p->gradient, pd, needs_rows_along_k(pd)));
    prim__ocl_ip_bias_plan(&p->bias, pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_ip_bias_init(
            (ocl_primitive_t *)primitive, &((const ip_backward_weights_pd_t *)primitive->pd)->bias);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ip_backward_weights_pd_t *const pd = (const ip_backward_weights_pd_t *)primitive->pd;
    TRY(prim__ip_gradient_as_matmul_execute(&pd->gradient, primitive, ctx));
    return prim__ocl_ip_bias_run((const ocl_primitive_t *)primitive, ctx, &pd->bias, 0, 0);
}

const impl_t prim__ocl_ip_backward_weights_matmul = {
        .name = "ocl:ip:backward_weights_matmul",
        .pd_size = sizeof(ip_backward_weights_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .nests = &prim__matmul_schema,
};
