// SPDX-License-Identifier: Apache-2.0
// The residual networks of He et al., "Deep Residual Learning for Image Recognition", 2015,
// table 1.
#ifndef EXAMPLES_RESNET_H
#define EXAMPLES_RESNET_H

#include "net.h"

/// A block: convolutions and the shortcut around them. Its first convolution, or the one that
/// stands for it, has the stride.
typedef net_tensor_t (*resnet_block_t)(
        net_t *net, net_tensor_t src, prim_dim_t channels, prim_dim_t stride);

/// Images of 224×224 to the scores of 1000 classes, by four stages of 3, 4, 6 and 3 blocks of 64 to
/// 512 channels.
net_tensor_t resnet_scores(net_t *net, prim_dim_t batch, resnet_block_t block);
/// `src`, or a 1×1 convolution of it where the block changes its shape.
net_tensor_t resnet_shortcut(
        net_t *net, net_tensor_t src, prim_dim_t out_channels, prim_dim_t stride);

#endif
