// SPDX-License-Identifier: Apache-2.0
// The gradient of inner product by src on OpenCL devices as a
// matmul, where an implementation other than ocl:matmul:any takes it.
#include "common/ip_gradient_as_matmul.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_ip_backward_data_matmul;

const impl_t prim__ocl_ip_backward_data_matmul = {
        .name = "ocl:ip:backward_data_matmul",
        .pd_size = sizeof(ip_gradient_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ip_gradient_matmul_init_pd,
        .execute = prim__ip_gradient_matmul_execute,
        .nests = &prim__matmul_schema,
};
