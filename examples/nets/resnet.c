// SPDX-License-Identifier: Apache-2.0
// Residual networks; see resnet.h.
#include "resnet.h"

net_tensor_t resnet_shortcut(
        net_t *net, net_tensor_t src, prim_dim_t out_channels, prim_dim_t stride)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    if (net_dims(net, src)[1] == out_channels && stride == 1) return src;
    return net_convolution(net, src, out_channels, 1, stride, 0, 1, NET_LINEAR, none);
}

net_tensor_t resnet_scores(net_t *net, prim_dim_t batch, resnet_block_t block)
{
    static const struct {
        prim_dim_t channels, nblocks;
    } stages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};
    const net_tensor_t none = {GRAPH_ABSENT};
    net_tensor_t x = net_input(net, 4, (const prim_dim_t[]){batch, 3, 224, 224});
    x = net_convolution(net, x, 64, 7, 2, 3, 1, NET_RELU, none);
    x = net_pool(net, x, PRIM_POOLING_MAX, 3, 2, 1);
    for (int s = 0; s < 4; ++s)
        for (int b = 0; b < stages[s].nblocks; ++b)
            x = block(net, x, stages[s].channels, b == 0 && s > 0 ? 2 : 1);
    return net_fully_connected(net, net_global_pool(net, x), 1000);
}
