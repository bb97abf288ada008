// SPDX-License-Identifier: Apache-2.0
// Inner product on the CPU as a matmul, for the types that simd:matmul:gemm takes.
#include "common/ip_as_matmul.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ip_as_matmul_init_pd(pd, false);
}

const impl_t prim__simd_ip_matmul = {
        .name = "simd:ip:matmul",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = prim__ip_as_matmul_execute,
        .nests = &prim__matmul_schema,
};
