// SPDX-License-Identifier: Apache-2.0
// Inner product on matrix units: a matrix product by ocl_matmul_mma.cl.
#include "gpu/ocl/matmul/ocl_matmul_mma.h"

extern const impl_t prim__ocl_ip_mma;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_inner_product_for_units(pd));
    return prim__ocl_mma_init_pd(pd);
}

const impl_t prim__ocl_ip_mma = {
        .name = "ocl:ip:mma",
        .pd_size = sizeof(ocl_mma_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_mma_init,
        .execute = prim__ocl_mma_execute,
        .fini = prim__ocl_primitive_fini,
};
