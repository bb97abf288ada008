// SPDX-License-Identifier: Apache-2.0
// The gradient of inner product by src on the CPU as a matmul,
// for the types that simd:matmul:gemm takes.
#include "common/ip_gradient_as_matmul.h"

const impl_t prim__simd_ip_backward_data_matmul = {
        .name = "simd:ip:backward_data_matmul",
        .pd_size = sizeof(ip_gradient_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ip_gradient_matmul_init_pd,
        .execute = prim__ip_gradient_matmul_execute,
        .nests = &prim__matmul_schema,
};
