// SPDX-License-Identifier: Apache-2.0
// Deconvolution on the CPU as the gradient of the convolution by src, for what
// simd:conv:backward_data_polyphase takes.
#include "common/deconv_as_conv.h"

const impl_t prim__simd_deconv_conv = {
        .name = "simd:deconv:conv",
        .pd_size = sizeof(deconv_as_conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__deconv_as_conv_init_pd,
        .execute = prim__deconv_as_conv_execute,
        .nests = &prim__conv_backward_data_schema,
};
