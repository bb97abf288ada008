// SPDX-License-Identifier: Apache-2.0
// Deconvolution on OpenCL devices as the gradient of the convolution by src, where an
// implementation other than ocl:conv:backward_data_any takes it.
#include "common/deconv_as_conv.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_deconv_conv;

const impl_t prim__ocl_deconv_conv = {
        .name = "ocl:deconv:conv",
        .pd_size = sizeof(deconv_as_conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__deconv_as_conv_init_pd,
        .execute = prim__deconv_as_conv_execute,
        .nests = &prim__conv_backward_data_schema,
};
