// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product by weights and bias on the CPU, in double for any type and layout.
#include "common/ip_layout.h"
#include "ref_finish.h"
#include "ref_ip.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__ip_set_layouts(pd);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    TRY(prim__ref_ip_gradient(primitive->pd, ctx, PRIM_ARG_SRC, PRIM_ARG_DIFF_WEIGHTS));
    return prim__ref_ip_bias_gradient(primitive->pd, ctx);
}

const impl_t prim__ref_ip_backward_weights_any = {
        .name = "ref:ip:backward_weights_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
