// SPDX-License-Identifier: Apache-2.0
// Inner product on GPUs: a matrix product by ocl_matmul_tiled.cl.
#include "gpu/ocl/matmul/ocl_matmul_tiled.h"

extern const impl_t prim__ocl_ip_tiled;

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__md_set_like_if_any(wei, src));
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS)));
    TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST)));
    return prim__ocl_tiled_init_pd(pd);
}

const impl_t prim__ocl_ip_tiled = {
        .name = "ocl:ip:tiled",
        .pd_size = sizeof(ocl_tiled_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_tiled_init,
        .execute = prim__ocl_tiled_execute,
        .fini = prim__ocl_primitive_fini,
};
