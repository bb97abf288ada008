// SPDX-License-Identifier: Apache-2.0
// Inner product on GPUs with asynchronous copies: a matrix product by ocl_matmul_pipeline.cl.
#include "gpu/ocl/matmul/ocl_matmul_pipeline.h"

extern const impl_t prim__ocl_ip_pipeline;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_inner_product(pd));
    return prim__ocl_pipeline_init_pd(pd);
}

const impl_t prim__ocl_ip_pipeline = {
        .name = "ocl:ip:pipeline",
        .pd_size = sizeof(ocl_pipeline_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_pipeline_init,
        .execute = prim__ocl_pipeline_execute,
        .fini = prim__ocl_primitive_fini,
};
