// SPDX-License-Identifier: Apache-2.0
// Inner product with few images on matrix units that read weights straight from memory: a matrix
// product by ocl_matmul_mma_split_k.cl.
#include "gpu/ocl/matmul/ocl_matmul_mma_split_k.h"

extern const impl_t prim__ocl_ip_mma_split_k;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_inner_product_for_units(pd));
    return prim__ocl_mma_split_k_init_pd(pd);
}

const impl_t prim__ocl_ip_mma_split_k = {
        .name = "ocl:ip:mma_split_k",
        .pd_size = sizeof(ocl_mma_split_k_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_mma_split_k_init,
        .execute = prim__ocl_mma_split_k_execute,
        .fini = prim__ocl_primitive_fini,
};
