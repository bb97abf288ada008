// SPDX-License-Identifier: Apache-2.0
// A 1×1 convolution with a depthwise one among its post-ops, on the CPU: the best
// implementation of each of the two convolutions.
#include "common/conv_depthwise_post_op.h"

const impl_t prim__ref_conv_depthwise_post_op = {
        .name = "ref:conv:depthwise_post_op",
        .pd_size = sizeof(conv_depthwise_post_op_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__conv_depthwise_post_op_init_pd,
        .execute = prim__conv_depthwise_post_op_execute,
        .takes_depthwise = true,
        .nests_generic = true,
};
