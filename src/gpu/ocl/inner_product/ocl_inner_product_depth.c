// SPDX-License-Identifier: Apache-2.0
// Inner product with few images on matrix units that read weights straight from memory: a matrix
// product by ocl_matmul_depth.cl.
#include "gpu/ocl/matmul/ocl_matmul_depth.h"

extern const impl_t prim__ocl_inner_product_depth;

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__md_set_like_if_any(wei, src));
    TRY(prim__ocl_gemm_set_row_major(pd));
    return prim__ocl_depth_init_pd(pd);
}

const impl_t prim__ocl_inner_product_depth = {
        .name = "ocl:inner_product:depth",
        .pd_size = sizeof(ocl_depth_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_depth_init,
        .execute = prim__ocl_depth_execute,
        .fini = prim__ocl_primitive_fini,
};
