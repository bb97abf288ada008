// SPDX-License-Identifier: Apache-2.0
// ResNet-34 (nets/resnet.h) end to end on both engines. Arguments: see net_main() in nets/net.h.
#include "nets/resnet.h"

/// Two 3×3 convolutions.
static net_tensor_t basic_block(
        net_t *net, net_tensor_t src, prim_dim_t channels, prim_dim_t stride)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    const net_tensor_t shortcut = resnet_shortcut(net, src, channels, stride);
    const net_tensor_t inner = net_convolution(net, src, channels, 3, stride, 1, 1, NET_RELU, none);
    return net_convolution(net, inner, channels, 3, 1, 1, 1, NET_RELU, shortcut);
}

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    const net_tensor_t x = resnet_scores(net, batch, basic_block);
    net_tensor_t scores = net_softmax(net, x);
    net_output(net, &scores);
    return x; // the engines are compared before the softmax, which would hide differences
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "ResNet-34 at 224x224", "images", build);
}
