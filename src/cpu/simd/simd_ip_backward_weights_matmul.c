// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product by weights and bias on the CPU as a matmul,
// for the types that simd:matmul:gemm takes.
#include "common/ip_gradient_as_matmul.h"
#include "cpu/ref/ref_finish.h"
#include "cpu/ref/ref_ip.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__ip_gradient_matmul_init_pd(pd);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    TRY(prim__ip_gradient_matmul_execute(primitive, ctx));
    return prim__ref_ip_bias_gradient(primitive->pd, ctx);
}

const impl_t prim__simd_ip_backward_weights_matmul = {
        .name = "simd:ip:backward_weights_matmul",
        .pd_size = sizeof(ip_gradient_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__matmul_schema,
};
