// SPDX-License-Identifier: Apache-2.0
// Inner product on OpenCL devices as a matmul, where an implementation other than ocl:matmul:any
// takes it.
#include "common/ip_as_matmul.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_ip_matmul;

// Weights of 16 bits are N×K on GPUs: that is how the matrix units' rates for inner product were
// measured, and how frameworks keep them. Otherwise the matmul chooses, panels on a CPU for one.
static bool is_along_k(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    return !prim__ocl_device(pd->engine)->is_cpu && (type == PRIM_F16 || type == PRIM_BF16);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ip_as_matmul_init_pd(pd, is_along_k(pd));
}

const impl_t prim__ocl_ip_matmul = {
        .name = "ocl:ip:matmul",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .execute = prim__ip_as_matmul_execute,
        .nests = &prim__matmul_schema,
};
