// SPDX-License-Identifier: Apache-2.0
// Inner product on CPU-type OpenCL devices: a matrix product by ocl_matmul_packed_cpu.cl.
#include "gpu/ocl/matmul/ocl_matmul_packed_cpu.h"

extern const impl_t prim__ocl_ip_packed_cpu;

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__ocl_packed_cpu_set_weights(pd, 0, src));
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS)));
    TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST)));
    return prim__ocl_packed_cpu_init_pd(pd);
}

const impl_t prim__ocl_ip_packed_cpu = {
        .name = "ocl:ip:packed_cpu",
        .pd_size = sizeof(ocl_packed_cpu_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_packed_cpu_init,
        .execute = prim__ocl_packed_cpu_execute,
        .fini = prim__ocl_primitive_fini,
};
