// SPDX-License-Identifier: Apache-2.0
// Matmul by WGMMA with operands that are copied by work-items: ocl_matmul_wgmma.cl without
// tensor maps, for any alignment.
#include "ocl_matmul_wgmma.h"

extern const impl_t prim__ocl_matmul_wgmma_gather;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_for_units(pd));
    return prim__ocl_wgmma_init_pd(pd, OCL_WGMMA_GATHER);
}

const impl_t prim__ocl_matmul_wgmma_gather = {
        .name = "ocl:matmul:wgmma_gather",
        .pd_size = sizeof(ocl_wgmma_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_wgmma_init,
        .execute = prim__ocl_wgmma_execute,
        .fini = prim__ocl_primitive_fini,
};
