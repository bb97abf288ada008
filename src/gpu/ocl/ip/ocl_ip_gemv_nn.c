// SPDX-License-Identifier: Apache-2.0
// Inner product with few images on GPUs: a matrix product by ocl_matmul_gemv_nn.cl.
#include "gpu/ocl/matmul/ocl_matmul_gemv_nn.h"

extern const impl_t prim__ocl_ip_gemv_nn;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_inner_product(pd));
    return prim__ocl_gemv_nn_init_pd(pd);
}

const impl_t prim__ocl_ip_gemv_nn = {
        .name = "ocl:ip:gemv_nn",
        .pd_size = sizeof(ocl_gemv_nn_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_gemv_nn_init,
        .execute = prim__ocl_gemv_nn_execute,
        .fini = prim__ocl_primitive_fini,
};
