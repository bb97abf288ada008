// SPDX-License-Identifier: Apache-2.0
// The gradient of deconvolution by src on OpenCL devices:
// the convolution itself, of diff_dst.
#include "common/deconv_as_conv.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_deconv_backward_data_any;

const impl_t prim__ocl_deconv_backward_data_any = {
        .name = "ocl:deconv:backward_data_any",
        .pd_size = sizeof(deconv_as_conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__deconv_as_conv_init_pd,
        .execute = prim__deconv_as_conv_execute,
        .nests = &prim__conv_forward_schema,
        .nests_generic = true,
};
