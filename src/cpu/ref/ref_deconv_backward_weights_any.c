// SPDX-License-Identifier: Apache-2.0
// The gradients of deconvolution by weights and bias on the CPU:
// those of the convolution, with src and diff_dst exchanged.
#include "common/deconv_as_conv.h"

const impl_t prim__ref_deconv_backward_weights_any = {
        .name = "ref:deconv:backward_weights_any",
        .pd_size = sizeof(deconv_as_conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__deconv_as_conv_init_pd,
        .execute = prim__deconv_as_conv_execute,
        .nests = &prim__conv_backward_weights_schema,
        .nests_generic = true,
};
