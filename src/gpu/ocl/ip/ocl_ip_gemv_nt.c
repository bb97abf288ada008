// SPDX-License-Identifier: Apache-2.0
// Inner product with few images on GPUs, weights of an output channel side by side: a matrix
// product by ocl_matmul_gemv_nt.cl.
#include "gpu/ocl/matmul/ocl_matmul_gemv_nt.h"

extern const impl_t prim__ocl_ip_gemv_nt;

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__md_set_like_if_any(wei, src));
    TRY(prim__ocl_gemm_set_row_major(pd));
    return prim__ocl_gemv_nt_init_pd(pd);
}

const impl_t prim__ocl_ip_gemv_nt = {
        .name = "ocl:ip:gemv_nt",
        .pd_size = sizeof(ocl_gemv_nt_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_gemv_nt_init,
        .execute = prim__ocl_gemv_nt_execute,
        .fini = prim__ocl_primitive_fini,
};
