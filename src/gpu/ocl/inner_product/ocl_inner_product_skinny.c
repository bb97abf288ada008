// SPDX-License-Identifier: Apache-2.0
// Inner product with few images on GPUs: a matrix product by ocl_matmul_skinny.cl.
#include "gpu/ocl/matmul/ocl_matmul_skinny.h"

extern const impl_t prim__ocl_inner_product_skinny;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_inner_product(pd));
    return prim__ocl_skinny_init_pd(pd);
}

const impl_t prim__ocl_inner_product_skinny = {
        .name = "ocl:inner_product:skinny",
        .pd_size = sizeof(ocl_skinny_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_skinny_init,
        .execute = prim__ocl_skinny_execute,
        .fini = prim__ocl_primitive_fini,
};
