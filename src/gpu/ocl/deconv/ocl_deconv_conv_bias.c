// SPDX-License-Identifier: Apache-2.0
// Deconvolution with a bias on OpenCL devices as the gradient of the convolution by src, where an
// implementation of it adds the bias to its sums.
#include "common/deconv_as_conv.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_deconv_conv_bias;

const impl_t prim__ocl_deconv_conv_bias = {
        .name = "ocl:deconv:conv_bias",
        .pd_size = sizeof(deconv_as_conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__deconv_as_conv_init_pd_bias_inside,
        .execute = prim__deconv_as_conv_execute,
        .nests = &prim__conv_backward_data_schema,
};
